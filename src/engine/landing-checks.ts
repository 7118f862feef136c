/** Runs a task's checks on its candidate, one after the other, each recorded before the next begins. */

import type { Blame } from "../core/task/commands/landings.ts";
import type { CheckResult } from "../core/task/rows.ts";
import type { Answer, TaskRecord } from "../ports/store.ts";
import type { Candidate } from "../ports/workspace.ts";
import type { Landing, RoundEnd } from "./landing-work.ts";
import { endOfRefusal, ofTask, submit, underWay } from "./landing-work.ts";
import type { CheckJob, HeldJob } from "./run-check.ts";
import { holdJob, resultOf } from "./run-check.ts";

export function jobsOf({ definition }: Pick<TaskRecord, "definition">): CheckJob[] {
  return [
    ...definition.verify.map((check): CheckJob => ({ ...check, kind: "verify" })),
    ...definition.guards.map((check): CheckJob => ({ ...check, kind: "guard" })),
  ];
}

export function hold({ context, record, signal }: Landing, job: CheckJob, dir: string): Promise<HeldJob> {
  return holdJob(context, job, { dir, task: record.row, attempt: record.row.attempts }, signal);
}

export type Checked = { green: true; unrecorded: CheckResult[] } | { green: false; end: RoundEnd };

/** The last green one is recorded together with the landing where nothing but the store has to move. */
export async function runChecks(
  landing: Landing,
  token: number,
  candidate: Candidate,
  jobs: CheckJob[],
  first: HeldJob | null,
): Promise<Checked> {
  let job = first;
  for (let i = 0; job !== null; i++) {
    const end = await job.held.release();
    await endInside(landing, job, candidate.dir);
    const result = resultOf(job, end, candidate.tree);
    if (result === null) return { green: false, end: await endOfKilled(landing, token) };
    if (result.outcome !== "green") return { green: false, end: await recordRed(landing, token, result) };
    const following = jobs[i + 1];
    if (following === undefined && candidate.commit === null) return { green: true, unrecorded: [result] };
    job = following === undefined ? null : await hold(landing, following, candidate.dir);
    const answer = await record(landing, token, result, "task", job);
    if (answer.ok && !isReviewDue(answer)) continue;
    await job?.held.abandon();
    return { green: false, end: answer.ok ? "decided" : endOfRefusal(answer.rejection) };
  }
  return { green: true, unrecorded: [] };
}

/** What cleared its marks and left its group is still known by where it works, if that is a place of lockstep's own. */
async function endInside({ context, record }: Landing, { held }: HeldJob, dir: string): Promise<void> {
  if (record.row.mode === "worktree" && held.process !== null) await context.processes.killInside(dir, held.process);
}

/** After green checks a review may be due: then nothing lands yet. */
function isReviewDue(answer: Answer): boolean {
  return answer.events.some((event) => event.type === "landing.ended");
}

/** The check was killed: this process is to stop, or the task is no longer to be landed, which ends the landing. */
async function endOfKilled(landing: Landing, token: number): Promise<RoundEnd> {
  if (landing.stop?.aborted) return "stopped";
  const { target } = landing;
  const cause = "environment";
  const text = "its check was killed";
  const answer = await submit(landing, { type: "landing.fail", ...ofTask(landing), target, token, cause, text });
  return answer.ok ? "decided" : endOfRefusal(answer.rejection);
}

async function recordRed(landing: Landing, token: number, result: CheckResult): Promise<RoundEnd> {
  const blame = await blameFor(landing, result);
  const answer = await record(landing, token, result, blame, null);
  return answer.ok ? "decided" : endOfRefusal(answer.rejection);
}

/** A red `verify` is by this task; a guard is compared with the tree that the work started from (spec, section 7). */
async function blameFor({ context, record }: Landing, result: CheckResult): Promise<Blame> {
  if (result.outcome === "error") return "environment";
  if (result.kind === "verify") return "task";
  const tree = record.attempt?.base_tree ?? null;
  const before = tree === null ? null : await context.store.guardOutcome(record.row.plan, tree, result.command);
  return before !== null && before !== "green" ? "base" : "task";
}

function record(
  landing: Landing,
  token: number,
  result: CheckResult,
  blame: Blame,
  next: HeldJob | null,
): Promise<Answer> {
  return submit(landing, {
    type: "check.record",
    ...ofTask(landing),
    target: landing.target,
    token,
    result,
    blame,
    next: underWay(next),
  });
}
