import type { CandidateRequest, WorkspaceRefusal } from "../../ports/workspace.ts";
import { EarlyCommit } from "./early-commit.ts";
import { keepSaved, NO_COMMIT } from "./kept-refs.ts";
import type { KeptWorktree } from "./kept-worktree.ts";
import { holdsCommit } from "./move-ref.ts";
import { restoreEntries } from "./restore-entries.ts";
import { type TreeChange, type WorkTree, writeWorkTree } from "./work-tree.ts";
import { chooseParent, type Parent } from "./worktree-choice.ts";
import { inConflict, unresolvedFiles } from "./worktree-conflicts.ts";
import type { LeftHead } from "./worktree-head.ts";
import { resetToBranch } from "./worktree-reset.ts";
import { shortName, workRef } from "./worktree-settings.ts";
import type { SlotMarker } from "./worktree-slots.ts";

/** An attempt's work as a commit. */
export interface CommittedWork {
  commit: string;
  /** False when the agent rewrote what it was given: then its commits cannot become the target's. */
  isLinear: boolean;
  /** The engine's own commit on that one, with its tree and changes; null when the agent committed everything itself. */
  own: { tree: string; parents: string[]; changes: TreeChange[] } | null;
  /** Moves the work branch to the commit, and HEAD to the branch. */
  settle(): Promise<void>;
}

/** Commits what the agent left. HEAD is taken for what it is, not for what it should be. Nothing is moved before `settle`. */
export async function commitWork(
  worktree: KeptWorktree,
  marker: SlotMarker,
  left: LeftHead,
  request: CandidateRequest,
): Promise<CommittedWork | WorkspaceRefusal> {
  const { git, place } = worktree;
  if (left.isAmid || marker.conflicts.length > 0) {
    const files = await unresolvedFiles(worktree, marker.conflicts);
    if (files.length > 0) return inConflict("markers", "conflicts were left unresolved in", files);
  }
  const head = left.commit ?? marker.start;
  const early = new EarlyCommit(git, request);
  const written = await writeWorkTree(git, place, head, (tree) => {
    if (tree !== marker.base_tree) early.begin(tree, head);
  });
  if ("code" in written) return written;
  const copied = new Set(marker.copied);
  const undone = written.changes.filter(({ path }) => copied.has(path));
  const changes = written.changes.filter(({ path }) => !copied.has(path));
  const tree = await restoreEntries(git, place, written.tree, undone);
  const from = await chooseParent(git, marker, left, changes.length > 0);
  if ("code" in from) return from;
  const work = await commitOn(early, from, { tree, changes }, left.merging);
  return { ...work, settle: () => settleBranch(worktree, marker, left, work.commit, from.hasFiles) };
}

async function commitOn(
  early: EarlyCommit,
  { commit: parent, isLinear, hasFiles }: Parent,
  { tree, changes }: WorkTree,
  merging: string | null,
): Promise<Omit<CommittedWork, "settle">> {
  if (!hasFiles || (changes.length === 0 && merging === null)) return { commit: parent, isLinear, own: null };
  const parents = merging === null ? [parent] : [parent, merging];
  const commit = await early.commitOf(tree, parents);
  return { commit, isLinear, own: { tree, parents, changes } };
}

async function settleBranch(
  worktree: KeptWorktree,
  marker: SlotMarker,
  { isOnBranch, branch, settledAs }: LeftHead,
  commit: string,
  hasFiles: boolean,
): Promise<void> {
  const { git } = worktree;
  settledAs(commit);
  if (branch !== commit) {
    const isLost = branch !== null && branch !== marker.start && !(await holdsCommit(git, commit, branch));
    if (isLost) await keepSaved(git, marker, branch);
    await git.text(["update-ref", workRef(marker), commit, branch ?? NO_COMMIT]);
  }
  if (isOnBranch) return;
  if (hasFiles) await git.text(["symbolic-ref", "-m", "lockstep", "HEAD", workRef(marker)]);
  else await resetToBranch(worktree, shortName(workRef(marker)), commit);
}
