/** Takes a task that is claimed done to its proof: candidate, checks on it, then the move of the target. */

import { invariant } from "../core/assert.ts";
import { matchesGlob } from "../core/plan/overlap.ts";
import type { Blame, LandingFail, RowCommand } from "../core/task/commands.ts";
import type { CheckResult, LandingRow } from "../core/task/rows.ts";
import type { Answer, TaskRecord } from "../ports/store.ts";
import type { Candidate, WorkspaceTask } from "../ports/workspace.ts";
import type { EngineContext } from "./context.ts";
import { holderOf } from "./context.ts";
import type { CheckJob, HeldJob } from "./run-check.ts";
import { holdJob, resultOf } from "./run-check.ts";
import { takeOver } from "./take-over.ts";

/** How often a landing starts anew because the target moved under it. */
const TARGET_MOVED_MAX = 3;

export type LandingEnd =
  /** The task has left `claimed_done`, or a review or person is next; its row says where to. */
  | { ended: true }
  /** Another living process checks and lands on this target. */
  | { ended: false; held: LandingRow }
  /** This process was told to stop; the task stays claimed done. */
  | { ended: false; held: null };

interface Landing {
  context: EngineContext;
  record: TaskRecord;
  place: WorkspaceTask;
  target: string;
  dir: string;
  signal: AbortSignal | undefined;
}

/** Aborting `signal` kills the check under way; the task stays claimed done for the next engine. */
export async function landTask(
  context: EngineContext,
  record: TaskRecord,
  planName: string,
  signal?: AbortSignal,
): Promise<LandingEnd> {
  const { row } = record;
  const target = landingTarget(record);
  const place = { plan: planName, slug: row.slug, n: row.attempts };
  const landing: Landing = { context, record, place, target, dir: context.project.root, signal };
  let over: number | null = null;
  for (let round = 0; round < TARGET_MOVED_MAX; round++) {
    const taken = await takeOver(context, record, target, over);
    if ("held" in taken) return { ended: false, held: taken.held };
    if (taken.landed) return { ended: true };
    const end = await checkAndLand(landing, taken.over);
    if (end === "stopped") return { ended: false, held: null };
    if (end === "done") await context.workspace.save(place);
    if (end !== "target_moved") return { ended: true };
    over = (await context.store.landing(context.project.id, target))?.token ?? null;
  }
  await giveUp(landing, over);
  await context.workspace.save(place);
  return { ended: true };
}

/** Tasks whose worker brings its own place share no target: each has one of its own. */
export function landingTarget({ row }: TaskRecord): string {
  return row.mode === "none" ? `none/${row.plan}/${row.slug}` : row.target;
}

/** `done`: decided otherwise than by landing, so what is uncommitted has to be kept. */
type RoundEnd = "landed" | "done" | "target_moved" | "stopped";

async function checkAndLand(landing: Landing, over: number | null): Promise<RoundEnd> {
  const { context, record } = landing;
  const message = `${record.row.title}\n\nLockstep-Task: ${record.row.id}\n`;
  const candidate = await context.workspace.candidate({
    ...landing.place,
    message,
    base: record.attempt?.base ?? null,
  });
  if ("code" in candidate) return failAtOnce(landing, over, "workspace_broken", candidate.text);
  const guarded = protectedChanges(landing, candidate);
  if (guarded.length > 0)
    return failAtOnce(
      landing,
      over,
      "protected_files",
      `protected files were changed: ${guarded.join(", ")}`,
      candidate,
    );
  if (record.definition.changes === "required" && candidate.changed.length === 0)
    return failAtOnce(landing, over, "no_changes", "the task requires changes, and the attempt left none", candidate);
  const jobs = jobsOf(record);
  const first = jobs[0] ? await hold(landing, jobs[0]) : null;
  const begun = await begin(landing, over, candidate, first);
  if (begun === null) {
    await first?.held.abandon();
    return "done";
  }
  const checked = await runChecks(landing, begun, candidate, jobs, first);
  return checked.green ? moveTarget(landing, begun, candidate, checked.unrecorded) : checked.end;
}

function jobsOf({ definition }: TaskRecord): CheckJob[] {
  return [
    ...definition.verify.map((check): CheckJob => ({ ...check, kind: "verify" })),
    ...definition.guards.map((check): CheckJob => ({ ...check, kind: "guard" })),
  ];
}

function hold({ context, record, dir, signal }: Landing, job: CheckJob): Promise<HeldJob> {
  return holdJob(context, job, { dir, task: record.row, attempt: record.row.attempts }, signal);
}

