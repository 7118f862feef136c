import { lstatSync } from "node:fs";
import { join } from "node:path";
import type { Checkout } from "./checkout.ts";
import { type Git, gitIn } from "./git.ts";
import { commitAt } from "./head.ts";
import { readJson, writeJson } from "./json-file.ts";
import { keepSaved, NO_COMMIT } from "./kept-refs.ts";
import { pooledWorktrees } from "./kept-worktree.ts";
import { looseRef, readLine } from "./loose-ref.ts";
import { holdsCommit } from "./move-ref.ts";
import { readRefs } from "./read-refs.ts";
import { recordedRefs, recordRef } from "./shared-refs.ts";
import { dropStaleLock } from "./stale-lock.ts";
import { shortName, targetOf, type WorktreeSettings } from "./worktree-settings.ts";
import { takenSlots } from "./worktree-slots.ts";
import { checkedOut } from "./worktree-start.ts";

/**
 * Where lockstep left each branch that plans land on: `<records>/targets.json`. The commit, and after a space the one that
 * it is about to be moved to.
 */
type Targets = Record<string, string>;

/** Commits of a target's line that are looked at for the last one that lockstep knows. */
const LINE_MAX = 10_000;

/** Notes where a target stands. Call only while holding the repository's lock. */
export function keepTarget({ records }: WorktreeSettings, target: string, commit: string): void {
  writeJson(fileIn(records), { ...readTargets(records), [target]: commit }, { isDurable: false });
}

/**
 * Notes where a target is about to be moved to: after a crash it stands rightly at either. False when lockstep did not
 * leave it at `tip`: then it is not to be moved.
 */
export function foretellTarget({ records }: WorktreeSettings, target: string, tip: string, commit: string): boolean {
  const targets = readTargets(records);
  if (targets[target] !== undefined && !targets[target].split(" ").includes(tip)) return false;
  writeJson(fileIn(records), { ...targets, [target]: `${tip} ${commit}` });
  return true;
}

/** Targets that are not where they were left, as `[target, where]`: those of live attempts, or all where there are none. */
export function movedTargets({ place }: Checkout, { folder, records }: WorktreeSettings): [string, string][] {
  const live = new Set(takenSlots(folder).map(({ marker }) => marker.target));
  return Object.entries(readTargets(records)).filter(
    ([target, commit]) =>
      (live.size === 0 || live.has(target)) &&
      (looseRef(place.common_dir, target) !== commit || isLocked(place.common_dir, target)),
  );
}

/** Full names of the branches that plans land on, as far as they are noted. */
export function knownTargets({ records }: Pick<WorktreeSettings, "records">): Set<string> {
  return new Set(Object.keys(readTargets(records)));
}

/** Finds out where targets were left of which no note is there any more: at their last commit that an attempt's ref keeps. */
export async function findTargets({ git }: Checkout, settings: WorktreeSettings): Promise<void> {
  const known = readTargets(settings.records);
  const pinned = recordedRefs(settings.records).filter(([ref]) => ref.startsWith("refs/lockstep/attempts/"));
  const plans = new Set(pinned.map(([ref]) => ref.split("/")[3] ?? ""));
  for (const plan of plans) {
    const target = targetOf(settings, plan);
    if (known[target] !== undefined || (await commitAt(git, target)) === null) continue;
    const commits = new Set(pinned.map(([, commit]) => commit));
    const line = await git.text(["rev-list", "--first-parent", `--max-count=${LINE_MAX}`, target, "--"]);
    const last = line.split("\n").find((commit) => commits.has(commit));
    if (last !== undefined) keepTarget(settings, target, last);
  }
}

/**
 * Puts targets back that were deleted or moved by anybody but lockstep. One that a person has checked out stays, for as
 * long as that keeps everything from landing on it. A sentence for each that was put back.
 */
