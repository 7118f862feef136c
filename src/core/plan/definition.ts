/** What a plan says, checked and with every default filled in. Records that are stored or sent keep the wire's names. */

import type { Lane } from "../lane/lane.ts";

/** A command that the engine runs in bash; its exit code, output and tree hash are evidence. */
export interface CheckDefinition {
  run: string;
  timeout_ms: number;
}

export type WorkspaceMode = "worktree" | "clone" | "in_place" | "none";

/** Modes in which each attempt has a place of its own, and its work stands on a branch of lockstep's until it lands. */
export function hasOwnBranch(mode: WorkspaceMode): mode is "worktree" | "clone" {
  return mode === "worktree" || mode === "clone";
}

export type LandMode = "merge" | "squash" | "pr" | "off";
export type OnDependencyFailed = "wait" | "cascade";

/** One task as its author wrote it, with the defaults of its plan and project filled in. */
export interface TaskDefinition {
  title: string;
  prompt: string;
  /** As written; compiled edges (scopes, barriers) stand beside it in `CompiledTask.depends_on`. */
  depends_on: string[];
  /** The task's own acceptance checks, in order: red is always by this task. */
  verify: CheckDefinition[];
  /** What must stay green; compared with the base. */
  guards: CheckDefinition[];
  /** Globs that bound what may run beside this task. */
  files_owned: string[];
  /** A hint of order; a barrier only where the plan says so. */
  wave: number;
  /** 1 is first. */
  priority: number;
  lane: string;
  agent: string | null;
  role: string | null;
  skill: string | null;
  scope: string | null;
  /** Globs of all that its scope lets a task change; empty: everything. */
  scope_paths: string[];
  /** Globs of what its scope lets no task change, whatever `scope_paths` says. */
  scope_deny: string[];
  labels: string[];
  estimated_minutes: number | null;
  tries: number;
  timeout_ms: number;
  /** Delay before the second try; doubles each time, at most 5 minutes. */
  retry_delay_ms: number;
  /** True: the author says that no check can tell; shown wherever the task is shown. */
  unchecked: boolean;
  red_first: boolean;
  clean: boolean;
  /** Globs of files that no attempt may change. */
  protect: string[];
  /** What a change outside `files_owned` means. */
  outside: "warn" | "refuse";
  /** What a change that weakens tests, limits or the scripts that check it means: a person is asked, or it may land. */
  weakened_checks: "ask" | "allow";
  /** `required`: an empty diff is a failed attempt. */
  changes: "optional" | "required";
  on_dependency_failed: OnDependencyFailed;
}

/** A task with its compiled edges, ready to be loaded. */
export interface CompiledTask {
  id: string;
  /** Safe in file and branch names; fixed when the task is first inserted (see `slugsOf`). */
  slug: string;
  /** Sorts as a person would: F-2 before F-10 (see `naturalKey`). */
  natural_key: string;
  /** Explicit dependencies plus those compiled from scopes and barriers; no duplicates. */
  depends_on: string[];
  /** Edges on the longest way from this task to an end of the plan. */
  path: number;
  definition: TaskDefinition;
}

/** What is true of the plan as a whole; a row of the store keeps it. */
export interface PlanPolicy {
  lanes: Record<string, Lane>;
  workspace: WorkspaceMode;
  land: { mode: LandMode; target: string; base: string | null };
}

/** A checked plan file: what `plan.load` takes. */
export interface CompiledPlan {
  name: string;
  /** Hash of the file and of the configuration that it was compiled with: the same hash changes nothing. */
  source_hash: string;
  policy: PlanPolicy;
  tasks: CompiledTask[];
  /** Things worth saying that stop nothing. */
  warnings: PlanProblem[];
}

/** Something wrong in a plan, at a place in its file where one is known. Lines and columns count from 1. */
export interface PlanProblem {
  file?: string;
  line?: number;
  col?: number;
  /** Where in the document, for example `tasks[3].depends_on[0]`. */
  path: string;
  message: string;
}
