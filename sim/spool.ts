/** What a runner and its engines leave for each other. */

import type { Brief } from "../src/ports/agent.ts";
import type { ProcessIdentity } from "../src/ports/processes.ts";
import type { AttemptName, RunnerControl, RunnerEnd, RunnerEvent } from "../src/ports/runner.ts";

export interface Spool {
  attempt: AttemptName;
  /** Null when an engine gave the attempt up before any runner was prepared. */
  brief: Brief | null;
  /** Whoever is first has the attempt. */
  claim: ProcessIdentity | "given_up" | null;
  lines: RunnerEvent[];
  controls: RunnerControl[];
  done: RunnerEnd | null;
  agent: ProcessIdentity | null;
  /** Monotonic: when an engine was last heard. */
  heardAt: number;
  /** Called when a line, the end or a death is there to be seen. */
  engines: Set<() => void>;
  /** Tells the runner that there is something new for it. */
  heed: () => void;
}

/** Each node has a disk of its own. */
export function spoolKey(node: string, { plan, slug, n }: Pick<AttemptName, "plan" | "slug" | "n">): string {
  return `${node} ${plan}/${slug}#${n}`;
}
