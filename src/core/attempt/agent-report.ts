/** What an agent says of its work when it has done it, beside a summary in its own words. */

import type { Lane } from "../lane/lane.ts";
import { phaseAt } from "../lane/lane.ts";
import type { VerdictWord } from "../lane/verdict.ts";

export interface AgentReport {
  /** Files that it says it made or changed. */
  files: string[];
  /** What it left undone, one thing each. */
  not_done: string[];
  /** A review's answer about the work; what it has to say about that is its summary. */
  verdict: VerdictWord | null;
  /** The agent that it names to go on with the task. */
  handoff: string | null;
}

/** What the report of a phase holds beside what all hold. */
export interface ReportRights {
  /** A review must give a verdict, and nothing else may. */
  verdict: boolean;
  /** Another agent may be named, because another phase can follow. */
  handoff: boolean;
}

export function reportRights(lane: Lane, index: number): ReportRights {
  const verdict = phaseAt(lane, index).kind === "review";
  // A review may also send the task back.
  return { verdict, handoff: verdict || index < lane.phases.length - 1 };
}
