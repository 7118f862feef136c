/** One landing as this process works on it, and how it speaks to the store. */

import type { Rejection } from "../core/errors.ts";
import type { RowCommand } from "../core/task/commands.ts";
import type { LandingRow } from "../core/task/rows.ts";
import type { Answer, TaskRecord } from "../ports/store.ts";
import type { WorkspaceTask } from "../ports/workspace.ts";
import type { EngineContext } from "./context.ts";
import type { HeldJob } from "./run-check.ts";

export interface Landing {
  context: EngineContext;
  record: TaskRecord;
  place: WorkspaceTask;
  target: string;
  dir: string;
  /** Aborted: this process is to stop. */
  stop: AbortSignal | undefined;
  /** Aborted: by that, or because the task is no longer to be landed. */
  signal: AbortSignal;
  /** Of the landings that this call has begun. */
  tokens: number[];
  opening: Opening | null;
}

/** What makes the task claimed done: it is committed together with the first landing that begins. */
export interface Opening {
  command: RowCommand;
  /** Null until it has been submitted. */
  answer: Answer | null;
}

/**
 * `decided`: otherwise than by landing, so what is uncommitted has to be kept. `overtaken`: another process has begun
 * this landing first, and the place is its own.
 */
export type RoundEnd = "landed" | "decided" | "target_moved" | "undone" | "overtaken" | "stopped";

/** An operator has ended the task meanwhile, or another process holds the landing now. */
export function endOfRefusal({ code }: Rejection): RoundEnd {
  return code === "landing_void" ? "decided" : "overtaken";
}

export function underWay(job: HeldJob | null): LandingRow["check"] {
  return job?.held.process ? { command: job.job.run, process: job.held.process } : null;
}

export function ofTask({ record }: Landing): { plan: string; task: string } {
  return { plan: record.row.plan, task: record.row.id };
}

/** The first command takes the opening along: one transaction for both, or each in its own where one is refused. */
export async function submit(landing: Landing, command: RowCommand): Promise<Answer> {
  const { context, opening } = landing;
  const { store, actor } = context;
  if (!isPending(opening)) return store.submit(command, { actor });
  const both = await store.submitAll([opening.command, command], { actor });
  if (both.ok) opening.answer = both;
  if (both.ok || !(await open(context, opening)).ok) return both;
  return store.submit(command, { actor });
}

export function isPending(opening: Opening | null): opening is Opening {
  return opening !== null && opening.answer === null;
}

/** Submits an opening by itself. */
export async function open({ store, actor }: EngineContext, opening: Opening): Promise<Answer> {
  opening.answer = await store.submit(opening.command, { actor });
  return opening.answer;
}
