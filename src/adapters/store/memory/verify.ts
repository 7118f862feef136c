import type { Tally } from "../../../core/task/counters.ts";
import { movement } from "../../../core/task/counters.ts";
import type { PlanRow, TaskRow } from "../../../core/task/rows.ts";
import { noTallies, TALLIES } from "../tallies.ts";
import { exactCounters } from "./memory-tables.ts";
import type { MemoryState, PlanState } from "./state.ts";
import { contentOf } from "./state.ts";

/** Compares the maintained counters with exact ones; each difference is a sentence. */
export function verify(state: MemoryState): string[] {
  return [...state.plans.values()].flatMap((plan) => {
    const content = contentOf(state, plan.id);
    return [
      ...wrongTallies(plan, content),
      ...[...content.tasks.values()].flatMap((task) => wrongCounters(content, task)),
    ];
  });
}

function wrongTallies({ name }: PlanRow, { tasks, tallies }: PlanState): string[] {
  const exact = noTallies();
  for (const task of tasks.values())
    for (const [tally, n] of Object.entries(movement(null, task).tallies)) exact[tally as Tally] += n;
  return TALLIES.filter((tally) => (tallies.get(tally) ?? 0) !== exact[tally]).map(
    (tally) => `plan ${name} counts ${tallies.get(tally) ?? 0} ${tally} tasks, and has ${exact[tally]}`,
  );
}

function wrongCounters(content: PlanState, { id, unmet, dead }: TaskRow): string[] {
  const exact = exactCounters(content, id);
  if (exact.unmet === unmet && exact.dead === dead) return [];
  return [`task ${id} counts ${unmet} unmet and ${dead} dead dependencies, and has ${exact.unmet} and ${exact.dead}`];
}
