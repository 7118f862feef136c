import { checkConfiguration, findProject } from "../../compose.ts";
import { checkedPlan } from "../checked-plan.ts";
import type { CommandRun } from "../command.ts";
import { EXIT } from "../exit-codes.ts";

export const run: CommandRun = async (call) => {
  const { cwd, terminal } = call;
  const configuration = await checkConfiguration(findProject(cwd));
  const plan = await checkedPlan(call, call.args[0]!, configuration);
  if (terminal.json) terminal.printJson({ plan: plan.name, total: plan.tasks.length, warnings: plan.warnings });
  else
    terminal.print(`${plan.name}: ${plan.tasks.length} ${plan.tasks.length === 1 ? "task" : "tasks"}, nothing wrong`);
  return EXIT.ok;
};
