/**
 * A place where an attempt works, and the tree that its work makes. What the engine calls, in order:
 *
 *   inspect                        before a plan is taken on
 *   open                           when an attempt starts
 *   candidate > (checks) > land    when it ended well; again `candidate` when `land` says that the target moved
 *   save                           however else it ended (also: its checks were red, its engine died)
 *   pin                            when it is settled
 *
 * Every opened attempt meets exactly one of `land` (landed) and `save`. A crash between them is mended by `save`.
 */

import type { ChangedFile as JudgedFile } from "../core/integrity/integrity-change.ts";
import type { PlaceUse, Reclaimed, ReclaimRequest } from "./workspace-disk.ts";

export interface WorkspaceTask {
  plan: string;
  slug: string;
  /** The attempt's number. */
  n: number;
}

/** Why a workspace cannot be used now: `code` is stable, `text` is for people and names what to do. */
export interface WorkspaceRefusal {
  code:
    | "not_clean"
    | "detached_head"
    | "no_commits"
    | "bare_repository"
    | "missing"
    | "wrong_branch"
    /** The target moved to something that the work tree does not have. */
    | "target_moved"
    /** The branch that the target starts at does not exist. */
    | "missing_base"
    /** A branch that lockstep needs cannot be made, since another one's name is in its way. */
    | "branch_in_the_way"
    /** A person has the target checked out: moving it would put their files out of step. */
    | "target_checked_out"
    /** Every worktree is in use. */
    | "no_slot"
    /** A command that prepares a worktree failed. */
    | "setup"
    /** Target and work changed the same places; `files` names them. */
    | "conflict"
    /** Conflicts were left unresolved; `files` names where. */
    | "markers"
    /** The agent made a repository inside the repository. */
    | "nested_repository"
    | "too_large"
    /** The file system does not give the files. */
    | "unreadable"
    /** Another process kept the repository's lock for too long. */
    | "busy"
    /** Git itself failed: missing, too old, or the repository is broken. */
    | "git";
  text: string;
  /** Paths below the top of the repository, for `conflict` and `markers`. */
  files?: string[];
}

export interface Standing {
  /** Full name of the branch that a landing would move, or null where nothing is landed. */
  target: string | null;
  /** Full name of the branch that the target starts at as long as it does not exist; absent where it always does. */
  base?: string;
}

export interface OpenedWorkspace {
  /** Absolute path in which the agent works and checks run. */
  dir: string;
  /** Full name of the branch that a landing moves, or null where nothing is landed. */
  target: string | null;
  /** What the work starts from: a commit; in a plain directory the hash of its tree; null in mode `none`. */
  base: string | null;
  /** Hash of the tree that `base` stands for; null in mode `none`. */
  tree: string | null;
  /** Files with conflict markers that the attempt has to resolve; absent when there are none. */
  conflicts?: string[];
}

export interface ChangedFile {
  path: string;
  status: "added" | "modified" | "deleted" | "type_changed";
}

/** The tree that checks run on. Building it moves nothing. */
export interface Candidate {
  /** Absolute path of the place where its checks run: its files are there until the next candidate for this target. */
  dir: string;
  target: string | null;
  /** The target's commit that the candidate stands on. */
  tip: string | null;
  /** A commit; equal to `tip` when nothing changed; null outside git. */
  commit: string | null;
  /** Hash of the tree; null when the worker brought its own place. */
  tree: string | null;
  /** Against the tip; in a plain directory against `base`. */
  changed: ChangedFile[];
  /** People outside made the commit: it has the tip in its history, but not as its first parent. Absent: lockstep made it. */
  is_theirs?: true;
  /** Protected files that the work had changed: here they are as on the target. Absent when there are none. */
  restored?: ChangedFile[];
}

/** What a changed file holds on both sides, as the integrity of checks is judged by it. */
export interface FileSides extends JudgedFile {
  /** A side is too large to be read, or what is read at once was used up. */
  too_large: boolean;
}

export interface SidesRequest {
  /** Of the candidate's changed files, the most important first; a renamed file is given when either name is wanted. */
  paths: readonly string[];
  /** Files whose text at the tip is wanted, as a command in the project's directory names them. */
  at_tip: readonly string[];
}

