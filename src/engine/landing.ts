/** Takes a task that is claimed done to its proof: candidate, checks on it, then the move of the target. */

import { invariant } from "../core/assert.ts";
import { checkMark } from "../core/attempt/marks.ts";
import { homesName } from "../core/attempt/spool-name.ts";
import { isReviewDue } from "../core/lane/lane.ts";
import type { LandingFail } from "../core/task/commands/landings.ts";
import type { CheckResult, LandingRow } from "../core/task/rows.ts";
import type { TaskRecord } from "../ports/store.ts";
import type { Candidate, Preparing } from "../ports/workspace.ts";
import { releaseMended } from "./answer.ts";
import type { EngineContext } from "./context.ts";
import { holderOf } from "./context.ts";
import { hold, runChecks } from "./landing-checks.ts";
import { landingCommit } from "./landing-message.ts";
import { outsideFiles, protectedGlobs } from "./landing-ownership.ts";
import { causeOf, refusalOf } from "./landing-refusals.ts";
import { landingTarget } from "./landing-target.ts";
import type { Landing, Opening, RoundEnd } from "./landing-work.ts";
import { endOfRefusal, isPending, ofTask, open, submit, underWay } from "./landing-work.ts";
import { regainPlace } from "./place.ts";
import { endUnpublished, isOff, isToPublish, type NotPublished, publishCandidate } from "./publish.ts";
import { jobsToRun, publishedCandidate } from "./published-candidate.ts";
import type { HeldJob } from "./run-check.ts";
import { endVoid, letGo, takeInHand, takeOver } from "./take-over.ts";
import { watchWanted } from "./watch-wanted.ts";

/**
 * How often a landing starts anew because the target moved under it, or another process was faster. The landing is held
 * from the first to the last of them, so that nothing else of lockstep lands in between.
 */
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
      if (end === "landed") await releaseMended(context, row.plan);
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
  const base = record.attempt?.base ?? null;
  const target = landing.target.startsWith("refs/") ? landing.target : null;
  const published = await publishedCandidate(landing, preparing(landing));
  if (published !== null && "cause" in published) return publicationEnds(landing, over, published);
  const candidate =
    published ??
    (await context.workspace.candidate({
      ...{ ...landing.place, ...landingCommit(landing), base, target, clean: record.definition.clean },
      ...(record.row.rulings?.protected_files === "keep_mine" ? { protect: protectedGlobs(landing) } : {}),
      ...preparing(landing),
    }));
  if ("code" in candidate && landing.stop?.aborted) return "stopped";
  if ("code" in candidate) return failAtOnce(landing, over, causeOf(candidate), candidate.text);
  // What was published has passed all that, and what was merged is what people made of it.
  const refusal = published === null ? await refusalOf(landing, candidate, regained === "reopened") : null;
  if (refusal !== null) return failAtOnce(landing, over, refusal.cause, refusal.text, candidate);
  const jobs = jobsToRun(record, candidate.tree);
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

/** The landing is not begun yet where nothing lands in a repository; work that is published always has one. */
function publicationEnds(landing: Landing, over: number | null, ended: NotPublished): Promise<RoundEnd> | RoundEnd {
  if (landing.stop?.aborted) return "stopped";
  invariant(over !== null, "work is published from a repository");
  return endUnpublished(landing, over, ended);
}

/** Its place may have to be set up first, which a stop ends as it ends a check. */
function preparing({ record: { row }, signal }: Landing): Preparing {
  return { signal, marks: checkMark({ plan: row.plan, task: row.id, attempt: row.attempts }) };
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
  if (!isForReview && (await isToPublish(landing, candidate))) return publishCandidate(landing, token, candidate);
  const isKept = isForReview || (await isOff(landing));
  const landed = isKept ? null : await context.workspace.land(place, candidate);
  if (landed?.landed === false) {
    if (landed.reason === "target_moved" || landed.reason === "undone") return landed.reason;
    return fail(landing, token, "environment", landed.text);
  }
  const sha = candidate.commit;
  const moved = !isKept;
  const answer = await submit(landing, { type: "landing.move", ...ofTask(landing), target, token, sha, moved, checks });
  const others = ["stale_token", "landing_void"];
  invariant(
    answer.ok || others.includes(answer.rejection.code),
    `${landing.target} was moved, but the store refused it`,
  );
  if (answer.ok) return moved ? "landed" : "decided";
  if (!moved) return "overtaken";
  // Whoever took the landing over tells the store that it has landed.
  if (answer.rejection.code !== "landing_void") return "landed";
  const own = await context.store.landing(context.project.id, target);
  if (own?.token === token) await endVoid(context, own);
  return "decided";
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

/** Nobody's work is to blame: it waits a while, and stands where it stood in the queue then. */
async function giveUp(landing: Landing, last: RoundEnd): Promise<LandingEnd> {
  const own = landing.tokens.at(-1);
  if (own === undefined) return { ended: false, held: null };
  const text =
    last === "undone"
      ? `git did not land what was checked, ${ROUNDS_MAX} times`
      : `the target moved ${ROUNDS_MAX} times while this landing was checked`;
  if ((await fail(landing, own, "environment", text)) === "decided")
    await landing.context.workspace.save(landing.place);
  return { ended: true };
}
