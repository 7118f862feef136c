import type { TaskState } from "../../core/task/moves.ts";
import { TASK_STATES } from "../../core/task/moves.ts";
import type { TaskRow } from "../../core/task/rows.ts";
import { PAGE } from "../../ports/store.ts";
import type { Call, CommandRun } from "../command.ts";
import { EXIT } from "../exit-codes.ts";
import { usageFailure } from "../failure.ts";
import { namedPlan } from "../named-plan.ts";
import { countOption, textOption } from "../read-options.ts";
import { marksOf, standingOf, stateText } from "../state-words.ts";
import type { Terminal } from "../terminal.ts";

export const run: CommandRun = async (call) => {
  const { terminal, session } = call;
  const offset = countOption(call, "offset", 0) ?? 0;
  const state = stateOption(call);
  const plan = await namedPlan(call);
  const store = await session.store();
  const tasks = await store.tasks(plan.id, { offset, limit: PAGE, ...(state ? { state } : {}) });
  const { total } = standingOf((await store.summary(plan.id))!);
  if (terminal.json) {
    terminal.printJson({ plan: plan.name, revision: plan.revision, total, offset, tasks: tasks.map(listed) });
    return EXIT.ok;
  }
  printTable(terminal, tasks);
  if (tasks.length === PAGE) terminal.note(`more: lockstep plan show ${plan.name} --offset ${offset + PAGE}`);
  return EXIT.ok;
};

function stateOption(call: Call): TaskState | null {
  const written = textOption(call, "state");
  if (written === null) return null;
  const state = TASK_STATES.find((known) => known === written);
  if (state) return state;
  throw usageFailure(`--state cannot be ${JSON.stringify(written)}`, `Choose one of: ${TASK_STATES.join(", ")}.`);
}

function listed({
  id,
  title,
  state,
  wave,
  priority,
  attempts,
  unverified,
  satisfied,
  retired,
  due_at,
  reason,
}: TaskRow) {
  return { id, title, state, wave, priority, attempts, unverified, satisfied, retired, due_at, reason };
}

/** Longer ids push their line to the right rather than be cut: they are what people copy. */
const ID_WIDTH_MAX = 30;

function printTable(terminal: Terminal, tasks: readonly TaskRow[]): void {
  const width = Math.min(ID_WIDTH_MAX, Math.max(0, ...tasks.map(({ id }) => id.length)));
  for (const task of tasks) {
    const state = stateText(terminal, task.state);
    const gap = " ".repeat(Math.max(0, "claimed_done".length - task.state.length));
    terminal.print(`${task.id.padEnd(width)}  ${state}${gap}  ${task.title}${marksOf(task)}`);
  }
}
