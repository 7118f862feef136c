/** `prove` written a second time, with plain git and SQL: it shares nothing with the product, so no mistake hides in both. */

import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** `store` is a file; `blobs` and `worktrees` are folders of the state directory. */
export type Place = Record<"root" | "store" | "blobs" | "worktrees" | "plan", string>;

/** By the id of each task that is verified, or should be. */
export type Verdict = { ok: boolean; tasks: Record<string, boolean> };

type Row = Record<"id" | "slug" | "state" | "target" | "landed_target" | "policy" | "tail" | "log", string> &
  Record<"landed_sha" | "landed_tree" | "body" | "rulings" | "base", string | null> &
  Record<"attempts" | "unverified" | "unlanded" | "n", number>;

const TASKS = "SELECT t.*, d.body FROM tasks t LEFT JOIN definitions d ON d.task = t.key WHERE t.plan = ?";
const ATTEMPTS = `SELECT t.id, t.attempts, a.n, a.base FROM attempts a JOIN tasks t ON t.plan = a.plan AND t.id = a.task
  WHERE t.plan = ? AND t.state = 'verified' AND t.unverified = 0 ORDER BY a.started_at`;
const GREEN = `SELECT log, tail FROM checks WHERE plan = ? AND task = ? AND attempt = ? AND kind = ? AND command = ?
  AND tree IS ? AND outcome = 'green' AND exit_code = 0 ORDER BY rowid DESC LIMIT 1`;

/** `rerun`: what landed is checked once more, in a clone. */
export function independentProof(place: Place, rerun = false): Verdict {
  const sql = (text: string, ...values: (string | number | null)[]) => query(place.store, text, values);
  const git: Git = (...args) => run(place.root, args);
  const [plan] = sql("SELECT id, policy FROM plans WHERE name = ?", place.plan);
  if (plan === undefined) throw new Error(`there is no plan ${place.plan}`);
  const { workspace, land } = JSON.parse(plan.policy);
  const all = sql(TASKS, plan.id);
  const verified = all.filter(({ state }) => state === "verified");
  const attempts = sql(ATTEMPTS, plan.id);
  const pins = pinsOf(git, place.plan);
  const tasks: Verdict["tasks"] = {};
  for (const task of verified) {
    const attempt = attempts.find(({ id, n, attempts: last }) => id === task.id && n === last);
    const pin = pins.find(({ slug, n }) => slug === task.slug && n === task.attempts)?.commit;
    const isLanded = !isRef(task) || (pin === task.landed_sha && landed(git, task, attempt, land.base));
    const isGreen = checksOf(task).every(([kind = "", command = ""]) => {
      const [check] = sql(GREEN, plan.id, task.id, task.attempts, kind, command, task.landed_tree);
      return check !== undefined && isWhole(join(place.blobs, check.log), check.tail);
    });
    const isProved = attempt !== undefined && task.body !== null && isLanded && isGreen;
    tasks[task.id] = task.unverified === 1 || (isProved && (!rerun || greenAgain(place.root, task)));
  }
  const known = verified.map(({ landed_sha }) => landed_sha);
  for (const { slug, n, commit } of pins.filter((pin) => verified.every((task) => task.slug !== pin.slug))) {
    const id = /\nLockstep-Task: (.*)$/.exec(git("log", "-1", "--format=%B", commit))?.[1];
    const task = all.find((each) => each.id === id);
    const isLost = task === undefined || (task.slug === slug && task.state !== "claimed_done");
    const isMoving = all.some((each) => each.slug === slug && each.state === "claimed_done" && each.attempts === n);
    if (isMoving || (id !== undefined && isLost && holds(git, land.target, commit))) known.push(commit);
    if (id !== undefined && isLost && holds(git, land.target, commit)) tasks[id] = false;
  }
  const base = attempts.find((each) => each.base !== null)?.base;
  const isBranch = base != null && isRef(land) && exists(git, land.target);
  const line = isBranch ? lines(git("rev-list", "--first-parent", land.target, `^${base}`)) : [];
  const strange = line.filter((commit) => !known.includes(commit));
  const isLine = strange.every((each) => workspace === "in_place" && isTrueMerge(git, each));
  const isComplete = !isBranch || git("rev-list", "--objects", "--quiet", land.target, `^${base}`) !== FAILED;
  const waiting = all.filter((task) => task.unlanded === 1 && /^(pending|blocked|failed)$/.test(task.state));
  const isKept = waiting.every((task) => !isRef(task) || isSaved(git, place, task.slug));
  const [count] = sql("SELECT n FROM counters WHERE scope = ? AND name = 'verified'", plan.id);
  const isAll = (count?.n ?? 0) === verified.length && Object.values(tasks).every(Boolean);
  return { ok: isAll && isLine && isComplete && isKept, tasks };
}

type Git = (...args: string[]) => string;
const FAILED = "(failed)";

