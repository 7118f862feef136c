import type { WorkspaceRefusal } from "../../ports/workspace.ts";
import { fetchFromClone } from "./clone-fetch.ts";
import { type CloneRecord, isSameState, readRecord, writeRecord } from "./clone-record.ts";
import { type CloneState, headCommit, readCloneState } from "./clone-state.ts";
import { type Git, GitFailure, GitKilled } from "./git.ts";
import { commitAt } from "./head.ts";
import { branchRefs, keepSaved, NO_COMMIT } from "./kept-refs.ts";
import type { KeptWorktree } from "./kept-worktree.ts";
import { holdsCommit } from "./move-ref.ts";
import { type LeftHead, readLeftHead } from "./worktree-head.ts";
import { labelOf, type WorktreeSettings, workRef } from "./worktree-settings.ts";
import type { SlotMarker, TakenSlot } from "./worktree-slots.ts";

/** Branches and tags of an agent's own; where it made more, its clone is put aside with all of them. */
const OTHERS_MAX = 200;

/** Names of an agent's choice that may stand in a ref and in the arguments of a command. */
const NAME = /^[A-Za-z0-9][A-Za-z0-9_-]*([./][A-Za-z0-9][A-Za-z0-9_-]*)*$/;

/**
 * Where an agent left HEAD and the work branch. What it did in a clone is taken over first: the repository has its commits
 * and the work branch stands where it left that; branches of its own are kept at `refs/lockstep/branches`.
 */
export async function findLeftHead(
  git: Git,
  settings: WorktreeSettings,
  worktree: KeptWorktree,
  taken: TakenSlot,
): Promise<LeftHead | WorkspaceRefusal> {
  const branch = await commitAt(git, workRef(taken.marker));
  if (worktree.clone === null) return readLeftHead(worktree, taken.marker, branch);
  const { folder } = settings;
  const record = readRecord(folder, taken.slot) ?? { given: [], taken: null, commit: null, is_whole: false };
  const state = readCloneState(worktree.clone);
  const settledAs = (commit: string): void => {
    const now = readRecord(folder, taken.slot) ?? record;
    writeRecord(folder, taken.slot, { ...now, taken: state, commit });
  };
  if (record.commit !== null && isSameState(record.taken, state)) {
    await moveWork(git, taken.marker, branch, record.commit);
    return { ...onBranch(record.commit, record.commit), settledAs };
  }
  // Who deletes the git of its clone has left files, on what it was given.
  if (state === null) return { ...onBranch(branch ?? taken.marker.start, branch), settledAs };
  const left = await takeOver(git, worktree, taken, { state, record, branch, folder });
  return "code" in left ? left : { ...left, settledAs };
}

/** As `findLeftHead`, for who only looks: nothing is taken over. `git` reads the objects of the clone, too. */
export async function lookAtClone(
  git: Git,
  folder: string,
  { clone }: KeptWorktree,
  { slot, marker }: TakenSlot,
): Promise<{ head: string; isAmid: boolean } | null> {
  const [record, state] = [readRecord(folder, slot), clone === null ? null : readCloneState(clone)];
  if (state === null) return { head: marker.start, isAmid: false };
  if (record?.commit && isSameState(record.taken, state)) return { head: record.commit, isAmid: false };
  const head = headCommit(state) ?? marker.start;
  return (await commitAt(git, head)) === head ? { head, isAmid: state.is_amid } : null;
}

function onBranch(commit: string, branch: string | null): Omit<LeftHead, "settledAs"> {
  return { isOnBranch: true, commit, branch, merging: null, isAmid: false };
}

interface Left {
  state: CloneState;
  record: CloneRecord;
  branch: string | null;
  folder: string;
}

