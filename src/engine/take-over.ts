/** A landing that somebody else began: theirs while they live, finished from git when they died after the target moved. */

import { invariant } from "../core/assert.ts";
import { checkMark, entryOf } from "../core/attempt/marks.ts";
import type { LandingMove } from "../core/task/commands/landings.ts";
import type { LandingRow } from "../core/task/rows.ts";
import type { TaskRecord } from "../ports/store.ts";
import type { Candidate, WorkspaceTask } from "../ports/workspace.ts";
import type { EngineContext } from "./context.ts";
import { holderOf, isSameProcess } from "./context.ts";
import { takeBack } from "./take-back.ts";

/** How long a holder on another machine is believed without a sign of life. */
const FOREIGN_HOLDER_MS = 3_600_000;

/** Landings that this very process is at work on: one that it holds but has left (told to stop) is anybody's. */
const inHand = new Set<string>();

export function takeInHand(project: string, target: string, token: number): void {
  inHand.add(keyOf(project, target, token));
}

export function letGo(project: string, target: string, tokens: readonly number[]): void {
  for (const token of tokens) inHand.delete(keyOf(project, target, token));
}

function keyOf(project: string, target: string, token: number): string {
  return `${project} ${target} ${token}`;
}

export type TakeOver = { held: LandingRow } | { landed: boolean; over: number | null };

/** `own`: tokens of this call's own earlier rounds. */
export async function takeOver(
  context: EngineContext,
  record: TaskRecord,
  target: string,
  own: readonly number[],
  place: WorkspaceTask,
): Promise<TakeOver> {
  const found = await context.store.landing(context.project.id, target);
  if (found === null) return { landed: false, over: null };
  if (own.includes(found.token)) return { landed: false, over: found.token };
  if (await mayLive(context, found)) return { held: found };
  if (!(await isStillWanted(context, found))) {
    await endVoid(context, found);
    return holderNow(context, target);
  }
  await endOldCheck(context, found);
  const isOwn = found.task === record.row.id && found.plan === record.row.plan;
  const theirs = isOwn ? record : await context.store.task(found.plan, found.task);
  if (theirs === null || !(await isLanded(context, theirs, found))) return { landed: false, over: found.token };
  const landed = await finish(context, theirs, found, isOwn ? place : await placeOf(context, theirs));
  if (isOwn) return { landed, over: found.token };
  // Only the row knew that the other task's work stands on the target: it is told before another landing takes its place.
  return holderNow(context, target);
}

/** Two may have come to the same dead landing: whoever was faster may be at it still. */
async function holderNow(context: EngineContext, target: string): Promise<TakeOver> {
  const left = await context.store.landing(context.project.id, target);
  if (left !== null && (await mayLive(context, left))) return { held: left };
  return { landed: false, over: left?.token ?? null };
}

async function placeOf({ store }: EngineContext, { row }: TaskRecord): Promise<WorkspaceTask> {
  const plan = await store.plan(row.plan);
  invariant(plan, `plan ${row.plan} has no row`);
  return { plan: plan.name, slug: row.slug, n: row.attempts };
}

/** Landings that nobody takes up any more: their task was ended meanwhile, and whoever held them is dead. */
export async function endVoidLandings(context: EngineContext): Promise<void> {
  for (const landing of await context.store.landings(context.project.id))
    if (!(await isStillWanted(context, landing)) && !(await mayLive(context, landing))) await endVoid(context, landing);
}

/** Checks whose landing's holder is dead: nobody hears how they end. Landings that are still wanted wait for the next holder. */
export async function endDeadChecks(context: EngineContext): Promise<void> {
  for (const landing of await context.store.landings(context.project.id))
    if (!(await mayLive(context, landing))) await endOldCheck(context, landing);
}

