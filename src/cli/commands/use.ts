import { mkdirSync, renameSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { choiceFile } from "../choose-plan.ts";
import type { CommandRun } from "../command.ts";
import { EXIT } from "../exit-codes.ts";
import { namedPlan } from "../named-plan.ts";

export const run: CommandRun = async (call) => {
  const { args, session, terminal } = call;
  const plan = await namedPlan(call);
  if (args[0] !== undefined) choose(choiceFile(await session.project()), plan.name);
  if (terminal.json) terminal.printJson({ plan: plan.name });
  else terminal.print(plan.name);
  return EXIT.ok;
};

function choose(file: string, plan: string): void {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(`${file}.${process.pid}`, `${plan}\n`);
  renameSync(`${file}.${process.pid}`, file);
}
