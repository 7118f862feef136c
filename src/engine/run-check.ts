/** Runs one check and turns its end into the result that the store keeps. */

import { exitMeaning, missingText } from "../core/attempt/exit-meaning.ts";
import { checkMark } from "../core/attempt/marks.ts";
import type { CheckDefinition } from "../core/plan/definition.ts";
import type { CheckKind, CheckOutcome, CheckResult, TaskRow } from "../core/task/rows.ts";
import { type CheckEnd, type HeldCheck, TAIL_CHARACTERS } from "../ports/processes.ts";
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
  /** In which it runs. */
  dir: string;
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
  return { job, held, log, dir: place.dir };
}

/** A check that was killed by this engine's own stop has no result. */
export async function resultOf(
  context: EngineContext,
  { job, log, dir }: HeldJob,
  end: CheckEnd,
  tree: string | null,
): Promise<CheckResult | null> {
  if (end.outcome === "killed") return null;
  const outcome: CheckOutcome = end.outcome;
  const result: CheckResult = {
    command: job.run,
    kind: job.kind,
    outcome,
    exit_code: end.exit_code,
    tree,
    log,
    tail: end.tail,
    ms: Math.round(end.ms),
  };
  const missing = await missingIn(context, job.run, end, dir);
  if (missing === null) return result;
  return { ...result, outcome: "error", tail: `${missingText(missing)}\n${end.tail}`.slice(0, TAIL_CHARACTERS) };
}

/**
 * A check that could not be started says nothing of the work where no tree could have started it. Whether it could be
 * started on the base is not asked: a script that the task itself is to write is missing there, too, and its own fault.
 */
async function missingIn(
  { missingProgram }: EngineContext,
  command: string,
  { outcome, exit_code }: CheckEnd,
  dir: string,
): Promise<string | null> {
  if (outcome !== "red" || exitMeaning(exit_code) === null) return null;
  return (await missingProgram?.(command, dir)) ?? null;
}

/** Checks of one minute share a folder, so that one is seldom made; by these digits of its time all fill within hours. */
function checkLog({ ids }: EngineContext): string {
  const id = ids.next();
  return `checks/${id.slice(6, 8)}/${id}.log`;
}
