/** Takes a task that is claimed done to its proof: candidate, checks on it, then the move of the target. */

import { invariant } from "../core/assert.ts";
import { checkMark } from "../core/attempt/marks.ts";
import { homesName } from "../core/attempt/spool-name.ts";
import { isReviewDue } from "../core/lane/lane.ts";
import { matchesGlob } from "../core/plan/overlap.ts";
import type { LandingFail } from "../core/task/commands/landings.ts";
import type { CheckResult, LandingRow } from "../core/task/rows.ts";
import type { TaskRecord } from "../ports/store.ts";
import type { Candidate, Preparing, WorkspaceRefusal } from "../ports/workspace.ts";
import type { EngineContext } from "./context.ts";
import { holderOf } from "./context.ts";
import { greenBefore } from "./green-before.ts";
import { hold, jobsOf, runChecks } from "./landing-checks.ts";
import { landingMessage } from "./landing-message.ts";
import { outsideFiles, outsideText } from "./landing-ownership.ts";
import { landingTarget } from "./landing-target.ts";
import type { Landing, Opening, RoundEnd } from "./landing-work.ts";
import { endOfRefusal, isPending, ofTask, open, submit, underWay } from "./landing-work.ts";
import { regainPlace } from "./place.ts";
import type { HeldJob } from "./run-check.ts";
import { letGo, takeInHand, takeOver } from "./take-over.ts";
import { watchWanted } from "./watch-wanted.ts";

/** How often a landing starts anew because the target moved under it, or another process was faster. */
const ROUNDS_MAX = 3;

export type LandingEnd =
  /** The task has left `claimed_done`, or a review or person is next; its row says where to. */
  | { ended: true }
  /** Another living process checks and lands on this target. */
  | { ended: false; held: LandingRow }
  /** This process was told to stop, or another attempt has the place; the task stays claimed done. */
  | { ended: false; held: null };

/**
 * Aborting `signal` kills the check under way; the task stays claimed done for the next engine. An `opening` that is still
 * to make the task claimed done is submitted on the way, whatever comes of the landing.
 */
export async function landTask(
  context: EngineContext,
  record: TaskRecord,
  planName: string,
  signal?: AbortSignal,
  opening: Opening | null = null,
): Promise<LandingEnd> {
  const { row } = record;
  const target = landingTarget(record);
  const place = { plan: planName, slug: row.slug, n: row.attempts };
  const watch = watchWanted(context, () => isStillToLand(context, record), signal);
  const call = { context, record, place, target, dir: context.project.root };
  const landing: Landing = { ...call, stop: signal, signal: watch.signal, tokens: [], opening };
  try {
    let last: RoundEnd = "target_moved";
    for (let round = 0; round < ROUNDS_MAX; round++) {
      const taken = await takeOver(context, record, target, landing.tokens, place);
      if ("held" in taken) return { ended: false, held: taken.held };
      if (taken.landed || !(isPending(opening) || (await isClaimedDone(landing)))) return { ended: true };
      const end = await checkAndLand(landing, taken.over);
      if (end === "stopped") return { ended: false, held: null };
      if (end === "decided") await context.workspace.save(place);
      // Nothing of the task goes on: no conversation is taken up again.
      if (end === "landed") await context.blobs.remove(homesName(row));
      if (end === "decided" || end === "landed") return { ended: true };
      last = end;
    }
    return await giveUp(landing, last);
  } finally {
    letGo(context.project.id, target, landing.tokens);
    await watch.close();
    if (isPending(opening)) await open(context, opening);
  }
}

/** An operator, or a new revision of the plan, may end a task while it is checked: then its check is killed. */
async function isStillToLand({ store }: EngineContext, { row }: TaskRecord): Promise<boolean> {
  const now = (await store.task(row.plan, row.id))?.row;
  // In progress by this very attempt: its landing has not begun yet.
  const stands = now?.state === "claimed_done" || now?.state === "in_progress";
  return stands && now.attempts === row.attempts;
}

/** The record may be older than what others have done since. */
async function isClaimedDone({ context, record: { row } }: Landing): Promise<boolean> {
  const now = (await context.store.task(row.plan, row.id))?.row;
  return now?.state === "claimed_done" && now.attempts === row.attempts;
}

