import { loadPlan } from "../engine/load-plan.ts";
import type { PlanSettings } from "../plan-file/plan-settings.ts";
import type { LoadAnswer } from "../ports/store.ts";
import type { OpenProject } from "./project.ts";

/**
 * Loads a plan file (YAML, JSON or a `DAG.json` of omega-os) in one transaction: all of it, or nothing and every problem.
 * `planName` names a `DAG.json`; for another file it must be the name that stands there.
 */
export async function loadPlanFile(
  project: OpenProject,
  file: string,
  { planName }: { planName?: string } = {},
): Promise<LoadAnswer> {
  const { readPlanFile } = await import("../plan-file/read-plan-file.ts");
  const settings = await settingsOf(project);
  const read = await readPlanFile(file, { settings, ...(planName === undefined ? {} : { planName }) });
  if (!read.ok) return { ok: false, problems: read.problems };
  const answer = await loadPlan(await project.context(), read.plan);
  if (answer.ok) return answer;
  const { placeProblems } = await import("../plan-file/place-problems.ts");
  return { ok: false, problems: await placeProblems(file, answer.problems) };
}

/** What stands in a plan file, as a value: `{plan: "shop", tasks: [...]}`. */
export interface PlanValue {
  plan: string;
  tasks: readonly object[];
  readonly [key: string]: unknown;
}

/** Where problems of a plan are that no file holds. */
const VALUE = "plan.json";

/** Loads a plan that a program has at hand, as a file of the same content would be. */
export async function loadPlanValue(project: OpenProject, value: PlanValue): Promise<LoadAnswer> {
  const { readPlanBytes } = await import("../plan-file/read-plan-file.ts");
  const settings = await settingsOf(project);
  const read = await readPlanBytes(Buffer.from(JSON.stringify(value)), VALUE, { settings });
  return read.ok ? loadPlan(await project.context(), read.plan) : { ok: false, problems: read.problems };
}

async function settingsOf(project: OpenProject): Promise<PlanSettings> {
  const { planSettings } = await import("../config/config.ts");
  const { config, hash } = await project.configuration();
  return planSettings(config, hash);
}
