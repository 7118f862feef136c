/** The one task as its worker sees it: nothing of the rest of the plan, not even what it depends on. */

import { invariant } from "../core/assert.ts";
import { phaseAt } from "../core/lane/lane.ts";
import type { PlanRow } from "../core/task/rows.ts";
import type { ReadyTask } from "../ports/store.ts";
import type { Terminal } from "./terminal.ts";

export interface WorkerTask {
  id: string;
  title: string;
  prompt: string;
  verify: string[];
  files_owned: string[];
  /** Name of the phase that is due. */
  phase: string;
}

export function workerTask(plan: PlanRow, { row, definition }: ReadyTask): WorkerTask {
  const { title, prompt, verify, files_owned } = definition;
  return {
    id: row.id,
    title,
    prompt,
    verify: verify.map(({ run }) => run),
    files_owned,
    phase: phaseName(plan, { row, definition }),
  };
}

export function phaseName(plan: PlanRow, { row, definition }: ReadyTask): string {
  const lane = plan.policy.lanes[definition.lane];
  invariant(lane, `plan ${plan.name} has no lane ${definition.lane}`);
  return phaseAt(lane, row.phase).name;
}

export function printWorkerTask(terminal: Terminal, task: WorkerTask): void {
  terminal.print(`${terminal.style("bold", task.id)}  ${task.title}`);
  terminal.print(`  phase   ${task.phase}`);
  for (const command of task.verify) terminal.print(`  verify  ${command}`);
  if (task.files_owned.length > 0) terminal.print(`  files   ${task.files_owned.join(" ")}`);
  if (task.prompt !== task.title) terminal.print(`\n${task.prompt}`);
}