async function checkAndLand(landing: Landing, before: number | null): Promise<RoundEnd> {
  const { context, record } = landing;
  const regained = await regainPlace(context, record, landing.place);
  if (regained === "busy") return "stopped";
  if (typeof regained !== "string") return failAtOnce(landing, before, "environment", regained.text);
  // Building a candidate in a repository may move refs, which only the landing's holder may do.
  const over = landing.target.startsWith("refs/") ? await begin(landing, before, nothing(landing), null) : before;
  if (over === null && landing.target.startsWith("refs/")) return "overtaken";
  const message = landingMessage(record.row);
  const base = record.attempt?.base ?? null;
  const target = landing.target.startsWith("refs/") ? landing.target : null;
  const candidate = await context.workspace.candidate({
    ...{ ...landing.place, message, base, target, clean: record.definition.clean },
    ...(record.row.rulings?.protected_files === "keep_mine" ? { protect: protectedGlobs(landing) } : {}),
    ...preparing(landing),
  });
  if ("code" in candidate && landing.stop?.aborted) return "stopped";
  if ("code" in candidate) return failAtOnce(landing, over, causeOf(candidate), candidate.text);
  const refusal = refusalOf(landing, candidate, regained === "reopened") ?? (await greenBefore(landing));
  if (refusal !== null) return failAtOnce(landing, over, refusal.cause, refusal.text, candidate);
  const jobs = jobsOf(record);
  const first = jobs[0] ? await hold(landing, jobs[0], candidate.dir) : null;
  const begun = await begin(landing, over, candidate, first);
  if (begun === null) {
    await first?.held.abandon();
    return "overtaken";
  }
  // Kept before the target moves: a crash in between then leaves nothing landed whose proof is missing.
  const [checked, unkept] = await Promise.allSettled([
    runChecks(landing, begun, candidate, jobs, first),
    candidate.commit === null ? null : context.workspace.pin(landing.place, candidate.commit),
  ]);
  if (checked.status === "rejected") throw checked.reason;
  if (unkept.status === "rejected") throw unkept.reason;
  if (!checked.value.green) return checked.value.end;
  if (unkept.value !== null) return fail(landing, begun, "environment", unkept.value.text);
  return moveTarget(landing, begun, candidate, checked.value.unrecorded);
}

/** Its place may have to be set up first, which a stop ends as it ends a check. */
function preparing({ record: { row }, signal }: Landing): Preparing {
  return { signal, marks: checkMark({ plan: row.plan, task: row.id, attempt: row.attempts }) };
}

/** A conflict is nobody's fault; a place that only its repository or a person can free asks one; the rest is the attempt's. */
function causeOf({ code }: WorkspaceRefusal): LandingFail["cause"] {
  if (code === "conflict") return "conflict";
  return code === "busy" || code === "target_checked_out" || code === "missing_base"
    ? "environment"
    : "workspace_broken";
}

interface Refusal {
  cause: LandingFail["cause"];
  text: string;
}

/** What no check has to tell. */
function refusalOf(landing: Landing, candidate: Candidate, isReopened: boolean): Refusal | null {
  const { definition, row } = landing.record;
  const guarded = row.rulings?.protected_files === "allow" ? [] : protectedChanges(landing, candidate);
  if (guarded.length > 0)
    return { cause: "protected_files", text: `protected files were changed: ${guarded.join(", ")}` };
  const outside = definition.outside === "refuse" ? outsideFiles(definition, candidate) : null;
  if (outside !== null) return { cause: "scope_broken", text: outsideText(definition, outside) };
  if (candidate.changed.length > 0) return null;
  if (isReopened)
    return {
      cause: "conflict",
      text: "other work was done in the checkout meanwhile: this task's is kept at a saved ref",
    };
  if (definition.changes !== "required") return null;
  return { cause: "no_changes", text: "the task requires changes, and the attempt left none" };
}

