/** Runs one check and turns its end into the result that the store keeps. */

import { checkMark } from "../core/attempt/marks.ts";
import type { CheckDefinition } from "../core/plan/definition.ts";
import type { CheckKind, CheckOutcome, CheckResult, TaskRow } from "../core/task/rows.ts";
import type { CheckEnd, HeldCheck } from "../ports/processes.ts";
import type { EngineContext } from "./context.ts";

export interface CheckJob extends CheckDefinition {
  kind: CheckKind;
}

/** A check that has its process and its log but has not begun. */
export interface HeldJob {
  job: CheckJob;
  held: HeldCheck;
  /** Name of the blob that takes the output. */
  log: string;
}

export interface CheckPlace {
  dir: string;
  task: Pick<TaskRow, "id" | "slug" | "plan">;
  attempt: number;
}

export async function holdJob(
  context: EngineContext,
  job: CheckJob,
  place: CheckPlace,
  signal?: AbortSignal,
): Promise<HeldJob> {
  const log = checkLog(context);
  const mark = checkMark({ plan: place.task.plan, task: place.task.id, attempt: place.attempt });
  const held = await context.processes.holdCheck({
    command: job.run,
    cwd: place.dir,
    timeoutMs: job.timeout_ms,
    env: { ...context.env, ...mark, LOCKSTEP_TASK: place.task.id, LOCKSTEP_CHECK_KIND: job.kind },
    logFile: await context.blobs.path(log),
    ...(signal ? { signal } : {}),
  });
  return { job, held, log };
}

/** A check that was killed by this engine's own stop has no result. */
export function resultOf({ job, log }: HeldJob, end: CheckEnd, tree: string | null): CheckResult | null {
  if (end.outcome === "killed") return null;
  const outcome: CheckOutcome = end.outcome;
  return {
    command: job.run,
    kind: job.kind,
    outcome,
    exit_code: end.exit_code,
    tree,
    log,
    tail: end.tail,
    ms: Math.round(end.ms),
  };
}

/** Checks of one minute share a folder, so that one is seldom made; by these digits of its time all fill within hours. */
function checkLog({ ids }: EngineContext): string {
  const id = ids.next();
  return `checks/${id.slice(6, 8)}/${id}.log`;
}
