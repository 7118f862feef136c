/** What a `command` may say on its standard output, one JSON object a line (JSONL). Every other line is plain output. */

import type { Usage } from "../../core/task/rows.ts";
import type { AgentEvent } from "../../ports/agent.ts";
import { plainText } from "./plain-text.ts";
import { type Fields, fieldsOfLine } from "./wire-fields.ts";

/** How a command says that its attempt ended. */
export interface CommandResult {
  outcome: "succeeded" | "failed" | "blocked";
  summary: string | null;
  error: string | null;
}

export type CommandLine =
  | { kind: "event"; event: AgentEvent }
  | { kind: "result"; result: CommandResult }
  /** It has the type of an event, and not its shape; `why` is for whoever wrote the command. */
  | { kind: "malformed"; why: string }
  | { kind: "output" };

const OUTPUT: CommandLine = { kind: "output" };
const OUTCOMES = ["succeeded", "failed", "blocked"] as const;
const BUCKETS = ["input", "output", "cache_read", "cache_write"] as const;

/**
 * Reads one line:
 * `{"type":"progress","text":…}`, `{"type":"note","text":…}`, `{"type":"session","session":…,"model"?:…}`,
 * `{"type":"usage","input"?,"output"?,"cache_read"?,"cache_write"?,"cost_usd"?}` (used so far, the whole attempt) and
 * `{"type":"result","outcome"?:"succeeded"|"failed"|"blocked","summary"?:…,"error"?:…}`. An `error` without an `outcome`
 * is a failure; other keys are ignored.
 */
export function readCommandLine(line: string): CommandLine {
  // A script may indent what it prints.
  const fields = fieldsOfLine(line.trimStart());
  switch (fields?.["type"]) {
    case "progress":
    case "note":
      return textLine(fields["type"], fields);
    case "session":
      return sessionLine(fields);
    case "usage":
      return usageLine(fields);
    case "result":
      return resultLine(fields);
    default:
      return OUTPUT;
  }
}

function textLine(type: "progress" | "note", { text }: Fields): CommandLine {
  if (typeof text !== "string") return malformed(`a ${type} line needs a "text" that is a string`);
  return { kind: "event", event: { type, text: plainText(text) } };
}

function sessionLine({ session, model = null }: Fields): CommandLine {
  const isRight = typeof session === "string" && (model === null || typeof model === "string");
  if (!isRight) return malformed('a session line needs a "session" that is a string, and may have a "model"');
  return {
    kind: "event",
    event: { type: "session", session: plainText(session), model: model === null ? null : plainText(model) },
  };
}

function usageLine(fields: Fields): CommandLine {
  const usage = Object.fromEntries(BUCKETS.map((name) => [name, fields[name] ?? 0])) as Record<keyof Usage, number>;
  const cost_usd = fields["cost_usd"] ?? null;
  const isRight =
    BUCKETS.some((name) => fields[name] !== undefined) &&
    BUCKETS.every((name) => Number.isSafeInteger(usage[name]) && usage[name] >= 0) &&
    (cost_usd === null || (typeof cost_usd === "number" && Number.isFinite(cost_usd) && cost_usd >= 0));
  if (!isRight) return malformed(`a usage line has whole numbers: ${BUCKETS.join(", ")}; and may have a "cost_usd"`);
  return { kind: "event", event: { type: "usage", usage, cost_usd: cost_usd as number | null } };
}

function resultLine({ outcome, summary = null, error = null }: Fields): CommandLine {
  const meant = outcome ?? (error === null ? "succeeded" : "failed");
  const known = OUTCOMES.find((name) => name === meant);
  const isRight =
    known !== undefined &&
    (summary === null || typeof summary === "string") &&
    (error === null || typeof error === "string");
  if (!isRight) {
    return malformed(
      `a result line may have an "outcome" (${OUTCOMES.join(", ")}), a "summary" and an "error", all texts`,
    );
  }
  const textOf = (text: unknown): string | null => (typeof text === "string" ? plainText(text) : null);
  return { kind: "result", result: { outcome: known, summary: textOf(summary), error: textOf(error) } };
}

function malformed(why: string): CommandLine {
  return { kind: "malformed", why };
}
