/** Merges tried in thought: which work under way will conflict with its target, or with other work. */

import { join } from "node:path";
import type { Clash, Workspace, WorkspaceTask } from "../../ports/workspace.ts";
import { type BytePath, readable } from "./byte-paths.ts";
import { type Checkout, lookAt } from "./checkout.ts";
import type { Git } from "./git.ts";
import { mergeTrees } from "./merge-trees.ts";
import { readRefs } from "./read-refs.ts";
import { withScratchObjects } from "./scratch-objects.ts";
import { guardShared } from "./shared-repository.ts";
import { changedPaths, commitOf, LOOK_LIMIT_MS, lookAtWork, type UnlandedWork } from "./unlanded-work.ts";
import { labelOf, type WorktreeSettings, workRef } from "./worktree-settings.ts";
import { isOfTask, type TakenSlot, takenSlots } from "./worktree-slots.ts";

/** Merges of one look; what is left over is tried at the next. */
const MERGES_MAX = 64;

/** Files that are named; the rest is counted. */
const NAMED_MAX = 20;

/** What two things came to, for as long as both stay as they are. */
interface Tried {
  stamps: string;
  files: BytePath[];
}

/** What a look found: the works by their places in the list, and what each target is at. */
interface Seen {
  works: Map<number, UnlandedWork>;
  tips: ReadonlyMap<string, string>;
}

/** What `Workspace.foresee` does in worktree mode; it remembers what it tried. */
export function foresight(settings: WorktreeSettings): Workspace["foresee"] {
  let last: string | null = null;
  let tried: ReadonlyMap<string, Tried> = new Map();
  return async (tasks) => {
    // What an agent put into the shared settings must not have git run anything.
    const unsafe = await guardShared(settings);
    if (unsafe !== null) return unsafe;
    return lookAt<Clash[] | null>(settings.top, async (checkout) => {
      const seen = await look(checkout, settings, tasks);
      const key = JSON.stringify([
        tasks.map(labelOf),
        [...seen.works].map(([at, { stamp }]) => [at, stamp]),
        [...seen.tips],
      ]);
      if (key === last) return null;
      const clones = [...seen.works.values()].flatMap(({ worktree: { clone } }) => clone ?? []);
      const tries = await withScratchObjects(
        checkout.git,
        (git, within, folder) => new Trial({ git, within, folder }, seen, tried).all(tasks),
        clones.map((clone) => join(clone, "objects")),
      );
      tried = tries.tried;
      last = tries.isWhole ? key : null;
      return tries.clashes;
    });
  };
}

async function look(
  { git, place }: Checkout,
  { folder }: WorktreeSettings,
  tasks: readonly WorkspaceTask[],
): Promise<Seen> {
  const ready = takenSlots(folder).filter(({ marker }) => marker.state === "ready");
  const slots = tasks.map((task) => ready.find(({ marker }) => isOfTask(marker, task) && marker.n === task.n) ?? null);
  const targets = [...new Set(slots.flatMap((slot) => slot?.marker.target ?? []))];
  const works = new Map<number, UnlandedWork>();
  if (targets.length === 0) return { works, tips: new Map() };
  const refs = await readRefs(git, [...targets, ...tasks.map(workRef)]);
  for (const [at, taken] of slots.entries()) {
    // Alone on a target that has not moved: there is nothing to conflict with.
    if (taken === null || (isAlone(taken, slots) && refs.get(taken.marker.target)?.commit === taken.marker.base))
      continue;
    const branch = refs.get(workRef(taken.marker))?.commit ?? null;
    const work = await lookAtWork(place.common_dir, folder, taken, branch);
    if (work !== null) works.set(at, work);
  }
  const tips = targets.flatMap((name) => (refs.has(name) ? [[name, refs.get(name)!.commit] as const] : []));
  return { works, tips: new Map(tips) };
}

function isAlone({ marker }: TakenSlot, slots: readonly (TakenSlot | null)[]): boolean {
  return slots.filter((slot) => slot?.marker.target === marker.target).length === 1;
}

interface Scratch {
  git: Git;
  within(other: Git): Git;
  folder: string;
}

/** All merges of one look. */
class Trial {
  readonly #scratch: Scratch;
  readonly #seen: Seen;
  readonly #before: ReadonlyMap<string, Tried>;
  readonly #tried = new Map<string, Tried>();
  readonly #commits = new Map<number, Promise<{ commit: string; paths: Set<BytePath> } | null>>();
  #merges = 0;
  #isCut = false;

