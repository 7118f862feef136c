import { loadPlan } from "../engine/load-plan.ts";
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
  const { planSettings } = await import("../config/config.ts");
  const { config, hash } = await project.configuration();
  const read = await readPlanFile(file, {
    settings: planSettings(config, hash),
    ...(planName === undefined ? {} : { planName }),
  });
  if (!read.ok) return { ok: false, problems: read.problems };
  const answer = await loadPlan(await project.context(), read.plan);
  if (answer.ok) return answer;
  const { placeProblems } = await import("../plan-file/place-problems.ts");
  return { ok: false, problems: await placeProblems(file, answer.problems) };
}
