/** Which plan a command means: `--plan`, the only one, the only one with a live run, or the one chosen with `use`. */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { OpenProject } from "../compose.ts";
import { nearestNames } from "../core/plan/nearest-name.ts";
import type { PlanRow } from "../core/task/rows.ts";
import { EXIT } from "./exit-codes.ts";
import { Failure, usageFailure } from "./failure.ts";

export async function choosePlan(project: OpenProject, named: string | null): Promise<PlanRow> {
  const plans = await project.store.plans(project.id);
  if (plans.length === 0)
    throw new Failure("no_plan", "this project has no plan yet", "`lockstep plan load FILE` loads one.", {
      exit: EXIT.usage,
    });
  if (named !== null) return planNamed(plans, named);
  return (await defaultPlan(project, plans)) ?? ambiguous(plans);
}

/** The plan that is meant where none is named, or null when several could be. */
export async function defaultPlan(project: OpenProject, plans: readonly PlanRow[]): Promise<PlanRow | null> {
  if (plans.length === 1) return plans[0]!;
  const live: PlanRow[] = [];
  for (const plan of plans) if ((await project.store.summary(plan.id))?.run) live.push(plan);
  if (live.length === 1) return live[0]!;
  const chosen = chosenPlan(project);
  return plans.find(({ name }) => name === chosen) ?? null;
}

/** Exact beats the only one that begins so. */
export function planNamed(plans: readonly PlanRow[], named: string): PlanRow {
  const exact = plans.find(({ name }) => name === named);
  const alike = plans.filter(({ name }) => name.startsWith(named));
  if (exact) return exact;
  if (alike.length === 1) return alike[0]!;
  if (alike.length > 1) {
    const candidates = alike.map(({ name }) => name);
    throw new Failure(
      "ambiguous_plan",
      `several plans begin with ${named}: ${candidates.join(", ")}`,
      "Write more of its name.",
      { exit: EXIT.usage, candidates },
    );
  }
  const nearest = nearestNames(plans.map(({ name }) => name))(named);
  const hint = nearest ? `Did you mean ${nearest}?` : `The project has: ${plans.map(({ name }) => name).join(", ")}.`;
  throw usageFailure(`there is no plan ${named}`, hint);
}

function ambiguous(plans: readonly PlanRow[]): never {
  const candidates = plans.map(({ name }) => name);
  const message = `the project has several plans: ${candidates.join(", ")}`;
  throw new Failure("ambiguous_plan", message, "Choose one with `lockstep use PLAN`, or name it with --plan.", {
    exit: EXIT.usage,
    candidates,
  });
}

/** Where `lockstep use` keeps the choice: beside the project's id, since it is the user's and not the team's. */
export function choiceFile({ place }: OpenProject): string {
  return join(place.home, "use");
}

function chosenPlan(project: OpenProject): string | null {
  try {
    return readFileSync(choiceFile(project), "utf8").trim();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
    throw error;
  }
}
