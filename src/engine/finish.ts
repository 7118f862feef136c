/** Lands a finished plan's branch on the branch that it started from, checked again where the two differ. */

import { hasOwnBranch } from "../core/plan/definition.ts";
import type { PlanRow, TaskRow } from "../core/task/rows.ts";
import { PAGE, type TaskRecord } from "../ports/store.ts";
import type { Candidate, JoinRequest, WorkspaceRefusal } from "../ports/workspace.ts";
import type { EngineContext } from "./context.ts";
import { jobsOf } from "./landing-checks.ts";
import { revertedTasks } from "./reverted.ts";
import type { CheckJob } from "./run-check.ts";
import { holdJob } from "./run-check.ts";

export interface FinishRefusal {
  code: WorkspaceRefusal["code"] | "no_branch" | "undone" | "unfinished" | "checks_red" | "stopped";
  text: string;
}

export interface Finished {
  /** Full name of the branch. */
  into: string;
  /** Where it stood, and where it stands now: the same where it had everything. */
  from: string;
  commit: string;
  /** Commands that were run on the joined tree; none where it is the plan's own. */
  checks: number;
}

/** Call only while holding the project's engine lock. `into`: a branch that a person named; else the plan's base. */
export async function finishPlan(
  context: EngineContext,
  plan: PlanRow,
  into: string | null,
  signal: AbortSignal,
): Promise<Finished | { refusal: FinishRefusal }> {
  const { target, base } = plan.policy.land;
  const branch = into === null ? base : fullName(into);
  const refusal = await unfinishedRefusal(context, plan, branch);
  if (refusal !== null || branch === null) return { refusal: refusal ?? noBranch(plan) };
  const message = `Merge plan ${plan.name}\n`;
  const request: JoinRequest = {
    plan: plan.name,
    source: target,
    into: branch,
    asked: into !== null,
    message,
    ...styleOf(context),
  };
  const candidate = await context.workspace.join(request);
  if ("code" in candidate) return { refusal: candidate };
  const jobs = candidate.is_new ? await jobsOfPlan(context, plan) : [];
  for (const { job, row } of jobs) {
    const red = await redCheck(context, job, row, candidate, signal);
    if (red !== null) return { refusal: red };
  }
  const landed = await context.workspace.bring(request, candidate);
  if (!landed.landed) return refused(landed.reason, landed.text);
  return { into: branch, from: candidate.tip!, commit: candidate.commit!, checks: jobs.length };
}

/** Why a plan's branch cannot be brought to that one as a whole; null: it can. */
export async function unfinishedRefusal(
  context: EngineContext,
  plan: PlanRow,
  branch: string | null,
): Promise<FinishRefusal | null> {
  const { workspace, land } = plan.policy;
  const isOwn = branch !== null && fullName(branch) !== land.target && land.mode !== "off";
  if (!hasOwnBranch(workspace) || !isOwn) return noBranch(plan);
  const open = await unfinished(context, plan);
  if (open.length === 0) return null;
  return { code: "unfinished", text: `not every task of ${plan.name} is verified: ${open.join(", ")}` };
}

function noBranch({ name }: PlanRow): FinishRefusal {
  return { code: "no_branch", text: `${name} has no branch of its own to land: its work is where it was done` };
}

function styleOf({ settings }: EngineContext): Pick<JoinRequest, "style"> {
  return settings.commits === undefined ? {} : { style: settings.commits.style };
}

function refused(code: FinishRefusal["code"], text: string): { refusal: FinishRefusal } {
  return { refusal: { code, text } };
}

function fullName(branch: string): string {
  return branch.startsWith("refs/") ? branch : `refs/heads/${branch}`;
}

/** Tasks that are named in a refusal. */
const NAMED_MAX = 5;

/** Tasks that still count and neither are verified nor count as such. */
async function unfinished(context: EngineContext, plan: PlanRow): Promise<string[]> {
  const open: string[] = [];
  for await (const row of rowsOf(context, plan)) {
    if (!row.retired && !row.satisfied) open.push(row.id);
    if (open.length === NAMED_MAX) break;
  }
  return open;
}

/** Every check of the plan's verified tasks whose landing stands, each command once. */
async function jobsOfPlan(context: EngineContext, plan: PlanRow): Promise<{ job: CheckJob; row: TaskRow }[]> {
  const records: TaskRecord[] = [];
  for await (const row of rowsOf(context, plan)) {
    const record = row.state === "verified" ? await context.store.task(plan.id, row.id) : null;
    if (record !== null) records.push(record);
  }
  const reverted = revertedTasks(records);
  const jobs = new Map<string, { job: CheckJob; row: TaskRow }>();
  for (const record of records.filter(({ row }) => !reverted.has(row.id)))
    for (const job of jobsOf(record)) if (!jobs.has(job.run)) jobs.set(job.run, { job, row: record.row });
  return [...jobs.values()];
}

export async function* rowsOf({ store }: EngineContext, plan: PlanRow): AsyncGenerator<TaskRow> {
  for (let offset = 0; ; offset += PAGE) {
    const page = await store.tasks(plan.id, { offset, limit: PAGE });
    yield* page;
    if (page.length < PAGE) return;
  }
}

async function redCheck(
  context: EngineContext,
  job: CheckJob,
  row: TaskRow,
  { dir }: Candidate,
  signal: AbortSignal,
): Promise<FinishRefusal | null> {
  const { held, log } = await holdJob(context, job, { dir, task: row, attempt: row.attempts }, signal);
  const { outcome, exit_code, tail } = await held.release();
  if (outcome === "green") return null;
  if (outcome === "killed") return { code: "stopped", text: `stopped while \`${job.run}\` ran` };
  const text = `\`${job.run}\` of ${row.id} is not green on both together: exit ${exit_code}, output in ${log}: ${tail}`;
  return { code: "checks_red", text };
}
