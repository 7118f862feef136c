/**
 * What stands in the files of a spool, read as words of outsiders: a power cut, a full disk, another version or a stray
 * program may have had its hand in them. Null for whatever is none of the words.
 */

import type { AgentReport } from "../../core/attempt/agent-report.ts";
import { FAILURE_KINDS, type FailureKind } from "../../core/attempt/failure.ts";
import { VERDICT_WORDS } from "../../core/lane/verdict.ts";
import { HELD_THINGS } from "../../core/schedule/holds.ts";
import { LIMIT_SOURCES, OUTCOMES, type Usage } from "../../core/task/rows.ts";
import type { AgentLimit } from "../../ports/agent.ts";
import type { ProcessIdentity } from "../../ports/processes.ts";
import { type RunnerControl, type RunnerEnd, type RunnerEvent, SPOOL_PROTOCOL } from "../../ports/runner.ts";

/** An engine reads what runners of its own version and of the one before it write. */
export function isReadable(protocol: number): boolean {
  return protocol === SPOOL_PROTOCOL || protocol === SPOOL_PROTOCOL - 1;
}

/** The versions that are read, for people. */
export const READABLE = `${SPOOL_PROTOCOL} and ${SPOOL_PROTOCOL - 1}`;

/** `runner.json`, whose shape is the same in every version: null as the runner, where the attempt was given up. */
export interface OwnerWords {
  protocol: number;
  runner: ProcessIdentity | null;
}

export function parseOwner(text: string): OwnerWords | null {
  const words = objectIn(text);
  if (words === null) return null;
  // The first version did not say which one it was.
  const protocol = words["protocol"] ?? 1;
  const runner = words["runner"] === null ? null : identityIn(words["runner"]);
  return typeof protocol === "number" && runner !== undefined ? { protocol, runner } : null;
}

export function parseEnd(text: string): RunnerEnd | null {
  const words = objectIn(text);
  const outcome = words?.["outcome"];
  if (words === null || !isOutcome(outcome)) return null;
  const { failure, limit, killed, partial } = words;
  const report = reportIn(words["report"]);
  return {
    outcome,
    error: textIn(words["error"]),
    summary: textIn(words["summary"]),
    usage: usageIn(words["usage"]),
    cost_usd: numberIn(words["cost_usd"]),
    ...(limit === undefined ? {} : { limit: limitIn(limit) }),
    ...(isFailure(failure) ? { failure } : {}),
    ...(report === null ? {} : { report }),
    ...(typeof killed === "boolean" ? { killed } : {}),
    ...(partial === true ? { partial } : {}),
  };
}

/** A line of `events.jsonl`. One of a type that this version does not know comes as a note. */
export function parseEvent(line: string): RunnerEvent | null {
  const words = objectIn(line);
  if (words === null) return null;
  const { n, at, type } = words;
  if (!isCount(n) || typeof at !== "number" || typeof type !== "string") return null;
  if (!Object.hasOwn(EVENT_FIELDS, type)) return { n, at, type: "note", text: `an event of the unknown type ${type}` };
  return EVENT_FIELDS[type as RunnerEvent["type"]](words) ? (words as unknown as RunnerEvent) : null;
}

/** A line of `control.jsonl`. */
export function parseControl(line: string): RunnerControl | null {
  const words = objectIn(line);
  const type = words?.["type"];
  if (words === null || typeof type !== "string" || !Object.hasOwn(CONTROL_FIELDS, type)) return null;
  return CONTROL_FIELDS[type as RunnerControl["type"]](words) ? (words as unknown as RunnerControl) : null;
}

type Words = Readonly<Record<string, unknown>>;
type Check = (words: Words) => boolean;

