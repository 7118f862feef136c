/** What is wrong with the project, its configuration and its store. */

import { dirname } from "node:path";
import { agentProblem, withheldNote } from "../../compose/agent-problems.ts";
import { careIn } from "../../compose/care.ts";
import { livingEngines } from "../../compose/engines.ts";
import { inspectWorkspace } from "../../compose/inspect.ts";
import { hostProblem } from "../../compose/windows.ts";
import { checkConfiguration, findProject, ProjectUnusable } from "../../compose.ts";
import type { ProjectConfig } from "../../config/config.ts";
import { carryOnText, isLeft } from "../../core/schedule/care.ts";
import type { PlanRow, RunRow } from "../../core/task/rows.ts";
import { PAGE, type Store, StoreUnavailable } from "../../ports/store.ts";
import type { Call } from "../command.ts";
import { problemLine } from "../report-error.ts";
import { examineDisk } from "./disk.ts";
import type { Examination } from "./examination.ts";
import { fine, wrong } from "./examination.ts";
import { localDisk } from "./machine.ts";

/** `whole`: every counter of the store is compared with an exact query. */
export async function examineProject(call: Call, whole: boolean): Promise<Examination[]> {
  return [...(await examinePlace(call)), ...(await examineStore(call, whole)), ...(await examineDisk(call))];
}

async function examinePlace({ cwd, env }: Call): Promise<Examination[]> {
  try {
    const place = findProject(cwd);
    const found = [fine("project", place.root), ...localDisk("project", place.root)];
    const configuration = await checkConfiguration(place);
    found.push(fine("configuration", place.config_file));
    const refusal = await inspectWorkspace(place, configuration);
    found.push(
      refusal
        ? wrong("workspace", refusal.code, refusal.text, "Mend that, then run `lockstep doctor` again.")
        : fine("workspace", configuration.config.workspace.mode),
    );
    const host = await hostProblem({ configuration: async () => configuration }, { env });
    if (host !== null) found.push(wrong("host", host.code, host.message, host.hint));
    found.push(...(await examinePublishing(place.root, configuration.config, env)));
    for (const [name, agent] of Object.entries(configuration.config.agents)) {
      const problem = await agentProblem(name, agent, env);
      if (problem !== null) found.push(wrong(`agent ${name}`, problem.code, problem.message, problem.hint));
      const withheld = withheldNote(name, agent, env);
      if (withheld !== null) found.push(fine("billing", withheld));
    }
    return found;
  } catch (error) {
    return unusable("project", error);
  }
}

/** Nobody is asked: whether a token is accepted, only publishing tells. */
async function examinePublishing(root: string, config: ProjectConfig, env: Call["env"]): Promise<Examination[]> {
  if (config.land.mode !== "pr") return [];
  const { publishPlace } = await import("../../compose/publish-problem.ts");
  const place = await publishPlace(root, config, env);
  if (typeof place === "string") return [fine("publishing", place)];
  return [wrong("publishing", place.code, place.message, place.hint)];
}

async function examineStore({ session }: Call, whole: boolean): Promise<Examination[]> {
  try {
    const { store, storeFile, id } = await session.project();
    const found = [fine("store", storeFile), ...localDisk("store", dirname(storeFile))];
    found.push(...(await examineRuns(store, id)));
    const differences = whole ? await store.verify() : [];
    for (const difference of differences)
      found.push(
        wrong("store", "store_counters", difference, "Keep the file and report it: this is a bug of lockstep."),
      );
    if (whole && differences.length === 0) found.push(fine("store, counters", "all as counted anew"));
    return found;
  } catch (error) {
    // The project's own problems have been told; one without a plan has no store to look at.
    if (
      error instanceof ProjectUnusable &&
      error.code !== "project_elsewhere" &&
      error.code !== "project_id" &&
      error.code !== "store_later"
    )
      return [];
    return unusable("store", error);
  }
}

/** A run that nobody carries tells nobody that it stands still. */
async function examineRuns(store: Store, project: string): Promise<Examination[]> {
  const found: Examination[] = [];
  for (const run of (await store.liveRuns()).filter((each) => each.project === project)) {
    const plan = (await store.plan(run.plan))!;
    const { isCarried, left } = await leftOf(store, plan, run);
    if (isCarried) found.push(fine(`run of ${plan.name}`, `${run.state}, and its engine lives`));
    else found.push(wrong(`run of ${plan.name}`, "run_without_engine", left, `${carryOnText(plan.name)}.`));
  }
  return found;
}

async function leftOf(store: Store, plan: PlanRow, run: RunRow): Promise<{ isCarried: boolean; left: string }> {
  const careOf = await careIn(store, plan, run);
  const active = await store.active(plan.id, PAGE);
  const cares = active.filter(({ attempt }) => attempt?.kind === "run").map((record) => careOf(record));
  const alone = cares.filter((care) => isLeft(care) && care.runner?.isAlive).length;
  const dead = cares.filter((care) => isLeft(care)).length - alone;
  const isCarried = (await livingEngines(store, plan.project)).some((engine) => engine.plan === plan.id);
  const left = [
    `the run of ${plan.name} is ${run.state}, and no engine carries it`,
    ...(alone > 0 ? [`${attempts(alone)} on alone, held by a runner that lives`] : []),
    ...(dead > 0 ? [`of ${dead === 1 ? "1 attempt" : `${dead} attempts`} the runner is gone too`] : []),
  ];
  return { isCarried, left: left.join("; ") };
}

function attempts(count: number): string {
  return count === 1 ? "1 attempt works" : `${count} attempts work`;
}

/** What is wrong place by place is not told once more as a whole. */
function unusable(what: string, error: unknown): Examination[] {
  if (error instanceof StoreUnavailable) return [wrong(what, `store_${error.code}`, error.message, error.hint)];
  if (!(error instanceof ProjectUnusable)) throw error;
  if (error.problems.length === 0) return [wrong(what, error.code, error.message, error.hint)];
  return error.problems.map((problem) => wrong(what, "config", problemLine(problem), error.hint));
}
