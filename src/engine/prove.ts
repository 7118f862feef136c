/** Re-derives from the repository and the rows, trusting no log, that each verified task is landed, checked and whole. */

import { landedTask } from "../core/task/commit-message.ts";
import type { AttemptRow, CheckOutcome, PlanRow, TaskRow } from "../core/task/rows.ts";
import type { TaskRecord } from "../ports/store.ts";
import { PAGE } from "../ports/store.ts";
import type { PinnedAttempt } from "../ports/workspace.ts";
import type { EngineContext } from "./context.ts";
import { jobsOf } from "./landing-checks.ts";
import { proveKept } from "./prove-kept.ts";
import { proveLanding, proveOff } from "./prove-landing.ts";
import { proveLine } from "./prove-line.ts";
import { logProblem } from "./prove-log.ts";
import { keyOf as checkOf, rerunChecks } from "./prove-rerun.ts";

export interface TaskProof {
  id: string;
  ok: boolean;
  /** The commit that landed; null where nothing is landed. */
  landed: string | null;
  /** Of that commit, as the repository has it; in a plain directory as it was hashed. */
  tree: string | null;
  /** Verified by an operator's word: nothing is proved of it. */
  unverified: boolean;
  checks: ProvedCheck[];
  problems: string[];
}

export interface ProvedCheck {
  command: string;
  /** Null: it was not green on the landed tree. */
  exit_code: number | null;
  /** How it ended when it was run anew; absent when it was not. */
  rerun?: CheckOutcome;
}

export interface Proof {
  ok: boolean;
  tasks: TaskProof[];
  /** What is wrong with the plan as a whole. */
  problems: string[];
  /** What is worth knowing, and nothing wrong. */
  notes: string[];
}

export interface ProveWish {
  /** Only this one. */
  task?: TaskRow | null;
  /** Checks are run anew; aborting stops that. Absent: what is recorded of them counts. */
  rerun?: AbortSignal;
}

interface Proving {
  context: EngineContext;
  plan: PlanRow;
  rerun: AbortSignal | null;
  notes: string[];
  /** By `slug/n`. */
  pinned: ReadonlyMap<string, PinnedAttempt>;
  /** Of the tasks that were looked at so far. */
  attempts: AttemptRow[];
}

/** Of one task, or of every task of the plan that is verified, and of what says that there should be more. */
export async function provePlan(context: EngineContext, plan: PlanRow, wish: ProveWish = {}): Promise<Proof> {
  const found = await context.workspace.pinned(plan.name);
  const problems = "code" in found ? [`the repository cannot be read: ${found.text}`] : [];
  const attempts = "code" in found ? [] : found;
  const notes: string[] = [];
  const proving: Proving = {
    ...{ context, plan, rerun: wish.rerun ?? null, notes, attempts: [] },
    pinned: new Map(attempts.map((each) => [keyOf(each), each])),
  };
  if (wish.task) return proofOf([await proveTask(proving, wish.task)], problems, notes);
  const { rows, problem } = await verifiedRows(context, plan);
  const tasks: TaskProof[] = [];
  for (const row of rows) tasks.push(await proveTask(proving, row));
  const known = new Set(rows.map(({ slug }) => slug));
  for (const attempt of attempts) {
    const lost = known.has(attempt.slug) ? null : await lostLanding(context, plan, attempt);
    if (lost !== null) tasks.push(lost);
  }
  const landed = tasks.flatMap((each) => each.landed ?? []);
  const merged = rows.flatMap(({ landed_sha, publication }) =>
    landed_sha === publication?.merge_sha ? (landed_sha ?? []) : [],
  );
  const line = await proveLine(context, plan, proving.attempts, { landed, merged });
  const kept = await proveKept(context, plan);
  const all = [...problems, ...problem, ...line.problems, ...kept.problems];
  return proofOf(tasks, all, [...new Set([...notes, ...line.notes, ...kept.notes])]);
}

function proofOf(tasks: TaskProof[], problems: string[], notes: string[]): Proof {
  return { ok: problems.length === 0 && tasks.every(({ ok }) => ok), tasks, problems, notes };
}

/** Verified rows, held against the store's own count of them. */
async function verifiedRows(
  { store }: EngineContext,
  { id }: PlanRow,
): Promise<{ rows: TaskRow[]; problem: string[] }> {
  const before = (await store.summary(id))?.tallies.verified ?? 0;
  const rows: TaskRow[] = [];
  for (;;) {
    const page = await store.tasks(id, { state: "verified", offset: rows.length, limit: PAGE });
    rows.push(...page);
    if (page.length < PAGE) break;
  }
  const after = (await store.summary(id))?.tallies.verified ?? 0;
  // A task may have been verified meanwhile.
  if (before !== after || rows.length === after) return { rows, problem: [] };
  return { rows, problem: [`${after} tasks were verified, but ${rows.length} rows say so`] };
}

