/** Reads and checks a plan file for a command; what is wrong ends it, what is worth saying is said. */

import { relative, resolve } from "node:path";
import type { Configuration } from "../compose.ts";
import type { CompiledPlan, PlanProblem } from "../core/plan/definition.ts";
import type { Call } from "./command.ts";
import { EXIT } from "./exit-codes.ts";
import { Failure } from "./failure.ts";
import { problemLine } from "./report-error.ts";

export async function checkedPlan(
  { cwd, options, terminal }: Call,
  file: string,
  { config, hash }: Configuration,
): Promise<CompiledPlan> {
  const { readPlanFile } = await import("../plan-file/read-plan-file.ts");
  const { planSettings } = await import("../config/config.ts");
  const path = shownPath(cwd, file);
  const planName = options["plan"];
  const read = await readPlanFile(path, {
    settings: planSettings(config, hash),
    ...(planName === undefined ? {} : { planName }),
  });
  if (!read.ok) throw planFailure(path, read.problems);
  for (const warning of read.plan.warnings)
    terminal.note(`${terminal.style("yellow", "warning:")} ${problemLine(warning)}`);
  return read.plan;
}

/** Problems of the file stand in it; those of the place where it would be worked on have no path. */
export function planFailure(file: string, problems: readonly PlanProblem[]): Failure {
  const count = problems.length === 1 ? "1 problem" : `${problems.length} problems`;
  const placed = problems.map((problem) => (problem.path === "" ? problem : { file, ...problem }));
  return new Failure("plan_refused", `${file} is refused: ${count}`, "Mend what is named, then run this again.", {
    exit: EXIT.usage,
    problems: placed,
  });
}

/** As the user wrote it, unless `--cwd` moved what it starts from. */
function shownPath(cwd: string, file: string): string {
  const path = resolve(cwd, file);
  return cwd === process.cwd() ? file : relative(process.cwd(), path) || path;
}