export async function mendTargets(checkout: Checkout, settings: WorktreeSettings): Promise<string[]> {
  const moved = movedTargets(checkout, settings);
  if (moved.length === 0) return [];
  for (const [target] of moved) dropStaleLock(join(checkout.place.common_dir, `${target}.lock`));
  const refs = await readRefs(
    checkout.git,
    moved.map(([target]) => target),
  );
  const mended: string[] = [];
  for (const [target, where] of moved) {
    const [left = "", next] = where.split(" ");
    const now = refs.get(target) ?? null;
    if (now?.commit === left || checkedOut(now, settings.folder) !== null) continue;
    if (now !== null && now.commit === next) keepTarget(settings, target, next);
    else if (now === null && (await isDone(checkout, settings, left))) dropTarget(settings, target);
    else mended.push(await putBack(checkout, settings, { target, left, now: now?.commit ?? null }));
  }
  return mended;
}

/** A worktree of an agent that has the target checked out would fall out of step when that moves: its HEAD stays where it is. */
export async function detachFrom({ place }: Checkout, { folder }: WorktreeSettings, target: string): Promise<void> {
  for (const { dir, gitDir } of pooledWorktrees(place.common_dir, folder)) {
    if (readLine(join(gitDir, "HEAD")) !== `ref: ${target}`) continue;
    const git = gitIn(dir);
    const head = await commitAt(git, "HEAD");
    if (head !== null) await git.text(["update-ref", "--no-deref", "-m", "lockstep", "HEAD", head]);
  }
}

interface Moved {
  target: string;
  left: string;
  now: string | null;
}

/** A person may delete a branch once nobody is at work and another branch of theirs has all of it. */
async function isDone({ git }: Checkout, { folder }: WorktreeSettings, left: string): Promise<boolean> {
  if (takenSlots(folder).length > 0) return false;
  const { code, stdout } = await git.run(["for-each-ref", "--format=%(refname)", "--contains", left, "refs/heads/"]);
  // What is gone altogether cannot be put back either.
  if (code !== 0) return true;
  const names = stdout.toString("utf8").split("\n");
  return names.some((name) => name !== "" && !name.startsWith("refs/heads/lockstep"));
}

async function putBack(checkout: Checkout, settings: WorktreeSettings, { target, left, now }: Moved): Promise<string> {
  const { git } = checkout;
  const again = `it is at ${left.slice(0, 12)} again`;
  if (now === null) {
    await git.text(["update-ref", target, left, NO_COMMIT]);
    return `the branch ${shortName(target)} was deleted: ${again}`;
  }
  await detachFrom(checkout, settings, target);
  const kept = (await holdsCommit(git, left, now)) ? null : await keepMoved(git, settings, target, now);
  await git.text(["update-ref", "--no-deref", "-m", "lockstep: put back", target, left, now]);
  const back =
    kept === null ? "" : `, and that commit is kept at ${kept}: \`git cherry-pick ${kept}\` on the base or in a task`;
  return `the branch ${shortName(target)} was moved to ${now.slice(0, 12)}, which no check has passed: ${again}${back}`;
}

/** As the work of one who is at work there, else under a name that no task has. Gives the ref. */
async function keepMoved(git: Git, settings: WorktreeSettings, target: string, commit: string): Promise<string> {
  const live = takenSlots(settings.folder).find(({ marker }) => marker.target === target)?.marker;
  const plan = shortName(target)
    .split("/")
    .at(-1)!
    .replaceAll(/^[^A-Za-z0-9]+|[^A-Za-z0-9_-]/g, "");
  const ref = await keepSaved(git, live ?? { plan: plan || "plan", slug: "moved-target", n: 1 }, commit);
  recordRef(settings.records, ref, commit);
  return ref;
}

function isLocked(commonDir: string, ref: string): boolean {
  return lstatSync(join(commonDir, `${ref}.lock`), { throwIfNoEntry: false }) !== undefined;
}

function dropTarget({ records }: WorktreeSettings, target: string): void {
  const { [target]: _, ...others } = readTargets(records);
  writeJson(fileIn(records), others, { isDurable: false });
}

function readTargets(records: string): Targets {
  return (readJson(fileIn(records)) as Targets | null) ?? {};
}

function fileIn(records: string): string {
  return join(records, "targets.json");
}
