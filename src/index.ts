/**
 * The library. Everything that the command line does is a function of these; nothing here prints, ends the process or
 * listens to signals.
 */

export type { Dispatch } from "./adapters/agent/inline-agent.ts";
export type { PlanValue } from "./compose/load-plan-file.ts";
export { loadPlanFile } from "./compose/load-plan-file.ts";
export type { RunOptions, RunRefusal } from "./compose/run.ts";
export { run } from "./compose/run.ts";
export type { Configuration, OpenProject, ProjectOptions, UnusableCode } from "./compose.ts";
export { openProject, ProjectUnusable } from "./compose.ts";
export type { Rejection, RejectionCode } from "./core/errors.ts";
export type { CompiledPlan, PlanProblem, TaskDefinition } from "./core/plan/definition.ts";
export type { Explanation, Reason } from "./core/schedule/explain.ts";
export type { Event, EventType } from "./core/task/events.ts";
export type { TaskState } from "./core/task/moves.ts";
export type { AttemptRow, PlanRow, RunOutcome, RunRow, TaskRow } from "./core/task/rows.ts";
export type { ClaimAnswer, Claimed, ClaimRequest } from "./engine/claim.ts";
export { claimTask } from "./engine/claim.ts";
export type { EngineContext } from "./engine/context.ts";
export type { DoneAnswer, DoneRequest, FailRequest } from "./engine/external.ts";
export { taskDone, taskFail, taskRenew } from "./engine/external.ts";
export { nextTask } from "./engine/next.ts";
export type { RunEnd } from "./engine/run.ts";
export { runPlan } from "./engine/run.ts";
export type { RunRequest } from "./engine/run-request.ts";
export { explainTask } from "./engine/why.ts";
export type { Brief } from "./ports/agent.ts";
export type { LoadAnswer, LoadCounts, Store, TaskRecord } from "./ports/store.ts";
export { StoreUnavailable } from "./ports/store.ts";
