import { statSync } from "node:fs";
import { resolve } from "node:path";
import type { PlanRow } from "../../core/task/rows.ts";
import { planNamed } from "../choose-plan.ts";
import type { Call } from "../command.ts";
import { usageFailure } from "../failure.ts";
import { loadFile, loadText } from "../load-file.ts";
import { isGiven } from "../read-options.ts";

/** A loaded plan goes before a file of the same name; a file is loaded first. */
export async function planToRun(call: Call): Promise<PlanRow> {
  const { args, cwd, session, terminal } = call;
  const named = args[0];
  if (named === undefined) return session.plan();
  const { store, id } = await session.project();
  const plans = await store.plans(id);
  if (plans.some(({ name }) => name === named)) return planNamed(plans, named);
  if (!isFile(resolve(cwd, named)) && !looksLikeFile(named) && plans.length > 0) return planNamed(plans, named);
  if (isGiven(call, "dry-run"))
    throw usageFailure("--dry-run does not load a file", `\`lockstep plan load ${named}\` loads it.`);
  const counts = await loadFile(call, named);
  terminal.note(loadText(counts));
  return (await store.planNamed(id, counts.plan))!;
}

function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() === true;
}

function looksLikeFile(named: string): boolean {
  return named.includes("/") || /\.(ya?ml|json)$/i.test(named);
}