async function takeOver(
  git: Git,
  worktree: KeptWorktree,
  { slot, marker }: TakenSlot,
  { state, record, branch, folder }: Left,
): Promise<Omit<LeftHead, "settledAs"> | WorkspaceRefusal> {
  const name = workRef(marker);
  const own = state.refs.find(([ref]) => ref === name)?.[1] ?? null;
  const isOnBranch = state.head === "" || state.head === `ref: ${name}`;
  const head = isOnBranch ? (own ?? branch ?? marker.start) : headCommit(state);
  const unsound = await fetchWork(git, worktree, [own, head, state.merging], new Set(knownOf(record, marker, branch)));
  if (unsound !== null) {
    writeRecord(folder, slot, { ...record, taken: state, commit: null, is_whole: false });
    const text = `the clone of ${labelOf(marker)} does not give its commits, an agent has to leave the objects of git alone: ${unsound}`;
    return { code: "unreadable", text };
  }
  const is_whole = !state.is_cut && (await fetchOthers(git, worktree, marker, othersOf(state, record, name)));
  if (own !== null) await moveWork(git, marker, branch, own);
  writeRecord(folder, slot, { ...record, taken: state, commit: null, is_whole });
  // Its history has nothing in common with what it was given: the agent made a repository of its own.
  const isAnother = own === null && head !== null && (await git.run(["merge-base", head, marker.base])).code === 1;
  if (isAnother) return onBranch(branch ?? marker.start, branch);
  const isMerged = state.merging === null || (head !== null && (await holdsCommit(git, head, state.merging)));
  return {
    isOnBranch,
    commit: head,
    branch: own ?? branch,
    merging: isMerged ? null : state.merging,
    isAmid: state.is_amid,
  };
}

/** What the repository has for certain. */
function knownOf({ given }: CloneRecord, { start, base, work }: SlotMarker, branch: string | null): (string | null)[] {
  return [start, base, work, branch, ...given.map(([, hash]) => hash)];
}

/** Null when the repository has them all now; else what is wrong with one. */
async function fetchWork(
  git: Git,
  worktree: KeptWorktree,
  commits: (string | null)[],
  known: ReadonlySet<string | null>,
): Promise<string | null> {
  const unknown = [...new Set(commits)].flatMap((commit) => (commit === null || known.has(commit) ? [] : [commit]));
  const unsound = await whyNot(() =>
    fetchFromClone(
      git,
      worktree,
      unknown.map((commit) => [commit, null]),
    ),
  );
  if (unsound !== null) return unsound;
  for (const commit of unknown) if ((await commitAt(git, commit)) !== commit) return `${commit} is no commit`;
  return null;
}

/** False where they stay in the clone. */
async function fetchOthers(
  git: Git,
  worktree: KeptWorktree,
  task: SlotMarker,
  others: readonly (readonly [name: string, hash: string])[],
): Promise<boolean> {
  if (others.length > OTHERS_MAX) return false;
  const wanted = others.map(([name, hash], at) => [hash, `${branchRefs(task)}${NAME.test(name) ? name : at}`] as const);
  // Told by `lockstep gc`, which shows where the clone was put.
  return (await whyNot(() => fetchFromClone(git, worktree, wanted))) === null;
}

/** Branches, tags and the stash that the agent made or moved; tags and stash beside a branch of that name come first. */
function othersOf({ refs }: CloneState, { given }: CloneRecord, work: string): [string, string][] {
  const before = new Map(given);
  return refs
    .filter(([name, hash]) => name !== work && before.get(name) !== hash)
    .map(([name, hash]) => [name.replace(/^refs\/(heads\/)?/, ""), hash]);
}

/** The first line of what git says; null when it succeeds. A machine in trouble, or a git that was killed, is no answer. */
async function whyNot(act: () => Promise<void>): Promise<string | null> {
  try {
    await act();
    return null;
  } catch (error) {
    if (!(error instanceof GitFailure) || error instanceof GitKilled) throw error;
    return error.message.split("\n", 1)[0]!;
  }
}

/** Moves the work branch of the repository; what it stood at is not lost. */
async function moveWork(git: Git, marker: SlotMarker, from: string | null, to: string): Promise<void> {
  if (from === to) return;
  if (from !== null && from !== marker.start && !(await holdsCommit(git, to, from))) await keepSaved(git, marker, from);
  await git.text(["update-ref", workRef(marker), to, from ?? NO_COMMIT]);
}
