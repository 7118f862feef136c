import type { Locks } from "../../ports/locks.ts";
import type { Processes } from "../../ports/processes.ts";
import type { WorkspaceTask } from "../../ports/workspace.ts";

export interface WorktreeOptions {
  /** `clone`: what an agent's git works on is a clone for this attempt alone. A worktree of the repository unless given. */
  mode?: "worktree" | "clone";
  locks: Locks;
  processes: Processes;
  /** A folder of this project alone, outside the repository; the worktrees lie in it. */
  stateDir: string;
  /** Attempts that may have a worktree at once. */
  slots: number;
  /** `merge`: a landing keeps the work's own commits; `squash`: it is one commit. */
  landMode: "merge" | "squash";
  /** Name of the branch that a plan lands on, `{plan}` standing for the plan's name. */
  target?: string;
  /** Short name of the branch that a target starts at; the one that is checked out unless given. */
  base?: string | null;
  /** Globs of files that git does not know, below the project's directory of the user's checkout. */
  copy?: readonly string[];
  setup?: WorktreeSetup;
}

/** What prepares a worktree once, and again when a lock file has changed. */
export interface WorktreeSetup {
  /** For bash, one after the other. */
  commands: readonly string[];
  /** For each command. */
  timeoutMs: number;
  /** The whole environment of the commands. */
  env: Record<string, string>;
  /** A file that does not exist yet, for the output of one command. */
  logFile(task: WorkspaceTask, name: string): Promise<string>;
}

/** The options with their defaults, and where everything lies. */
export interface WorktreeSettings extends Required<Omit<WorktreeOptions, "setup">> {
  /** Top of the user's checkout. */
  top: string;
  /** The project's directory below the top, "" when it is the top. */
  below: string;
  /** Where the worktrees and what is noted of them lie. */
  folder: string;
  /** Where it is noted how the user's checkout and the repository that all share were. */
  records: string;
  setup: WorktreeSetup | null;
}

/** Full name of the branch that a plan lands on unless it was given another. */
export function targetOf({ target }: Pick<WorktreeSettings, "target">, plan: string): string {
  return `refs/heads/${target.replaceAll("{plan}", plan)}`;
}

/** Full name of the branch that holds a task's work until it has landed. */
export function workRef({ plan, slug }: Pick<WorkspaceTask, "plan" | "slug">): string {
  return `refs/heads/lockstep-work/${plan}/${slug}`;
}

/** For people, and where git wants a branch. */
export function shortName(ref: string): string {
  return ref.replace(/^refs\/heads\//, "");
}

/** `plan/slug#n`. */
export function labelOf({ plan, slug, n }: WorkspaceTask): string {
  return `${plan}/${slug}#${n}`;
}
