/** Re-derives from the repository and the rows, trusting no log, that each verified task is landed, checked and whole. */

import { landedTask } from "../core/task/commit-message.ts";
import type { AttemptRow, PlanRow, TaskRow } from "../core/task/rows.ts";
import type { TaskRecord } from "../ports/store.ts";
import { PAGE } from "../ports/store.ts";
import type { PinnedAttempt } from "../ports/workspace.ts";
import type { EngineContext } from "./context.ts";
import { jobsOf } from "./landing-checks.ts";
import { proveLine } from "./prove-line.ts";
import { logProblem } from "./prove-log.ts";

export interface TaskProof {
  id: string;
  ok: boolean;
  /** The commit that landed; null where nothing is landed. */
  landed: string | null;
  /** Of that commit, as the repository has it; in a plain directory as it was hashed. */
  tree: string | null;
  /** Verified by an operator's word: nothing is proved of it. */
  unverified: boolean;
  checks: { command: string; exit_code: number | null }[];
  problems: string[];
}

export interface Proof {
  ok: boolean;
  tasks: TaskProof[];
  /** What is wrong with the plan as a whole. */
  problems: string[];
  /** What is worth knowing, and nothing wrong. */
  notes: string[];
}

interface Proving {
  context: EngineContext;
  plan: PlanRow;
  /** By `slug/n`. */
  pinned: ReadonlyMap<string, PinnedAttempt>;
  /** Of the tasks that were looked at so far. */
  attempts: AttemptRow[];
}

/** Of one task, or of every task of the plan that is verified, and of what says that there should be more. */
export async function provePlan(context: EngineContext, plan: PlanRow, task: TaskRow | null = null): Promise<Proof> {
  const found = await context.workspace.pinned(plan.name);
  const problems = "code" in found ? [`the repository cannot be read: ${found.text}`] : [];
  const attempts = "code" in found ? [] : found;
  const proving: Proving = {
    ...{ context, plan, attempts: [] },
    pinned: new Map(attempts.map((each) => [keyOf(each), each])),
  };
  if (task !== null) return proofOf([await proveTask(proving, task)], problems);
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
  return proofOf(tasks, [...problems, ...problem, ...line.problems], line.notes);
}

function proofOf(tasks: TaskProof[], problems: string[], notes: string[] = []): Proof {
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
    if (row.target.startsWith("refs/")) await proveLanding(proving, row, attempt, proof);
    if (attempt === undefined) proof.problems.push(`the row of its attempt ${row.attempts} is gone`);
    if (record) await proveChecks(context, record, proof);
    else proof.problems.push("its definition is gone from the store");
  }
  return { ...proof, ok: proof.problems.length === 0 };
}

/** The commit is on the target, it is the one that the attempt's ref keeps, and its tree is the one that was checked. */
async function proveLanding(
  { context, pinned, plan }: Proving,
  row: TaskRow,
  attempt: AttemptRow | undefined,
  proof: TaskProof,
): Promise<void> {
  const { attempts: n, slug, landed_sha, landed_target, landed_tree } = row;
  const kept = pinned.get(keyOf({ slug, n }));
  if (kept === undefined) proof.problems.push(`the ref of its attempt ${n} is gone`);
  if (plan.policy.land.mode === "off" && landed_target === null) return proveKept(context, row, kept, proof);
  if (landed_sha === null || landed_target === null) {
    proof.problems.push("its row names no commit that landed");
    return;
  }
  if (kept !== undefined && kept.commit !== landed_sha)
    proof.problems.push(`the ref of its attempt ${n} is ${kept.commit}, not what landed`);
  if (landed_target !== row.target) proof.problems.push(`it landed on ${landed_target}, not on ${row.target}`);
  const claim = { target: row.target, commit: landed_sha, base: attempt?.base ?? null };
  const landing = await context.workspace.proof(claim);
  if (landing === null || "code" in landing) {
    proof.problems.push(landing === null ? "this place has no repository any more" : landing.text);
    return;
  }
  proof.tree = landing.tree;
  if (!landing.present) proof.problems.push(`${row.target} does not have its commit ${landed_sha}`);
  if (landing.tree === null) proof.problems.push(`its commit ${landed_sha} is gone from the repository`);
  else if (landing.tree !== landed_tree) proof.problems.push(`the landed tree is ${landing.tree}, not ${landed_tree}`);
}

/** Nothing landed: the attempt's ref keeps the commit whose tree was checked. */
async function proveKept(
  { workspace }: EngineContext,
  { landed_sha, landed_tree, target }: TaskRow,
  kept: PinnedAttempt | undefined,
  proof: TaskProof,
): Promise<void> {
  if (landed_sha === null || kept?.commit !== landed_sha)
    proof.problems.push(`its work is not kept: the attempt's ref is ${kept?.commit ?? "gone"}, not ${landed_sha}`);
  const found = landed_sha === null ? null : await workspace.proof({ target, commit: landed_sha, base: null });
  if (found === null || "code" in found)
    return void proof.problems.push(found?.text ?? "there is no repository any more");
  proof.tree = found.tree;
  if (found.tree !== landed_tree) proof.problems.push(`the tree of its work is ${found.tree}, not ${landed_tree}`);
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
