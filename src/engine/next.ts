/** The one task that a worker would be given now. Asking changes nothing. */

import { decide, walkLimit } from "../core/schedule/decide.ts";
import type { Candidate, Facts } from "../core/schedule/facts.ts";
import type { AttemptKind } from "../core/task/rows.ts";
import type { ReadyTask } from "../ports/store.ts";
import type { EngineContext } from "./context.ts";
import { gatherFacts } from "./facts.ts";

export interface Asking {
  kind: AttemptKind;
  /** The agent of tasks that name none. */
  agent: string | null;
  /** Tasks that are not to be given now. */
  isAside?(task: string): boolean;
  /** Whether an agent may start. Asked of one that nothing else keeps from it; one that may not is passed over. */
  mayStart?(agent: string): boolean;
}

/** The first of the ready tasks nearly always may start, so a look begins with few of them. */
const FIRST_LOOK = 2;

/** The first ready task whose gates are all open, or null. */
export async function nextTask(context: EngineContext, plan: string, asking: Asking): Promise<ReadyTask | null> {
  const facts = await gatherFacts(context, plan, asking.agent);
  for (const limit of [FIRST_LOOK, walkLimit(1)]) {
    const ready = await context.store.ready(plan, limit);
    const open = asking.isAside === undefined ? ready : ready.filter(({ row }) => !asking.isAside?.(row.id));
    const candidates = open.map((task) => candidateOf(task, asking));
    const start = firstStart(facts, candidates, asking, context.clock.now());
    if (start || ready.length < limit) return start;
  }
  return null;
}

/** Each look passes over one more agent. */
function firstStart(facts: Facts, candidates: Candidate[], { mayStart }: Asking, now: number): Candidate | null {
  for (let left = candidates; ; ) {
    const start = decide(facts, left, 1, now)[0];
    if (start === undefined) return null;
    const { agent } = start;
    if (agent === null || mayStart === undefined || mayStart(agent)) return start;
    left = left.filter((candidate) => candidate.agent !== agent);
  }
}

/** An expired lease is settled by the claim itself, so the task counts as pending here. */
export function candidateOf({ row, definition }: ReadyTask, { kind, agent }: Asking): Candidate {
  return {
    row: { ...row, state: "pending" },
    definition,
    kind,
    agent: kind === "run" ? (definition.agent ?? agent) : agent,
  };
}
