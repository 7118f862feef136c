/** Runs a task's checks on its candidate, one after the other, each recorded before the next begins. */

import { failingPart } from "../core/attempt/failing-part.ts";
import { hasOwnBranch } from "../core/plan/definition.ts";
import type { Blame } from "../core/task/commands/landings.ts";
import type { CheckResult } from "../core/task/rows.ts";
import { type Answer, PAGE, type TaskRecord } from "../ports/store.ts";
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
  let [job, at, reds] = [first, 0, 0];
  while (job !== null) {
    const end = await job.held.release();
    await endInside(landing, job, candidate.dir);
    const result = await resultOf(landing.context, job, end, candidate.tree);
    if (result === null) return { green: false, end: await endOfKilled(landing, token) };
    const isGreen = result.outcome === "green";
    if (!isGreen && !(await runsAgain(landing, result, reds)))
      return { green: false, end: await recordRed(landing, token, result) };
    const following: CheckJob | undefined = isGreen ? jobs[at + 1] : job.job;
    if (following === undefined && candidate.commit === null && reds === 0)
      return { green: true, unrecorded: [result] };
    job = following === undefined ? null : await hold(landing, following, candidate.dir);
    const said = isGreen ? { blame: "task" as const, ...(reds > 0 ? { reds } : {}) } : { blame: "unsure" as const };
    const answer = await record(landing, token, result, said, job);
    [at, reds] = isGreen ? [at + 1, 0] : [at, reds + 1];
    if (answer.ok && !isReviewDue(answer)) continue;
    await job?.held.abandon();
    return { green: false, end: answer.ok ? "decided" : endOfRefusal(answer.rejection) };
  }
  return { green: true, unrecorded: [] };
}

/** What cleared its marks and left its group is still known by where it works, if that is a place of lockstep's own. */
async function endInside({ context, record }: Landing, { held }: HeldJob, dir: string): Promise<void> {
  if (hasOwnBranch(record.row.mode) && held.process !== null) await context.processes.killInside(dir, held.process);
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
  const excerpt = result.outcome === "error" ? {} : await excerptOf(landing, result);
  const answer = await record(landing, token, result, { blame, ...excerpt }, null);
  return answer.ok ? "decided" : endOfRefusal(answer.rejection);
}

/** As much of a failure as the next brief has room for, beside the task itself. */
const EXCERPT_MAX = 6_000;

/** All that is kept of an output that was cut in the middle (spec, section 7). */
const OUTPUT_BYTES_MAX = 9 * 1024 * 1024;

/** What failed may stand far before the end. */
async function excerptOf({ context }: Landing, { log }: CheckResult): Promise<{ excerpt?: string }> {
  const output = await context.blobs.end(log, OUTPUT_BYTES_MAX);
  return output === null ? {} : { excerpt: failingPart(new TextDecoder().decode(output), EXCERPT_MAX) };
}

/** Of one guard on one tree. A whole suite may take an hour: only one that is known to be flaky gets more chances. */
const RERUNS = 1;
const RERUNS_OF_FLAKY = 3;

/** A guard that was not red before the work may be flaky: then it is green on the very same tree. */
async function runsAgain(landing: Landing, result: CheckResult, reds: number): Promise<boolean> {
  if (result.kind === "verify" || result.outcome !== "red") return false;
  const { store } = landing.context;
  const { plan } = landing.record.row;
  if (await wasRedBefore(landing, result)) return false;
  return reds < ((await store.isFlaky(plan, result.command)) ? RERUNS_OF_FLAKY : RERUNS);
}

/**
 * A red `verify` is by this task. A guard is compared with the tree that the work started from, and with what it said of the
 * same work on an earlier tip (spec, section 7).
 */
async function blameFor(landing: Landing, result: CheckResult): Promise<Blame> {
  if (result.outcome === "error") return "environment";
  if (result.kind === "verify") return "task";
  if (await wasRedBefore(landing, result)) return (await isGreenByNow(landing, result)) ? "task" : "base";
  return (await wasGreenAlone(landing, result)) ? "together" : "task";
}

async function wasRedBefore({ context, record }: Landing, { command }: CheckResult): Promise<boolean> {
  const tree = record.attempt?.base_tree ?? null;
  const before = tree === null ? null : await context.store.guardOutcome(record.row.plan, tree, command);
  // What could not be run says nothing of the tree.
  return before !== null && before !== "green" && before !== "error";
}

/** What has landed on its tip since has mended it: then the work itself is red. */
async function isGreenByNow({ context, record: { row }, target }: Landing, { command }: CheckResult): Promise<boolean> {
  const { store, project } = context;
  const tip = (await store.landing(project.id, target))?.tip ?? null;
  if (tip === null) return false;
  const landed = await store.tasks(row.plan, { state: "verified", offset: 0, limit: PAGE });
  const tree = landed.find(({ landed_sha }) => landed_sha === tip)?.landed_tree ?? null;
  return tree !== null && (await store.guardOutcome(row.plan, tree, command)) === "green";
}

/** On an earlier candidate of this attempt: only what landed since makes it red. */
async function wasGreenAlone({ context, record: { row, attempt } }: Landing, result: CheckResult): Promise<boolean> {
  const others = [result.tree, attempt?.base_tree ?? null];
  return (await context.store.checks(row.plan, row.id)).some(
    (check) =>
      check.attempt === row.attempts &&
      check.kind === "guard" &&
      check.command === result.command &&
      check.outcome === "green" &&
      !others.includes(check.tree),
  );
}

function record(
  landing: Landing,
  token: number,
  result: CheckResult,
  said: { blame: Blame; excerpt?: string; reds?: number },
  next: HeldJob | null,
): Promise<Answer> {
  return submit(landing, {
    type: "check.record",
    ...ofTask(landing),
    target: landing.target,
    token,
    result,
    ...said,
    next: underWay(next),
  });
}