function run(cwd: string, args: string[], input = ""): string {
  const { status, stdout } = spawnSync("git", args, { cwd, input, encoding: "utf8", maxBuffer: 1 << 28 });
  return status === 0 ? stdout.trimEnd() : FAILED;
}

const lines = (text: string) => text.split("\n").filter(Boolean);
const isRef = ({ target }: { target: string }) => target.startsWith("refs/");
const exists = (git: Git, ref: string) => git("rev-parse", "-q", "--verify", ref) !== FAILED;
const holds = (git: Git, ref: string, commit: string) => git("merge-base", "--is-ancestor", commit, ref) !== FAILED;

function query(file: string, text: string, values: (string | number | null)[]): Row[] {
  const load = createRequire(import.meta.url);
  const isBuiltIn = Number(process.versions.node.split(".")[0]) >= 24;
  const database = isBuiltIn ? new (load("node:sqlite").DatabaseSync)(file) : new (load("better-sqlite3"))(file);
  const rows = database.prepare(text).all(...values);
  database.close();
  return rows;
}

function pinsOf(git: Git, plan: string) {
  const format = "--format=%(refname:lstrip=4) %(objectname)";
  const refs = lines(git("for-each-ref", format, `refs/lockstep/attempts/${plan}/`)).map((ref) => ref.split(/[/ ]/));
  return refs.map(([slug = "", n, commit = ""]) => ({ slug, n: Number(n), commit }));
}

function landed(git: Git, task: Row, attempt: Row | undefined, base: string | null): boolean {
  const { landed_sha: sha, landed_tree: tree, target } = task;
  if (sha === null || task.landed_target !== target || git("rev-parse", `${sha}^{tree}`) !== tree) return false;
  if (!isTrueMerge(git, sha, JSON.parse(task.rulings ?? "{}").protected_files === "keep_mine")) return false;
  return isPresent(git, base === null || exists(git, target) ? target : base, sha, attempt?.base ?? sha);
}

/** The commit, all of its work as one patch, or each of its commits as a patch of its own. */
function isPresent(git: Git, branch: string, sha: string, base: string): boolean {
  if (holds(git, branch, sha) || !exists(git, branch)) return exists(git, branch);
  const idsOf = (patch: string) => lines(run(".", ["patch-id", "--stable"], patch)).map((line) => line.split(" ")[0]);
  const there = idsOf(git("log", "-p", "--no-merges", branch, `^${base}`));
  const own = idsOf(git("log", "-p", "--no-merges", sha, `^${branch}`, `^${base}`));
  const isThere = (ids: (string | undefined)[]) => ids.every((id) => there.includes(id));
  return (own.length > 0 && isThere(own)) || isThere(idsOf(git("diff", base, sha)));
}

function isTrueMerge(git: Git, commit: string, mayKeep = false): boolean {
  const [ours = "", theirs, ...others] = git("show", "-s", "--format=%P", commit).split(" ");
  const merged = theirs === undefined || others.length > 0 ? FAILED : git("merge-tree", "--write-tree", ours, theirs);
  if (merged === FAILED) return true;
  const differing = lines(git("diff-tree", "-r", "--name-only", merged, commit));
  return differing.every((path) => mayKeep && git("diff-tree", "-r", "--name-only", ours, commit, "--", path) === "");
}

function checksOf({ body }: Row): string[][] {
  const { verify = [], guards = [] } = JSON.parse(body ?? "{}") as Record<string, { run: string }[]>;
  return [...verify.map(({ run: command }) => ["verify", command]), ...guards.map((each) => ["guard", each.run])];
}

function isWhole(file: string, tail: string): boolean {
  const text = existsSync(file) ? readFileSync(file, "utf8").replaceAll("\0", "\ufffd") : null;
  return text !== null && (tail.length < 3_999 ? text === tail : text.endsWith(tail));
}

/** A worktree that is taken still holds what its attempt left. */
function isSaved(git: Git, { plan, worktrees: folder }: Place, slug: string): boolean {
  const taken = existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith(".taken.json")) : [];
  const refs = git("for-each-ref", `refs/heads/lockstep-work/${plan}/${slug}`, `refs/lockstep/saved/${plan}/${slug}/`);
  return refs !== "" || taken.some((name) => JSON.parse(readFileSync(join(folder, name), "utf8")).slug === slug);
}

function greenAgain(root: string, task: Row): boolean {
  if (task.landed_sha === null) return true;
  const dir = mkdtempSync(join(tmpdir(), "independent-prove-"));
  run(dir, ["clone", "-q", "--shared", "--no-checkout", root, "."]);
  const isOut = run(dir, ["checkout", "-q", "--detach", task.landed_sha]) !== FAILED;
  const ends = checksOf(task).map(([, command = ""]) => spawnSync("bash", ["-c", command], { cwd: dir }).status);
  rmSync(dir, { recursive: true, force: true });
  return isOut && ends.every((status) => status === 0);
}