const EVENT_FIELDS: Readonly<Record<RunnerEvent["type"], Check>> = {
  started: ({ runner, agent }) =>
    identityIn(runner) !== undefined && (agent === null || identityIn(agent) !== undefined),
  session: ({ session, model }) => typeof session === "string" && isTextOrNull(model),
  text: ({ text }) => typeof text === "string",
  tool: ({ name, about }) => typeof name === "string" && typeof about === "string",
  tool_ended: ({ id, said = "" }) => typeof id === "string" && typeof said === "string",
  usage: ({ usage, cost_usd }) => usageIn(usage) !== null && (cost_usd === null || typeof cost_usd === "number"),
  limit: ({ text, until }) => typeof text === "string" && (until === null || typeof until === "number"),
  permission: ({ tool, about, allowed, why }) =>
    [tool, about, why].every((word) => typeof word === "string") && typeof allowed === "boolean",
  file: ({ path }) => typeof path === "string",
  progress: ({ text }) => typeof text === "string",
  note: ({ text }) => typeof text === "string",
  ask: ({ question, options, default: fallback, wait }) =>
    typeof question === "string" && isTexts(options) && isTextOrNull(fallback) && (wait === undefined || isWait(wait)),
};

const CONTROL_FIELDS: Readonly<Record<RunnerControl["type"], Check>> = {
  stop: ({ why, at_once = false }) => typeof why === "string" && typeof at_once === "boolean",
  extend: ({ timeout_ms }) => typeof timeout_ms === "number" && timeout_ms > 0,
  interrupt: ({ number, message }) => isCount(number) && typeof message === "string",
  compact: ({ number }) => isCount(number),
  notices: ({ messages }) => isTexts(messages),
  answer: ({ question, answer }) => isCount(question) && typeof answer === "string",
};

/** Null for what is no object of JSON. */
export function objectIn(text: string): Words | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Words) : null;
  } catch {
    // Half a line, NULs after a power cut, a stray program's words: the caller says what became of it.
    return null;
  }
}

/** Undefined when it is none. */
function identityIn(value: unknown): ProcessIdentity | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  const { node, boot, pid, start } = value as Words;
  if (typeof node !== "string" || typeof boot !== "string" || typeof start !== "string") return undefined;
  // A number below 2 would name a whole group, or the machine's first process.
  return typeof pid === "number" && Number.isSafeInteger(pid) && pid > 1 ? { node, boot, pid, start } : undefined;
}

function isOutcome(value: unknown): value is RunnerEnd["outcome"] {
  return value !== "cancelled" && (OUTCOMES as readonly unknown[]).includes(value);
}

function usageIn(value: unknown): Usage | null {
  if (typeof value !== "object" || value === null) return null;
  const { input, output, cache_read, cache_write } = value as Words;
  const isTold = [input, output].every((count) => typeof count === "number");
  const isRead = [cache_read, cache_write].every((count) => count === null || typeof count === "number");
  return isTold && isRead ? ({ input, output, cache_read, cache_write } as Usage) : null;
}

/** Null also for one of which a part is not understood: a limit is then one of nobody knows what. */
function limitIn(value: unknown): AgentLimit | null {
  if (typeof value !== "object" || value === null) return null;
  const { holds, until, known_from } = value as Words;
  if (!HELD_THINGS.some((thing) => thing === holds) || !LIMIT_SOURCES.some((source) => source === known_from))
    return null;
  return { holds, until: numberIn(until), known_from } as AgentLimit;
}

/** Null when there is none, or none that is understood. */
function reportIn(value: unknown): AgentReport | null {
  if (typeof value !== "object" || value === null) return null;
  const { files, not_done, verdict, handoff } = value as Words;
  if (!isTexts(files) || !isTexts(not_done) || !isTextOrNull(handoff)) return null;
  if (verdict !== null && !VERDICT_WORDS.some((word) => word === verdict)) return null;
  return { files, not_done, verdict, handoff } as AgentReport;
}

function isTexts(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((text) => typeof text === "string");
}

function isFailure(value: unknown): value is FailureKind {
  return FAILURE_KINDS.some((kind) => kind === value);
}

function isCount(value: unknown): value is number {
  return typeof value === "number" && Number.isSafeInteger(value) && value >= 0;
}

function isWait(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return false;
  const { ms, then } = value as Words;
  return isCount(ms) && (then === "ends" || then === "refused");
}

function isTextOrNull(value: unknown): boolean {
  return value === null || typeof value === "string";
}

export function textIn(value: unknown): string | null {
  return typeof value === "string" ? value : null;
}

function numberIn(value: unknown): number | null {
  return typeof value === "number" ? value : null;
}
