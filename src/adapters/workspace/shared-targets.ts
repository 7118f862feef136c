import { lstatSync, readFileSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import type { Checkout } from "./checkout.ts";
import { isGone } from "./file-entry.ts";
import { type Git, gitIn } from "./git.ts";
import { commitAt } from "./head.ts";
import { readJson, writeJson } from "./json-file.ts";
import { attemptRefs, keepSaved, NO_COMMIT } from "./kept-refs.ts";
import { pooledWorktrees } from "./kept-worktree.ts";
import { holdsCommit } from "./move-ref.ts";
import { dropStaleLock } from "./stale-lock.ts";
import { shortName, type WorktreeSettings, workRef } from "./worktree-settings.ts";
import { type TakenSlot, takenSlots } from "./worktree-slots.ts";

/** Where lockstep left each branch that live attempts land on: `<records>/targets.json`. */
type Targets = Record<string, string>;

/** Notes where a target stands. Call only while holding the repository's lock. */
export function keepTarget({ records }: WorktreeSettings, target: string, commit: string): void {
  writeJson(fileIn(records), { ...readTargets(records), [target]: commit }, { isDurable: false });
}

/** Nobody is at work: wherever targets stand now, they stand rightly. */
export function forgetTargets({ records }: WorktreeSettings): void {
  rmSync(fileIn(records), { force: true });
}

/** Targets of live attempts that are not where they were left, as `[target, commit]`. */
export function movedTargets({ place }: Checkout, { folder, records }: WorktreeSettings): [string, string][] {
  const live = new Set(takenSlots(folder).map(({ marker }) => marker.target));
  return Object.entries(readTargets(records)).filter(
    ([target, commit]) =>
      live.has(target) && (looseRef(place.common_dir, target) !== commit || isLocked(place.common_dir, target)),
  );
}

/**
 * Puts targets back that an agent deleted or moved. What a person or another engine added to one stays. A sentence for
 * each that was put back.
 */
export async function mendTargets(checkout: Checkout, settings: WorktreeSettings): Promise<string[]> {
  const mended: string[] = [];
  for (const [target, left] of movedTargets(checkout, settings)) {
    dropStaleLock(join(checkout.place.common_dir, `${target}.lock`));
    const now = await commitAt(checkout.git, target);
    if (now === left) continue;
    if (now !== null && (await isRightful(checkout, settings, { target, left, now })))
      keepTarget(settings, target, now);
    else mended.push(await putBack(checkout, settings, { target, left, now }));
  }
  return mended;
}

/** A worktree of an agent that has the target checked out would fall out of step when that moves: its HEAD stays where it is. */
export async function detachFrom({ place }: Checkout, { folder }: WorktreeSettings, target: string): Promise<void> {
  for (const { dir, gitDir } of pooledWorktrees(place.common_dir, folder)) {
    if (readText(join(gitDir, "HEAD")) !== `ref: ${target}`) continue;
    const git = gitIn(dir);
    const head = await commitAt(git, "HEAD");
    if (head !== null) await git.text(["update-ref", "--no-deref", "-m", "lockstep", "HEAD", head]);
  }
}

interface Moved {
  target: string;
  left: string;
  now: string;
}

/** It has all that it had, and what it has more is no agent's: landed by an engine, or made by a person. */
async function isRightful(
  { git }: Checkout,
  settings: WorktreeSettings,
  { target, left, now }: Moved,
): Promise<boolean> {
  if (!(await holdsCommit(git, now, left))) return false;
  const slots = takenSlots(settings.folder).filter(({ marker }) => marker.target === target);
  if (await isPinned(git, slots, now)) return true;
  for (const slot of slots) if (await isOfAttempt(git, settings, slot, now)) return false;
  return true;
}

/** A commit is pinned before a target is moved to it. */
async function isPinned(git: Git, slots: TakenSlot[], commit: string): Promise<boolean> {
  const folders = new Set(slots.map(({ marker }) => attemptRefs(marker.plan)));
  return (await git.text(["for-each-ref", "--count=1", "--points-at", commit, ...folders])) !== "";
}

async function isOfAttempt(git: Git, { folder }: WorktreeSettings, { slot, marker }: TakenSlot, commit: string) {
  const dir = join(folder, slot);
  const head = statSync(join(dir, ".git"), { throwIfNoEntry: false }) ? await commitAt(gitIn(dir), "HEAD") : null;
  for (const work of [head, await commitAt(git, workRef(marker))])
    if (work !== null && (await holdsCommit(git, work, commit))) return true;
  return false;
}

async function putBack(
  checkout: Checkout,
  settings: WorktreeSettings,
  { target, left, now }: Omit<Moved, "now"> & { now: string | null },
): Promise<string> {
  const { git } = checkout;
  const again = `it is at ${left.slice(0, 12)} again`;
  if (now === null) {
    await git.text(["update-ref", target, left, NO_COMMIT]);
    return `the branch ${shortName(target)} was deleted: ${again}`;
  }
  await detachFrom(checkout, settings, target);
  const live = takenSlots(settings.folder).find(({ marker }) => marker.target === target);
  const isNew = !(await holdsCommit(git, left, now));
  const kept = isNew && live ? `, and that commit is kept at ${await keepSaved(git, live.marker, now)}` : "";
  await git.text(["update-ref", "--no-deref", "-m", "lockstep: put back", target, left, now]);
  return `the branch ${shortName(target)} was moved to ${now.slice(0, 12)}, which no check has passed: ${again}${kept}`;
}

/** A branch that moves is a file of its own; null where it is not, and then git has to be asked. */
function looseRef(commonDir: string, ref: string): string | null {
  return readText(join(commonDir, ref));
}

/** Agents are at work: a file may go away at any moment. */
function readText(file: string): string | null {
  try {
    return readFileSync(file, "utf8").trimEnd();
  } catch (error) {
    if (isGone(error) || (error as NodeJS.ErrnoException).code === "EISDIR") return null;
    throw error;
  }
}

function isLocked(commonDir: string, ref: string): boolean {
  return lstatSync(join(commonDir, `${ref}.lock`), { throwIfNoEntry: false }) !== undefined;
}

function readTargets(records: string): Targets {
  return (readJson(fileIn(records)) as Targets | null) ?? {};
}

function fileIn(records: string): string {
  return join(records, "targets.json");
}
