/** What a workspace keeps on disk: slots in which attempts work, branches of their work, and where the target stood when. */

import type { ProcessIdentity } from "../src/ports/processes.ts";
import type { CandidateRequest, OpenOptions, WorkspaceRefusal, WorkspaceTask } from "../src/ports/workspace.ts";
import { changedPaths, type Files, type GitModel, merge } from "./git-model.ts";

export interface Slot {
  dir: string;
  task: WorkspaceTask;
  state: "preparing" | "ready";
  holder: ProcessIdentity;
  target: string;
  base: string;
  files: Map<string, string>;
  conflicts: string[];
}

/** A task's work branch: its files, and the commit from which they started. */
interface Work {
  base: string;
  files: Files;
}

export interface RefMove {
  target: string;
  from: string | null;
  to: string;
  task: WorkspaceTask;
}

export const ROOT_DIR = "/project";
export const BASE_REF = "refs/heads/main";
export const MARKER = "<<<<<<<";

export function isSameAttempt(a: WorkspaceTask, b: WorkspaceTask): boolean {
  return isSameTask(a, b) && a.n === b.n;
}

function isSameTask(a: WorkspaceTask, b: WorkspaceTask): boolean {
  return a.plan === b.plan && a.slug === b.slug;
}

export class Places {
  readonly slots = new Map<string, Slot>();
  readonly moves: RefMove[] = [];
  readonly pins = new Map<string, string>();
  /** Where checks run, by directory. */
  readonly #dirs = new Map<string, Map<string, string>>([[ROOT_DIR, new Map()]]);
  readonly #work = new Map<string, Work>();
  readonly #git: GitModel;
  readonly #slotsMax: number;

  constructor(git: GitModel, slotsMax: number) {
    this.#git = git;
    this.#slotsMax = slotsMax;
  }

  /** The repository with what it holds before any work. */
  begin(files: Files): void {
    this.#git.refs.set(BASE_REF, this.#git.commit([], this.#git.tree(files), "Beginning"));
  }

  /** The files of a directory; null when there is no such place any more. */
  filesAt(dir: string): Map<string, string> | null {
    const slot = [...this.slots.values()].find((taken) => taken.dir === dir);
    return slot?.files ?? this.#dirs.get(dir) ?? null;
  }

  slotAt(dir: string): Slot | null {
    return [...this.slots.values()].find((taken) => taken.dir === dir) ?? null;
  }

  slotOf(task: WorkspaceTask): [string, Slot] | null {
    return [...this.slots].find(([, slot]) => isSameAttempt(slot.task, task)) ?? null;
  }

  /** The target's commit, which stands where its base does until something lands. */
  tip(target: string, base: string | null): string {
    const { refs } = this.#git;
    return refs.get(target) ?? refs.get(base ?? BASE_REF)!;
  }

  /** What the work of an attempt starts from. */
  start(task: WorkspaceTask, options: OpenOptions): Pick<Slot, "target" | "base" | "files" | "conflicts"> {
    const target = options.target ?? `refs/heads/lockstep/${task.plan}`;
    const tip = this.tip(target, options.base ?? null);
    const work = this.#work.get(keyOf(task));
    const own = [...this.slots.values()].find((slot) => isSameTask(slot.task, task));
    const earlier = own && own.state === "ready" ? own : work;
    if (!options.resume || earlier === undefined)
      return { target, base: tip, files: new Map(this.#git.files(this.#git.treeOf(tip))), conflicts: [] };
    const files = new Map(earlier.files);
    if (options.merge_target !== true) return { target, base: earlier.base, files, conflicts: [] };
    const theirs = this.#git.files(this.#git.treeOf(tip));
    const merged = merge(this.#git.files(this.#git.treeOf(earlier.base)), theirs, files);
    for (const path of merged.conflicts)
      merged.files.set(path, `${MARKER} ${theirs.get(path)} === ${earlier.files.get(path)}`);
    return { target, base: tip, files: merged.files, conflicts: merged.conflicts };
  }

  /** A commit by somebody else on the first target that there is; answers which, or null. */
  pushFrom(path: string): string | null {
    const { refs } = this.#git;
    const [target] = [...refs.keys()].filter((ref) => ref !== BASE_REF);
    if (target === undefined) return null;
    const tip = refs.get(target)!;
    const files = new Map(this.#git.files(this.#git.treeOf(tip))).set(path, tip);
    refs.set(target, this.#git.commit([tip], this.#git.tree(files), `Work at ${path}`));
    return target;
  }

  freeSlot(): string | null {
    for (let i = 1; i <= this.#slotsMax; i++) if (!this.slots.has(String(i))) return String(i);
    return null;
  }

  take(slot: string, task: WorkspaceTask, options: OpenOptions, holder: ProcessIdentity): void {
    const start = this.start(task, options);
    this.slots.set(slot, { dir: `/places/${slot}`, task, state: "preparing", holder, ...start });
    if (!this.#git.refs.has(start.target)) this.#git.refs.set(start.target, start.base);
  }

  /** Keeps what is in the slot on the task's work branch; null when nothing was changed. */
  keep({ task, base, files, state }: Slot): string | null {
    if (state === "preparing") return null;
    const changed = changedPaths(this.#git.files(this.#git.treeOf(base)), files);
    if (changed.length === 0 && this.#work.get(keyOf(task)) === undefined) return null;
    this.#work.set(keyOf(task), { base, files: new Map(files) });
    return changed.length === 0 ? null : `refs/lockstep/saved/${keyOf(task)}/${task.n}`;
  }

  /** The work on the target's tip of this moment, checked out where its checks run. */
  candidate(
    request: CandidateRequest,
    node: string,
  ): { dir: string; tip: string; commit: string; target: string } | WorkspaceRefusal {
    const slot = this.slotOf(request)?.[1] ?? null;
    if (slot?.state === "ready") this.keep(slot);
    const target = slot?.target ?? request.target ?? `refs/heads/lockstep/${request.plan}`;
    const work = slot?.state === "ready" ? slot : this.#work.get(keyOf(request));
    if (work === undefined) return { code: "missing", text: "there is neither a worktree nor a branch" };
    const marked = [...work.files].filter(([, text]) => text.startsWith(MARKER)).map(([path]) => path);
    if (marked.length > 0) return { code: "markers", text: `markers were left in ${marked.join(", ")}`, files: marked };
    const tip = this.tip(target, null);
    const merged = merge(
      this.#git.files(this.#git.treeOf(work.base)),
      this.#git.files(this.#git.treeOf(tip)),
      work.files,
    );
    if (merged.conflicts.length > 0)
      return { code: "conflict", text: `both changed ${merged.conflicts.join(", ")}`, files: merged.conflicts };
    const tree = this.#git.tree(merged.files);
    const commit = tree === this.#git.treeOf(tip) ? tip : this.#git.commit([tip], tree, request.message);
    const dir = `/landing/${node}/${target}`;
    this.#dirs.set(dir, new Map(merged.files));
    return { dir, tip, commit, target };
  }
}

function keyOf({ plan, slug }: WorkspaceTask): string {
  return `${plan}/${slug}`;
}