/** Ends a landing whose task was ended or handed back meanwhile; what it has landed already is taken back. */
export async function endVoid(context: EngineContext, landing: LandingRow): Promise<void> {
  const { project, target, tip, candidate } = landing;
  await endOldCheck(context, landing);
  if (candidate === null || candidate === tip) return endUnwanted(context, landing);
  // Only the holder touches refs: whoever has recorded the landing, or has it now, was faster.
  const token = await adopt(context, landing);
  const theirs = await context.store.task(landing.plan, landing.task);
  if (token === null || theirs === null) return;
  takeInHand(project, target, token);
  try {
    await takeBack(context, landing, { ...(await placeOf(context, theirs)), n: landing.attempt });
    await endUnwanted(context, { ...landing, token });
  } finally {
    letGo(project, target, [token]);
  }
}

async function endUnwanted({ store, actor }: EngineContext, landing: LandingRow): Promise<void> {
  const { plan, task, target, token } = landing;
  const text = "its task was ended while it was checked";
  // Refused, because there is nothing to land any more: with the refusal the landing ends.
  await store.submit({ type: "landing.fail", plan, task, target, token, cause: "environment", text }, { actor });
}

async function endOldCheck({ processes }: EngineContext, found: LandingRow): Promise<void> {
  if (found.check) await processes.kill(found.check.process);
  if (found.holder.node === processes.self().node) await processes.killBearers(entryOf(checkMark(found)));
}

async function mayLive(context: EngineContext, landing: LandingRow): Promise<boolean> {
  const { holder, begun_at, project, target, token } = landing;
  const { processes, clock } = context;
  const self = processes.self();
  if (isSameProcess(holder, self)) return inHand.has(keyOf(project, target, token));
  if (holder.node === self.node) return processes.alive(holder);
  // Nobody here sees whether it lives; an operator who knows better requeues or ends its task.
  return clock.now() - begun_at < FOREIGN_HOLDER_MS && (await isStillWanted(context, landing));
}

async function isStillWanted({ store }: EngineContext, { plan, task, attempt }: LandingRow): Promise<boolean> {
  const row = (await store.task(plan, task))?.row;
  return row?.state === "claimed_done" && row.attempts === attempt;
}

/** The candidate is new work of the task's last attempt and stands on the target: only the store has not heard of it. */
async function isLanded({ workspace }: EngineContext, { row }: TaskRecord, found: LandingRow): Promise<boolean> {
  if (found.attempt !== row.attempts) return false;
  if (found.candidate === null || found.candidate === found.tip) return false;
  return workspace.holds(found.target, found.candidate);
}

/** False when its checks were not all recorded, which only a landing that never moved its target can have. */
async function finish(
  context: EngineContext,
  { row }: TaskRecord,
  found: LandingRow,
  place: WorkspaceTask,
): Promise<boolean> {
  const { plan, target, candidate } = found;
  const token = await adopt(context, found);
  if (token === null) return false;
  // The target has moved, but its holder may have died before the checkout came after it; saying it again brings that along.
  if (row.mode === "in_place") await context.workspace.land(place, candidateOf(context, found));
  const command: LandingMove = {
    type: "landing.move",
    plan,
    task: row.id,
    target,
    token,
    sha: candidate,
    moved: true,
    checks: [],
  };
  const moved = await context.store.submit(command, { actor: context.actor });
  return moved.ok;
}

/** Takes a landing on as it stands. Its new token, or null when it is another's by now, or over. */
async function adopt(context: EngineContext, { plan, task, target, token }: LandingRow): Promise<number | null> {
  const holder = holderOf(context);
  const command = { type: "landing.adopt", plan, task, target, holder, over: token } as const;
  const answer = await context.store.submit(command, { actor: context.actor });
  const begun = answer.events.find((event) => event.type === "landing.begun");
  return answer.ok && begun?.type === "landing.begun" ? begun.data.landing.token : null;
}

function candidateOf({ project }: EngineContext, { target, tip, candidate, tree }: LandingRow): Candidate {
  return { dir: project.root, target, tip, commit: candidate, tree, changed: [] };
}