/** Commits who checks what, on which tree, before anything of it runs. Null when the landing is not ours to begin. */
async function begin(
  landing: Landing,
  over: number | null,
  candidate: Candidate,
  first: HeldJob | null,
): Promise<number | null> {
  const { context, target, record } = landing;
  const outside = outsideFiles(record.definition, candidate);
  const answer = await submit(landing, {
    type: "landing.begin",
    ...ofTask(landing),
    attempt: record.row.attempts,
    target,
    holder: holderOf(context),
    tip: candidate.tip,
    candidate: candidate.commit,
    tree: candidate.tree,
    check: underWay(first),
    over,
    ...(outside === null ? {} : { outside }),
  });
  if (!answer.ok) return null;
  const begun = answer.events.find((event) => event.type === "landing.begun");
  invariant(begun?.type === "landing.begun", "a begun landing is an event");
  const { token } = begun.data.landing;
  landing.tokens.push(token);
  takeInHand(context.project.id, target, token);
  return token;
}

async function moveTarget(
  landing: Landing,
  token: number,
  candidate: Candidate,
  checks: CheckResult[],
): Promise<RoundEnd> {
  const { target, place, context } = landing;
  const isForReview = await isReviewNext(landing);
  // The fence before the one act that cannot be taken back: whoever took the landing over moves the target.
  if ((await context.store.landing(context.project.id, target))?.token !== token) return "overtaken";
  const landed = isForReview ? null : await context.workspace.land(place, candidate);
  if (landed?.landed === false) {
    if (landed.reason === "target_moved" || landed.reason === "undone") return landed.reason;
    return fail(landing, token, "environment", landed.text);
  }
  const sha = candidate.commit;
  const moved = !isForReview;
  const answer = await submit(landing, { type: "landing.move", ...ofTask(landing), target, token, sha, moved, checks });
  const others = ["stale_token", "landing_void"];
  invariant(
    answer.ok || others.includes(answer.rejection.code),
    `${landing.target} was moved, but the store refused it`,
  );
  if (moved) return "landed";
  return answer.ok ? "decided" : "overtaken";
}

/** Nothing lands before its verdict. */
async function isReviewNext({ context, record: { row, definition } }: Landing): Promise<boolean> {
  const plan = await context.store.plan(row.plan);
  const lane = plan?.policy.lanes[definition.lane];
  invariant(lane, `plan ${row.plan} has no lane ${definition.lane}`);
  return isReviewDue(lane, row.phase);
}

/** What needs no check to be refused still takes the landing first: only its holder may speak for it. */
async function failAtOnce(
  landing: Landing,
  over: number | null,
  cause: LandingFail["cause"],
  text: string,
  candidate?: Candidate,
): Promise<RoundEnd> {
  const token = await begin(landing, over, candidate ?? nothing(landing), null);
  return token === null ? "overtaken" : fail(landing, token, cause, text);
}

/** What stands for a candidate that is not built yet, or cannot be. */
function nothing({ dir }: Landing): Candidate {
  return { target: null, tip: null, commit: null, tree: null, changed: [], dir };
}

async function fail(landing: Landing, token: number, cause: LandingFail["cause"], text: string): Promise<RoundEnd> {
  const { target } = landing;
  const answer = await submit(landing, { type: "landing.fail", ...ofTask(landing), target, token, cause, text });
  return answer.ok ? "decided" : endOfRefusal(answer.rejection);
}

async function giveUp(landing: Landing, last: RoundEnd): Promise<LandingEnd> {
  const own = landing.tokens.at(-1);
  if (own === undefined) return { ended: false, held: null };
  const isUndone = last === "undone";
  const text = isUndone
    ? `git did not land what was checked, ${ROUNDS_MAX} times`
    : `the target moved ${ROUNDS_MAX} times while this landing was checked`;
  if ((await fail(landing, own, isUndone ? "environment" : "conflict", text)) === "decided")
    await landing.context.workspace.save(landing.place);
  return { ended: true };
}

function protectedGlobs({ context, record }: Landing): string[] {
  return [...context.settings.protect, ...record.definition.protect];
}

function protectedChanges(landing: Landing, { changed }: Candidate): string[] {
  const globs = protectedGlobs(landing);
  return changed.map((file) => file.path).filter((path) => globs.some((glob) => matchesGlob(glob, path)));
}
