/** What agents do: they succeed, fail, hang, die, ask, and leave what they should not. */

import type { Brief } from "../src/ports/agent.ts";
import type { RunnerEnd } from "../src/ports/runner.ts";
import { MARKER } from "./places.ts";
import type { Random } from "./random.ts";

const WEIGHTS = {
  succeed: 50,
  bad_work: 6,
  fail: 6,
  hang: 2,
  deaf: 2,
  die: 2,
  stall: 2,
  limited: 4,
  blocked: 3,
  ask: 3,
  ask_on: 2,
  idle: 3,
  stray: 3,
  guarded: 2,
  breaks_guard: 3,
  leaves_markers: 2,
  leaves_child: 8,
} as const;

export type BehaviourKind = keyof typeof WEIGHTS;

export interface Behaviour {
  kind: BehaviourKind;
  /** From its start to its end. */
  ms: number;
  cost: number | null;
  /** How its end is read; absent: it was killed. */
  end?: Pick<RunnerEnd, "outcome" | "error">;
}

export interface Work {
  brief: Brief;
  n: number;
}

/** Longest time that an agent works which is not ended. */
const WORK_MS = 25_000;

export const COST_MAX = 0.5;

export function behaviourOf(random: Random, calm: boolean, phase: string): Behaviour {
  const kind = calm || phase !== "build" ? "succeed" : random.weighted(WEIGHTS);
  const ms = random.between(50, WORK_MS);
  const cost = random.chance(0.8) ? Math.round(random.next() * COST_MAX * 100) / 100 : null;
  return { kind, ms, cost, ...endOf(kind) };
}

function endOf(kind: BehaviourKind): Pick<Behaviour, "end"> {
  switch (kind) {
    case "die":
    case "hang":
      return {};
    case "fail":
      return { end: { outcome: "failed", error: "the agent ended with 1" } };
    case "stall":
      return { end: { outcome: "stalled", error: "nothing was heard of it for long" } };
    case "limited":
      return { end: { outcome: "rate_limited", error: "a limit was reached" } };
    case "blocked":
      return { end: { outcome: "blocked", error: "which colour?" } };
    default:
      return { end: { outcome: "succeeded", error: null } };
  }
}

/** The files that the agent leaves; null: it removes that one. */
export function writesOf(
  random: Random,
  { kind }: Behaviour,
  { brief, n }: Work,
  files: ReadonlyMap<string, string>,
): [string, string | null][] {
  const { task } = brief;
  if (kind === "idle" || task.phase === "research" || task.phase === "design") return [];
  const path = task.verify[0]?.split(" ")[1] ?? `work/${task.id}`;
  const isBad = kind === "bad_work" || kind === "fail" || kind === "die";
  const writes: [string, string | null][] = mended(brief, n, files);
  writes.push([path, `${isBad ? "bad" : "good"} ${task.id}#${n}`]);
  if (task.labels.includes("shares")) writes.push(["shared/notes", `${task.id}#${n}`]);
  if (kind === "stray") writes.push([`stray/${task.id}`, `${n}`]);
  if (kind === "guarded") writes.push(["guarded/rules", `${task.id}#${n}`]);
  if (kind === "breaks_guard") writes.push([`broken/${random.pick(["G1", "G2"])}`, task.id]);
  if (kind === "leaves_markers") writes.push([path, `${MARKER} ours`]);
  return writes;
}

/** Conflicts that were left in its place are resolved, and what an earlier try left behind is put right. */
function mended({ task }: Brief, n: number, files: ReadonlyMap<string, string>): [string, string | null][] {
  const writes: [string, string | null][] = [];
  for (const [path, text] of files) {
    if (text.startsWith(MARKER)) writes.push([path, `good ${task.id}#${n}`]);
    if (path === `stray/${task.id}` || (path.startsWith("broken/") && text === task.id)) writes.push([path, null]);
    if (path === "guarded/rules" && text !== RULES) writes.push([path, RULES]);
  }
  return writes;
}

/** What the protected file says from the beginning. */
export const RULES = "rules";
