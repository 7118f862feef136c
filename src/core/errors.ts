/** Every refusal that the machine can give: what it means for the caller, and what to do next. */

export interface RejectionKind {
  /** The same command may succeed later without anyone's doing. */
  retriable: boolean;
  /** What a person, or a script, does next. */
  next: string;
}

const kind = (retriable: boolean, next: string): RejectionKind => ({ retriable, next });

export const REJECTIONS = {
  unknown_plan: kind(false, "`lockstep status` lists the plans; `lockstep plan load FILE` loads one."),
  unknown_task: kind(false, "`lockstep plan show` lists the tasks."),
  unknown_item: kind(false, "`lockstep inbox` lists the open ones."),
  unknown_dependency: kind(false, "Name a task that the plan has."),
  task_exists: kind(false, "Choose another id, or change the task in its plan file."),
  illegal_move: kind(false, "`lockstep why TASK` says what the task waits for."),
  not_ready: kind(true, "`lockstep why TASK` says what the task waits for."),
  stale_token: kind(false, "Another attempt may have the task by now: `lockstep task show TASK`, then claim anew."),
  already_stopping: kind(true, "Wait until the attempt has been settled: `lockstep why TASK`."),
  external_worker: kind(false, "Tell the worker yourself; `lockstep task renew` gives it more time."),
  dependants_relied: kind(false, "Cancel or finish the dependants first, or add a new task for the work."),
  dependencies_kept: kind(
    false,
    "Keep the dependencies of tasks that have started, or give the changed task a new id.",
  ),
  shared_tree: kind(false, "Put back by hand what is not wanted, then `lockstep requeue TASK`."),
  nothing_to_discard: kind(false, "`lockstep task show TASK` shows what it has."),
  unlanded_work: kind(false, "Pass --without-work to leave the task's unlanded work out, or skip without --satisfies."),
  landing_held: kind(true, "Its holder checks and lands; wait for it, or run this again when it is gone."),
  landing_void: kind(false, "The task is no longer the engine's to land; nothing was landed."),
  checks_missing: kind(false, "Run every check of the task on the tree that is to land."),
  review_due: kind(false, "The lane asks for a review first."),
  verdict_missing: kind(false, "A review ends with a verdict: approved, rejected, rewrite or product."),
  verdict_stale: kind(false, "Review the work as it is now."),
  not_a_review: kind(false, "Only review phases yield verdicts."),
  own_work: kind(false, "Let somebody else review it."),
  item_closed: kind(false, "It has its answer already."),
  unknown_option: kind(false, "Answer with one of the item's options."),
  not_due: kind(true, "Wait for its time."),
  run_live: kind(false, "A plan has one live run: follow it, or stop it first."),
  no_run: kind(false, "`lockstep run` starts one."),
  run_state: kind(false, "`lockstep status` shows the run's state."),
  engine_stopping: kind(true, "Start again when the engine has stopped."),
  run_not_running: kind(true, "Start, resume or await the plan's run."),
  budget_spent: kind(false, "Raise the budget."),
  model_held: kind(true, "It wakes by itself when the limit resets."),
  hourly_cap: kind(true, "It goes on by itself as the hour moves on."),
  run_cap: kind(false, "Start a run with a higher --max-tasks."),
  concurrency: kind(true, "It starts when a slot is free."),
  dependency_pending: kind(true, "It starts when they are verified."),
  dependency_failed: kind(false, "Retry, or skip with --satisfies, what ended: `lockstep task retry TASK`."),
  due_later: kind(true, "It goes on by itself at that time."),
  scope_unapproved: kind(false, "Approve the scope."),
  overlap: kind(true, "It starts when the other task has ended."),
  disk: kind(true, "It starts when there is space: `lockstep gc` frees what has landed, or is old."),
  memory: kind(true, "It starts when memory is free."),
  workspace_busy: kind(true, "It starts when the workspace is free."),
  agent_busy: kind(true, "It starts when its agent is free."),
} as const satisfies Record<string, RejectionKind>;

export type RejectionCode = keyof typeof REJECTIONS;

/** A refused command: nothing changed but, where `recorded`, the note of the refusal. */
export interface Rejection {
  code: RejectionCode;
  message: string;
  hint: string;
  retriable: boolean;
}

/** A refusal with its standing advice; `hint` replaces the advice where the place knows better. */
export function reject(code: RejectionCode, message: string, hint: string = REJECTIONS[code].next): Rejection {
  return { code, message, hint, retriable: REJECTIONS[code].retriable };
}