/** Commits who checks what, on which tree, before anything of it runs. Null when the landing is not ours to begin. */
async function begin(
  landing: Landing,
  over: number | null,
  candidate: Candidate,
  first: HeldJob | null,
): Promise<number | null> {
  const { context, target } = landing;
  const answer = await submit(landing, {
    type: "landing.begin",
    ...ofTask(landing),
    target,
    holder: holderOf(context),
    tip: candidate.tip,
    candidate: candidate.commit,
    tree: candidate.tree,
    check: underWay(first),
    over,
  });
  if (!answer.ok) return null;
  const begun = answer.events.find((event) => event.type === "landing.begun");
  invariant(begun?.type === "landing.begun", "a begun landing is an event");
  return begun.data.landing.token;
}

type Checked = { green: true; unrecorded: CheckResult[] } | { green: false; end: RoundEnd };

/** The last green one is recorded together with the landing where nothing but the store has to move. */
async function runChecks(
  landing: Landing,
  token: number,
  candidate: Candidate,
  jobs: CheckJob[],
  first: HeldJob | null,
): Promise<Checked> {
  let job = first;
  for (let i = 0; job !== null; i++) {
    const end = await job.held.release();
    const result = resultOf(job, end, candidate.tree);
    if (result === null) return { green: false, end: "stopped" };
    if (result.outcome !== "green") return { green: false, end: await recordRed(landing, token, result) };
    const following = jobs[i + 1];
    if (following === undefined && candidate.commit === null) return { green: true, unrecorded: [result] };
    job = following === undefined ? null : await hold(landing, following);
    const answer = await record(landing, token, result, "task", job);
    if (!answer.ok || (await leftClaimedDone(landing, answer))) {
      await job?.held.abandon();
      return { green: false, end: "done" };
    }
  }
  return { green: true, unrecorded: [] };
}

/** After green checks a review may be due: then nothing lands yet. */
async function leftClaimedDone(_landing: Landing, answer: Answer): Promise<boolean> {
  return answer.events.some((event) => event.type === "landing.ended");
}

async function recordRed(landing: Landing, token: number, result: CheckResult): Promise<RoundEnd> {
  const blame = await blameFor(landing, result);
  await record(landing, token, result, blame, null);
  return "done";
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

async function moveTarget(
  landing: Landing,
  token: number,
  candidate: Candidate,
  checks: CheckResult[],
): Promise<RoundEnd> {
  const landed = await landing.context.workspace.land(landing.place, candidate);
  if (!landed.landed) {
    if (landed.reason === "target_moved") return "target_moved";
    await submit(landing, {
      type: "landing.fail",
      ...ofTask(landing),
      target: landing.target,
      token,
      cause: "environment",
      text: landed.text,
    });
    return "done";
  }
  await submit(landing, {
    type: "landing.move",
    ...ofTask(landing),
    target: landing.target,
    token,
    sha: candidate.commit,
    checks,
  });
  return "landed";
}

/** What needs no check to be refused still takes the landing first: only its holder may speak for it. */
async function failAtOnce(
  landing: Landing,
  over: number | null,
  cause: LandingFail["cause"],
  text: string,
  candidate?: Candidate,
): Promise<RoundEnd> {
  const none: Candidate = { target: null, tip: null, commit: null, tree: null, changed: [] };
  const token = await begin(landing, over, candidate ?? none, null);
  if (token === null) return "done";
  await submit(landing, { type: "landing.fail", ...ofTask(landing), target: landing.target, token, cause, text });
  return "done";
}

async function giveUp(landing: Landing, token: number | null): Promise<void> {
  if (token === null) return;
  const text = `the target moved ${TARGET_MOVED_MAX} times while this landing was checked`;
  await submit(landing, {
    type: "landing.fail",
    ...ofTask(landing),
    target: landing.target,
    token,
    cause: "conflict",
    text,
  });
}

function protectedChanges({ context, record }: Landing, { changed }: Candidate): string[] {
  const globs = [...context.settings.protect, ...record.definition.protect];
  return changed.map((file) => file.path).filter((path) => globs.some((glob) => matchesGlob(glob, path)));
}

function underWay(job: HeldJob | null): LandingRow["check"] {
  return job?.held.process ? { command: job.job.run, process: job.held.process } : null;
}

function ofTask({ record }: Landing): { plan: string; task: string } {
  return { plan: record.row.plan, task: record.row.id };
}

function submit({ context }: Landing, command: RowCommand): Promise<Answer> {
  return context.store.submit(command, { actor: context.actor });
}
