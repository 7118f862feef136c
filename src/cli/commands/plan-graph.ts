import { dot, mermaid } from "../../core/plan/render.ts";
import type { GraphTask } from "../../ports/store.ts";
import type { CommandRun } from "../command.ts";
import { EXIT } from "../exit-codes.ts";
import { namedPlan } from "../named-plan.ts";
import { textOption } from "../read-options.ts";

export const run: CommandRun = async (call) => {
  const { session, terminal } = call;
  const plan = await namedPlan(call);
  const store = await session.store();
  const tasks: GraphTask[] = [];
  for await (const task of store.graph(plan.id)) tasks.push(task);
  const format = textOption(call, "format");
  if (terminal.json && format === null) terminal.printJson({ plan: plan.name, tasks });
  else {
    const graph = (format === "dot" ? dot(tasks) : mermaid(tasks)).trimEnd();
    if (terminal.json) terminal.printJson({ plan: plan.name, format, graph });
    else terminal.print(graph);
  }
  return EXIT.ok;
};
