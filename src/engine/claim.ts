/** Claims a task: one compare-and-set that any process may make, then its place made ready. */

import { checkMark } from "../core/attempt/marks.ts";
import type { Rejection } from "../core/errors.ts";
import { reject } from "../core/errors.ts";
import { shortOfDisk } from "../core/schedule/gates.ts";
import type { AttemptRow, LeaseRow } from "../core/task/rows.ts";
import type { ReadyTask, TaskRecord } from "../ports/store.ts";
import type { OpenedWorkspace, WorkspaceRefusal } from "../ports/workspace.ts";
import { recordBaselines } from "./baseline.ts";
import type { EngineContext } from "./context.ts";
import { capsFor, drawsOf, holderOf } from "./context.ts";
import { diskOf } from "./facts.ts";
import { keepLease } from "./keep-lease.ts";
import type { LiveTask } from "./live-task.ts";
import type { Asking } from "./next.ts";
import { nextTask } from "./next.ts";
import { keepAbandoned, openPlaceFor, probePlace } from "./place.ts";
import type { Failed } from "./set-aside.ts";
import { watchWanted } from "./watch-wanted.ts";

/** How often a claim of "any task" looks again when others were faster. Each look finds a task that nobody had a moment ago. */
const LOOKS_MAX = 50;

export interface ClaimRequest extends Asking {
  plan: string;
  /** Null takes the next one. */
  task: string | null;
  ttlMs: number;
  run: string | null;
  /** Takes what went wrong with one task, and the claim of "any task" goes on to the next; without it that is thrown. */
  failed?: Failed;
  /** Aborting ends the guards that are run to see how they stand before the work. */
  signal?: AbortSignal;
}

export interface Claimed {
  task: TaskRecord;
  attempt: AttemptRow;
  lease: LeaseRow;
  workspace: OpenedWorkspace;
}

export type ClaimAnswer = { claimed: Claimed } | { claimed: null; rejection: Rejection | null };

/** `raced`: another process was faster, or what it started closed a gate; the next look sees that. */
type Claiming = { claimed: Claimed } | { claimed: null; rejection: Rejection; raced: boolean };

/** `claimed: null` without a rejection means that nothing is ready. */
export async function claimTask(context: EngineContext, request: ClaimRequest): Promise<ClaimAnswer> {
  if (request.task !== null) return claimNamed(context, request, request.task);
  for (let look = 0; look < LOOKS_MAX; look++) {
    const ready = await nextTask(context, request.plan, request);
    if (!ready) break;
    const answer = await claimOrTell(context, request, ready);
    if (answer !== null && (answer.claimed || !answer.raced)) return answer;
  }
  return { claimed: null, rejection: null };
}

/** Null when something went wrong that was told. */
async function claimOrTell(context: EngineContext, request: ClaimRequest, ready: ReadyTask): Promise<Claiming | null> {
  try {
    return await claim(context, request, ready);
  } catch (error) {
    if (request.failed === undefined) throw error;
    await request.failed(ready.row.id, error);
    return null;
  }
}

async function claimNamed(context: EngineContext, request: ClaimRequest, id: string): Promise<ClaimAnswer> {
  const record = await context.store.task(request.plan, id);
  if (!record) return refused(reject("unknown_task", `the plan has no task ${id}`));
  return claim(context, request, record);
}

async function claim(context: EngineContext, request: ClaimRequest, before: ReadyTask): Promise<Claiming> {
  const { plan, kind, agent, run, ttlMs } = request;
  const { id } = before.row;
  const short = shortOfDisk({ disk: diskOf(context) });
  if (short !== null) return refused(reject("disk", `${id} cannot be claimed: ${short.text}`));
  await keepAbandoned(context);
  const place = await probePlace(context, before);
  if ("code" in place) return refused(unusable(id, place));
  const assigned = kind === "run" ? (before.definition.agent ?? agent) : agent;
  const answer = await context.store.submit(
    {
      type: "task.claim",
      plan,
      task: id,
      kind,
      agent: assigned,
      holder: holderOf(context),
      expires_at: context.clock.now() + ttlMs,
      run,
      base: { commit: place.base, tree: place.tree },
      caps: capsFor(context, assigned),
      draws_on: kind === "run" ? drawsOf(context, assigned) : [],
    },
    { actor: context.actor },
  );
  return answer.ok ? openClaimed(context, request, id, place) : refused(answer.rejection, answer.rejection.retriable);
}

/** The place is made ready under the claim; a claim whose place cannot be had after all is handed back. */
async function openClaimed(
  context: EngineContext,
  { plan, signal }: ClaimRequest,
  id: string,
  probed: OpenedWorkspace,
): Promise<Claiming> {
  const record = await context.store.task(plan, id);
  if (!record?.attempt || !record.lease) return refused(reject("stale_token", `${id} was taken over at once`));
  const live = { task: record, attempt: record.attempt, lease: record.lease };
  // What prepares a place may take longer than a lease; a worker outside lockstep chose its own.
  const isOfRun = record.attempt.kind === "run";
  const kept = isOfRun ? keepLease(context, live, null) : null;
  const watch = isOfRun ? watchWanted(context, () => isStillWanted(context, live), signal) : null;
  try {
    const marks = checkMark({ plan, task: id, attempt: record.attempt.n });
    const ending = watch?.signal ?? signal;
    const opened = await openPlaceFor(context, record, { marks, ...(ending === undefined ? {} : { signal: ending }) });
    if ("code" in opened) {
      // Told to end, it is no fault of the place: others may have it.
      const isEnded = ending?.aborted === true;
      await handBack(context, record, isEnded ? null : opened.text);
      return refused(unusable(id, opened), isEnded && signal?.aborted !== true);
    }
    if (opened.base !== probed.base) await correctBase(context, record, record.lease.token, opened);
    await recordBaselines(context, record, opened, signal);
    return { claimed: { ...live, workspace: opened } };
  } finally {
    await Promise.all([kept?.close(), watch?.close()]);
  }
}

/** Nobody asked for it to end, and its run goes on. */
async function isStillWanted({ store }: EngineContext, { task: { row }, lease }: LiveTask): Promise<boolean> {
  const found = await store.task(row.plan, row.id);
  if (found?.lease?.token !== lease.token || found.attempt?.stop) return false;
  return (await store.summary(row.plan))?.run?.state === "running";
}

function refused(rejection: Rejection, raced = false): Claiming {
  return { claimed: null, rejection, raced };
}

function unusable(id: string, { text }: WorkspaceRefusal): Rejection {
  return reject("workspace_busy", `${id} cannot be claimed: ${text}`, "Mend that, then claim again.");
}

/** The target moved between the look and the opening. */
async function correctBase(
  context: EngineContext,
  { row }: TaskRecord,
  token: number,
  { base, tree }: OpenedWorkspace,
): Promise<void> {
  const started = {
    type: "attempt.start",
    plan: row.plan,
    task: row.id,
    token,
    state: "starting",
    process: null,
  } as const;
  await context.store.submit({ ...started, base: { commit: base, tree } }, { actor: context.actor });
}

async function handBack(context: EngineContext, { row, lease }: TaskRecord, error: string | null): Promise<void> {
  if (!lease) return;
  const { unlanded, dirty } = row;
  const none = { summary: null, usage: null, cost_usd: null, unlanded, killed: dirty, verdict: null };
  await context.store.submit(
    {
      type: "attempt.settle",
      plan: row.plan,
      task: row.id,
      token: lease.token,
      outcome: "interrupted",
      error,
      ...none,
    },
    { actor: context.actor },
  );
}