  constructor(scratch: Scratch, seen: Seen, before: ReadonlyMap<string, Tried>) {
    this.#scratch = scratch;
    this.#seen = seen;
    this.#before = before;
  }

  async all(
    tasks: readonly WorkspaceTask[],
  ): Promise<{ clashes: Clash[]; tried: ReadonlyMap<string, Tried>; isWhole: boolean }> {
    const clashes: Clash[] = [];
    const found = (work: number, other: number | null, { files }: Tried): void => {
      const named = files.map(readable).sort().slice(0, NAMED_MAX);
      if (files.length > 0) clashes.push({ work, other, files: named, total: files.length });
    };
    const works = [...this.#seen.works];
    for (const [at, work] of works) {
      const label = labelOf(tasks[at]!);
      const tip = this.#seen.tips.get(work.taken.marker.target);
      if (tip !== undefined)
        found(at, null, await this.#try(label, [work.stamp, tip], () => this.#withTarget(at, work, tip)));
      for (const [otherAt, other] of works) {
        if (otherAt <= at || other.taken.marker.target !== work.taken.marker.target) continue;
        const pair = `${label} ${labelOf(tasks[otherAt]!)}`;
        found(at, otherAt, await this.#try(pair, [work.stamp, other.stamp], () => this.#together(at, otherAt)));
      }
    }
    return { clashes, tried: this.#tried, isWhole: !this.#isCut };
  }

  /** What is as it was is not tried again, and beyond the bound what was known before counts on. */
  async #try(name: string, stamps: string[], merge: () => Promise<BytePath[]>): Promise<Tried> {
    const key = stamps.join("\0\0");
    const before = this.#before.get(name);
    if (before?.stamps !== key && this.#merges < MERGES_MAX) {
      const files = await merge();
      this.#tried.set(name, { stamps: key, files });
      return { stamps: key, files };
    }
    this.#isCut ||= before?.stamps !== key;
    if (before !== undefined) this.#tried.set(name, before);
    return before ?? NOTHING;
  }

  async #withTarget(at: number, { taken }: UnlandedWork, tip: string): Promise<BytePath[]> {
    // It stands on the tip, or on what the tip came from.
    if (tip === taken.marker.base) return [];
    const made = await this.#commitOf(at);
    return made === null || made.paths.size === 0 ? [] : this.#merge(tip, made.commit);
  }

  /** Two that changed no file both are not worth a merge. */
  async #together(at: number, otherAt: number): Promise<BytePath[]> {
    const [ours, theirs] = [await this.#commitOf(at), await this.#commitOf(otherAt)];
    if (ours === null || theirs === null || !haveCommon(ours.paths, theirs.paths)) return [];
    return this.#merge(ours.commit, theirs.commit);
  }

  async #merge(ours: string, theirs: string): Promise<BytePath[]> {
    this.#merges += 1;
    const merged = await mergeTrees(this.#scratch.git, ours, theirs, { limitMs: LOOK_LIMIT_MS });
    return "conflicts" in merged ? merged.conflicts : [];
  }

  #commitOf(at: number): Promise<{ commit: string; paths: Set<BytePath> } | null> {
    const known = this.#commits.get(at);
    if (known !== undefined) return known;
    const made = this.#make(at);
    this.#commits.set(at, made);
    return made;
  }

  async #make(at: number): Promise<{ commit: string; paths: Set<BytePath> } | null> {
    const work = this.#seen.works.get(at)!;
    const { git, within, folder } = this.#scratch;
    const commit = await commitOf(work, within(work.worktree.git), join(folder, `index-${at}`));
    return commit === null ? null : { commit, paths: await changedPaths(work, git, commit) };
  }
}

const NOTHING: Tried = { stamps: "", files: [] };

/** A file where the other has a folder is common, too. */
function haveCommon(some: ReadonlySet<BytePath>, others: ReadonlySet<BytePath>): boolean {
  const [few, many] = some.size < others.size ? [some, others] : [others, some];
  const folders = new Set<BytePath>();
  for (const path of many) for (const folder of foldersOf(path)) folders.add(folder);
  for (const path of few)
    if (many.has(path) || folders.has(path) || foldersOf(path).some((folder) => many.has(folder))) return true;
  return false;
}

function foldersOf(path: BytePath): BytePath[] {
  const parts = path.split("/");
  return parts.slice(1).map((_, index) => parts.slice(0, index + 1).join("/"));
}