export interface CandidateSides {
  files: FileSides[];
  /** By the names in the request; without those that are not there, or are no text. */
  tip: ReadonlyMap<string, string>;
}

/** What prepares a place may take long, and start programs. */
export interface Preparing {
  /** Aborting ends it, as refused. */
  signal?: AbortSignal;
  /** Marks in the environment of all that it starts. */
  marks?: Record<string, string>;
}

/** How commits are made that land. */
export interface CommitStyle {
  /** Null: as git is configured. */
  author: { name: string; email: string } | null;
  /** Signed, as git is configured. */
  sign: boolean;
}

export interface CandidateRequest extends WorkspaceTask, Preparing {
  /** The commit message. */
  message: string;
  style?: CommitStyle;
  /** `OpenedWorkspace.base` of the attempt. */
  base: string | null;
  /** The branch that the plan lands on, where the attempt's own place does not tell. */
  target?: string | null;
  /** The checks find nothing that earlier ones left: no ignored file, and a place that is set up anew (worktree mode). */
  clean?: boolean;
  /** Globs of files that stay as on the target, whatever the work did to them (worktree mode). */
  protect?: readonly string[];
}

export interface OpenOptions extends Preparing {
  /** The task's earlier work is kept when it is still there. */
  resume: boolean;
  /** The branch that the plan lands on already: any other is refused, since it lacks the work of dependencies. */
  target?: string | null;
  /** The branch that the target starts at when it does not exist yet (worktree mode). */
  base?: string | null;
  /** Merges the target into the earlier work, leaving conflicts as markers in the files (worktree mode). */
  merge_target?: boolean;
}

export type LandOutcome =
  /** `left`: where files that the checks left behind were saved to; absent when they left none. */
  | { landed: true; left?: string }
  /** `undone`: the candidate is not what was checked, or git did not move what it said it moved. Another try may help. */
  | { landed: false; reason: "target_moved" | "undone" | "target_checked_out" | "busy" | "git"; text: string };

export interface Saved {
  /** The name under which the uncommitted work is kept, or null when there was none. */
  saved: string | null;
}

/** An attempt's commit as it is kept. */
export interface PinnedAttempt {
  slug: string;
  n: number;
  commit: string;
  /** The commit's message. */
  message: string;
}

export interface ClaimedLanding {
  /** Full name of the branch. */
  target: string;
  commit: string;
  /** The commit that the work started from; null where that is not known, and then only the commit itself counts. */
  base: string | null;
}

export interface LandingProof {
  /** The target holds the commit, or its patch. */
  present: boolean;
  /** The commit's own tree; null when there is no such commit. */
  tree: string | null;
  /** The branch is there at all. */
  is_there: boolean;
}

/** A merge commit, held against what its parents make when they are merged once more. Paths below the top. */
export interface RedoneMerge {
  /** Files that are neither as that merge makes them nor as the first parent has them. */
  edited: string[];
  /** Files that the merge would change, and that are as the first parent has them. */
  kept: string[];
}

/** A commit's files in a place of their own, made for one use. */
export interface FreshCheckout {
  /** Absolute path of the project's directory there. */
  dir: string;
  /** Removes it; a refusal says what is left of it. */
  close(): Promise<WorkspaceRefusal | null>;
}

export type DiffWish =
  /** Against its first parent. */
  | { commit: string }
  /** The task's work branch, else what was saved last, against where it left the target. */
  | { plan: string; slug: string; target: string };

export interface WorkDiff {
  from: string;
  to: string;
  /** Message of the commit `to`. */
  message: string;
  /** As `git diff` prints it. */
  patch: Uint8Array;
}

export interface JoinRequest {
  plan: string;
  /** Full name of the plan's branch. */
  source: string;
  /** Full name of the branch that takes it in. */
  into: string;
  /** A person named that branch, so it may be one that is checked out here. */
  asked: boolean;
  /** Of the merge commit, where one has to be made. */
  message: string;
  style?: CommitStyle;
}