async function proveTask(proving: Proving, row: TaskRow): Promise<TaskProof> {
  const { context, plan } = proving;
  const { id, unverified, landed_sha: landed, state } = row;
  const proof: TaskProof = { id, ok: true, landed, tree: row.landed_tree, unverified, checks: [], problems: [] };
  if (state !== "verified") proof.problems.push(`it is not verified: it is ${state}`);
  else if (!unverified) {
    const record = await context.store.task(plan.id, id);
    const attempts = await context.store.attempts(plan.id, id);
    proving.attempts.push(...attempts);
    const attempt = attempts.find(({ n }) => n === row.attempts);
    if (row.target.startsWith("refs/")) await addLanding(proving, row, attempt, proof);
    if (attempt === undefined) proof.problems.push(`the row of its attempt ${row.attempts} is gone`);
    if (record) await addChecks(proving, record, proof);
    else proof.problems.push("its definition is gone from the store");
  }
  return { ...proof, ok: proof.problems.length === 0 };
}

async function addLanding(
  { context, plan, pinned, notes }: Proving,
  row: TaskRow,
  attempt: AttemptRow | undefined,
  proof: TaskProof,
): Promise<void> {
  const kept = pinned.get(keyOf({ slug: row.slug, n: row.attempts }));
  const { base, mode } = plan.policy.land;
  const isOff = mode === "off" && row.landed_target === null;
  const found = await (isOff ? proveOff(context, row, kept) : proveLanding(context, { row, attempt, kept, base }));
  proof.tree = found.tree;
  proof.problems.push(...found.problems);
  notes.push(...found.notes);
}

async function addChecks(
  { context, plan, rerun, notes }: Proving,
  record: TaskRecord,
  proof: TaskProof,
): Promise<void> {
  await proveChecks(context, record, proof);
  if (rerun === null || proof.checks.length === 0) return;
  if (!record.row.target.startsWith("refs/") || proof.landed === null)
    notes.push(`the checks of ${proof.id} cannot be run anew: nothing is landed here`);
  else await addRerun(context, record, { plan: plan.name, commit: proof.landed, signal: rerun }, proof);
}

async function addRerun(
  context: EngineContext,
  record: TaskRecord,
  of: { plan: string; commit: string; signal: AbortSignal },
  proof: TaskProof,
): Promise<void> {
  const { outcomes, problems } = await rerunChecks(context, record, of);
  for (const [at, job] of jobsOf(record).entries()) {
    const rerun = outcomes.get(checkOf(job));
    if (rerun !== undefined) proof.checks[at] = { ...proof.checks[at]!, rerun };
  }
  proof.problems.push(...problems);
}

/** Each check that the task asks for was green on that very tree, and its output is still as it was. */
async function proveChecks({ store, blobs }: EngineContext, record: TaskRecord, proof: TaskProof): Promise<void> {
  const { row } = record;
  const recorded = await store.checks(row.plan, row.id);
  for (const job of jobsOf(record)) {
    const own = recorded.filter(({ kind, command }) => kind === job.kind && command === job.run);
    const isProof = (each: (typeof own)[number]): boolean =>
      each.attempt === row.attempts && each.outcome === "green" && each.exit_code === 0 && each.tree === proof.tree;
    const check = own.findLast(isProof);
    proof.checks.push({ command: job.run, exit_code: check?.exit_code ?? null });
    const problem = check
      ? await logProblem(blobs, check)
      : `${job.kind} \`${job.run}\` has not been green on its tree ${proof.tree}`;
    if (problem !== null) proof.problems.push(problem);
  }
}

/** What an attempt's ref tells of a landing that the store does not know: a row that is gone, or was changed. */
async function lostLanding(
  { store, workspace }: EngineContext,
  plan: PlanRow,
  { slug, commit, message }: PinnedAttempt,
): Promise<TaskProof | null> {
  const id = landedTask(message);
  const target = plan.policy.land.target;
  // A candidate that changed nothing is another's commit, and one that did not land is not on the target.
  if (id === null || !target.startsWith("refs/") || !(await workspace.holds(target, commit))) return null;
  const row = (await store.task(plan.id, id))?.row;
  if (row && (row.slug !== slug || row.state === "claimed_done" || row.state === "verified")) return null;
  const text = row ? `it landed, but its row says ${row.state}` : "it landed, but its row is gone";
  return { id, ok: false, landed: commit, tree: null, unverified: false, checks: [], problems: [text] };
}

function keyOf({ slug, n }: { slug: string; n: number }): string {
  return `${slug}/${n}`;
}
