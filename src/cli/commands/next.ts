import { nextTask } from "../../engine/next.ts";
import type { CommandRun } from "../command.ts";
import { EXIT } from "../exit-codes.ts";
import { printWorkerTask, workerTask } from "../worker-task.ts";

export const run: CommandRun = async ({ session, terminal }) => {
  const plan = await session.plan();
  const ready = await nextTask(await session.context(), plan.id, { kind: "external", agent: null });
  const task = ready && workerTask(plan, ready);
  if (terminal.json) terminal.printJson(task);
  else if (task) printWorkerTask(terminal, task);
  else terminal.note("nothing is ready: `lockstep status` says how the plan stands");
  return EXIT.ok;
};
