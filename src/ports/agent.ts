/** The code that drives one kind of agent. */

import type { Outcome, Usage } from "../core/task/rows.ts";
import type { ProcessIdentity } from "./processes.ts";

/** All that an attempt is given: its one task, never the plan. Written to a file that the agent may read. */
export interface Brief {
  protocol: 1;
  /** `TASK#N`: unique in its plan. */
  attempt: string;
  task: BriefTask;
  /** Absolute path in which to work. */
  workspace: string;
  /** What the agent is told: the same text as on its standard input. */
  prompt: string;
  /** Why the last try ended, or null at the first. */
  last_failure: string | null;
  timeout_ms: number;
}

export interface BriefTask {
  id: string;
  slug: string;
  title: string;
  prompt: string;
  phase: string;
  verify: string[];
  files_owned: string[];
  skill: string | null;
  labels: string[];
}

export interface AgentRequest {
  brief: Brief;
  briefFile: string;
  env: Record<string, string>;
  /** Takes what the agent prints. */
  logFile: string;
  signal: AbortSignal;
  /** Called with the agent's process before the first instruction of the agent itself runs. */
  started(process: ProcessIdentity): Promise<void>;
}

export interface AgentEnd {
  outcome: Extract<Outcome, "succeeded" | "failed" | "timed_out" | "interrupted">;
  error: string | null;
  summary: string | null;
  usage: Usage | null;
  cost_usd: number | null;
}

export interface Agent {
  /** Runs one attempt to its end; never rejects for what the agent did. */
  run(request: AgentRequest): Promise<AgentEnd>;
}