export interface TakeInRequest extends WorkspaceTask, Preparing {
  /** Full name of the plan's branch. */
  target: string;
  /** What was merged elsewhere; it is in the repository already. */
  commit: string;
  /** Of a merge commit, where one has to be made. */
  message: string;
  style?: CommitStyle;
  /** As of `CandidateRequest`. */
  clean?: boolean;
}

/** What came up while attempts were at work in what is not theirs. */
export interface Foreign {
  /** Files below the top of the user's checkout that are not as they were; at most 50. A person may have done it. */
  paths: string[];
  /** All of them. */
  total: number;
  /** Ref of a commit that keeps them as they were found; null where nothing was to be kept, or it was too much. */
  saved: string | null;
  /** Why the checkout could not be looked at, said once; null when it was. */
  unseen: string | null;
  /** What was put right in the repository that all attempts share, one sentence each. */
  mended: string[];
}

/** Work under way that cannot be merged as it stands. Numbers are places in the list that was asked for. */
export interface Clash {
  work: number;
  /** The other work; null: the target that the work lands on. */
  other: number | null;
  /** Paths below the top of the repository; at most 20. */
  files: string[];
  /** All of them. */
  total: number;
}

export interface Workspace {
  /**
   * Says, without changing anything, where work of a plan would land now, or why this place cannot be used at all. In
   * worktree mode a plan's name is needed to say where.
   */
  inspect(plan?: string): Promise<Standing | WorkspaceRefusal>;
  /** What `open` would answer, changing nothing. */
  probe(task: WorkspaceTask, options: OpenOptions): Promise<OpenedWorkspace | WorkspaceRefusal>;
  /**
   * The attempt that was opened and has met neither `land` nor `save` yet, or null. Always null where attempts do not
   * stand in each other's way (worktree mode).
   */
  opened(): Promise<WorkspaceTask | null>;
  /** Every attempt that was opened and has met neither `land` nor `save` yet. */
  occupied(): Promise<WorkspaceTask[]>;
  /** Absolute path of what this attempt has for itself alone while it is open; null where it shares its place with others. */
  ownDir(task: WorkspaceTask): Promise<string | null>;
  /**
   * Makes the place ready for an attempt. What another attempt left (`save` has recorded it) is cleared first; what
   * lockstep does not know is never touched: refused.
   */
  open(task: WorkspaceTask, options: OpenOptions): Promise<OpenedWorkspace | WorkspaceRefusal>;
  /**
   * The attempt's work as a commit on the target's tip of this moment. Commits that the agent made itself are taken off
   * the target and kept at a saved ref. A refusal means that the attempt left nothing that can be checked: it failed.
   */
  candidate(request: CandidateRequest): Promise<Candidate | WorkspaceRefusal>;
  /**
   * What the candidate's files hold, and held at its tip. Where no tip is kept (a plain directory) only of files that were
   * added; null in mode `none`. Changes nothing.
   */
  sides(candidate: Candidate, request: SidesRequest): Promise<CandidateSides | WorkspaceRefusal | null>;
  /** Moves the target from the candidate's tip to the candidate, by compare-and-set. Repeating it does no harm. */
  land(task: WorkspaceTask, candidate: Candidate): Promise<LandOutcome>;
  /**
   * Moves the target from a candidate that landed back to its tip, by compare-and-set: its task was taken back before the
   * store had heard of the landing. False where it stays: more stands on it already, or it is a person's own checkout.
   */
  takeBack(task: WorkspaceTask, landed: Pick<Candidate, "target" | "tip" | "commit">): Promise<boolean>;
  /** True when the target already holds this commit: how a landing that a crash cut off is recognised. */
  holds(target: string, commit: string): Promise<boolean>;
  /**
   * Keeps what is uncommitted under a name of its own and records it as this task's, so that the next `open` knows it.
   * The files stay as they are; commits that the agent made itself are taken off the target as in `candidate`.
   */
  save(task: WorkspaceTask): Promise<Saved | WorkspaceRefusal>;
  /**
   * Keeps all that the task has done and that its target does not have, also by attempts before this one, and gives the
   * name under which that is. The files of a place that others share are put back to the target's; a place of the task's
   * own is reset when it is opened next. Repeating it does no harm.
   */
  discard(task: WorkspaceTask, target: string): Promise<Saved | WorkspaceRefusal>;
  /**
   * Takes what a commit brought, against its first parent, out of the files of an attempt's place that was just opened.
   * With conflicts the files stay as they were, and those in conflict are named.
   */
  undo(task: WorkspaceTask, commit: string): Promise<{ conflicts: string[] } | WorkspaceRefusal>;
  /** Keeps a settled attempt's commit from being collected, for as long as the attempt is known. */
  pin(task: WorkspaceTask, commit: string): Promise<WorkspaceRefusal | null>;
  /** The commits of a plan's attempts that `pin` keeps. Nothing where nothing is landed. */
  pinned(plan: string): Promise<PinnedAttempt[] | WorkspaceRefusal>;
  /** What the repository itself says of a landing; null where nothing is landed. Changes nothing. */
  proof(landing: ClaimedLanding): Promise<LandingProof | WorkspaceRefusal | null>;
  /**
   * The commits that a branch gained since `base`, along its first parents, newest first, when the repository has all that
   * they hold; none when there is no such branch; null where nothing is landed. Changes nothing.
   */
  line(target: string, base: string): Promise<string[] | WorkspaceRefusal | null>;
  /**
   * A merge of two parents done once more; null where the commit is none, where a person had to resolve conflicts, or git
   * is too old to tell. Changes nothing.
   */
  redone(commit: string): Promise<RedoneMerge | WorkspaceRefusal | null>;
  /**
   * A commit checked out anew beside everything else, set up as a place where checks of candidates run; null where nothing
   * is landed. `task` is who landed it.
   */
  fresh(task: WorkspaceTask, commit: string, preparing: Preparing): Promise<FreshCheckout | WorkspaceRefusal | null>;
  /** What a commit, or the work of a task that has not landed, changes; null where there is no such thing. Changes nothing. */
  diff(of: DiffWish): Promise<WorkDiff | WorkspaceRefusal | null>;
  /**
   * A plan's branch joined with another, as a candidate for that one: its very commit where that is a fast-forward, else
   * a merge, checked out for its checks. Moves nothing. `is_new`: its tree is not the one of the plan's branch.
   */
  join(request: JoinRequest): Promise<(Candidate & { is_new: boolean }) | WorkspaceRefusal>;
  /**
   * What was merged elsewhere, as a candidate for the plan's branch: that very commit where it is a fast-forward, the tip
   * where that has it already, else a merge. Checked out for its checks. Moves nothing (worktree mode).
   */
  takeIn(request: TakeInRequest): Promise<Candidate | WorkspaceRefusal>;
  /** Moves the branch to what `join` made, by compare-and-set; a clean checkout of it is brought along. */
  bring(request: JoinRequest, candidate: Candidate): Promise<LandOutcome>;
  /**
   * What is new in the user's checkout and in the shared repository since this was asked last, by any process. `fresh`:
   * no attempt is at work, so what is there is the user's own: it is noted, and nothing is told.
   */
  foreign(options: { fresh: boolean }): Promise<Foreign>;
  /**
   * What of this work, committed or not, cannot be merged with its target or with one another as all of it stands now.
   * Null: nothing has changed since this was asked last, or it cannot be told here. Changes nothing, takes no lock, and
   * writes nothing where nothing has changed; what is not open, or amid a merge of its own, clashes with nothing.
   */
  foresee(works: readonly WorkspaceTask[]): Promise<Clash[] | WorkspaceRefusal | null>;
  /**
   * Frees what no attempt has any more and whose work is proved to be elsewhere: worktrees that nobody uses, branches of
   * work that has landed, files that a killed process left half written. Safe at any moment, beside a living engine too.
   */
  reclaim(request: ReclaimRequest): Promise<Reclaimed | WorkspaceRefusal>;
  /** What it takes of the disk, by kind. Looks at every file of every worktree. */
  inUse(): Promise<PlaceUse[] | WorkspaceRefusal>;
}

/**
 * The machine refused what a workspace needs: a full disk, no more files or processes. Nobody's work is to blame, and the
 * same may succeed once that has passed.
 */
export class MachineTrouble extends Error {
  override name = "MachineTrouble";
}
