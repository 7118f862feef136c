/** One line of Claude Code's `--output-format stream-json`, read into lockstep's words. Pure, and without memory. */

import type { Usage } from "../../core/task/rows.ts";
import type { AgentEvent } from "../../ports/agent.ts";
import { plainText, shortText } from "./plain-text.ts";
import { type Fields, fieldsOfLine, list, number, object, text } from "./wire-fields.ts";

/** The last word of a turn. The only event that says how an attempt ended. */
export interface ClaudeResult {
  /** `success` or the kind of error; `success` may still be an error by `is_error`. */
  subtype: string;
  is_error: boolean;
  /** What it said at its end: its summary, or what went wrong. */
  text: string | null;
  /** HTTP status with which the model's service refused, where that is the reason. */
  api_error_status: number | null;
  /** What went wrong with that service, by the command line's own name for it. */
  api_error: string | null;
  /** Of its own answers since the result before, or not all of them; null when it does not say. */
  usage: Usage | null;
  /** Of the whole conversation, in US dollars. */
  cost_usd: number | null;
  /** What the whole conversation used, with all that belongs to it, as far as its program remembers it. */
  spent: ClaudeSpent | null;
}

export interface ClaudeSpent {
  usage: Usage;
  cost_usd: number;
}

/** An answer of a model has begun, its own or that of a helper. It comes in parts, each of which tells this. */
export interface ClaudeAnswer {
  id: string;
  /** Its output is not known yet. */
  usage: Usage;
}

export interface ClaudeLine {
  /** False: no JSON, so a line of standard error or of something that it started. */
  is_event: boolean;
  events: AgentEvent[];
  result?: ClaudeResult;
  answer?: ClaudeAnswer;
  /** The account's limit is reached until `resets_at`, milliseconds since 1970, where it says so; null: it is not. */
  limit?: { resets_at: number | null; kind: string | null } | null;
  /** The service failed, and it tries again. */
  retry?: ClaudeRetry;
  /** It asks, and waits for the answer. */
  asks?: ClaudeAsks;
  /**
   * True: the answer of its model broke off once more, and it does not ask again. False: an answer came whole. One that it
   * had to end itself, for want of the rest, says neither.
   */
  isCut?: boolean;
}

/** `auth`: it is refused for who it is. `limit`: too many requests. `overload`: nobody's fault. */
export interface ClaudeRetry {
  kind: "auth" | "limit" | "overload" | "other";
  /** The first is 1. */
  attempt: number;
  delay_ms: number;
}

export interface ClaudeAsks {
  id: string;
  subtype: string;
  request: Fields;
}

/** Anything that is not known is no event and no error: the stream grows with every release. */
export function readClaudeLine(line: string): ClaudeLine {
  const fields = fieldsOfLine(line);
  if (fields === null) return { is_event: false, events: [] };
  return { is_event: true, events: [], ...readEvent(fields) };
}

function readEvent(fields: Fields): Partial<ClaudeLine> {
  switch (fields["type"]) {
    case "system":
      return readSystem(fields);
    case "assistant":
      return { events: assistantEvents(fields), ...answerOf(fields), ...(isWhole(fields) ? { isCut: false } : {}) };
    case "user":
      return { events: toolEnds(fields) };
    case "rate_limit_event":
      return readLimit(object(fields["rate_limit_info"]));
    case "result":
      return readResult(fields);
    case "control_request":
      return readAsks(fields);
    case "control_response":
      return readAnswer(object(fields["response"]));
    default:
      return {};
  }
}

function readSystem(fields: Fields): Partial<ClaudeLine> {
  switch (fields["subtype"]) {
    case "init": {
      const session = text(fields["session_id"]);
      if (session === null) return {};
      return { events: [{ type: "session", session: plainText(session), model: text(fields["model"]) }] };
    }
    case "api_retry":
      return readRetry(fields);
    case "permission_denied": {
      const why = text(fields["message"]) ?? "no reason given";
      return { events: [note(`${text(fields["tool_name"]) ?? "a tool"} was refused: ${shortText(why)}`)] };
    }
    default:
      return {};
  }
}

function readRetry(fields: Fields): Partial<ClaudeLine> {
  const { error_status, max_retries } = fields;
  const error = text(fields["error"]) ?? "unknown";
  const [attempt, delay_ms] = [number(fields["attempt"]), Math.max(0, number(fields["retry_delay_ms"]) ?? 0)];
  const status = number(error_status) === null ? "" : ` ${number(error_status)}`;
  const tries = `retry ${attempt ?? "?"} of ${number(max_retries) ?? "?"} in ${Math.round(delay_ms / 100) / 10} s`;
  const words = `the model's service failed (${error}${status}): ${tries}`;
  const kind = kindOfRetry(error, number(error_status));
  const retry = { kind, attempt: attempt ?? 1, delay_ms };
  const isLimit = kind === "limit" || kind === "overload";
  const events: AgentEvent[] = [isLimit ? { type: "limit", text: words, until: null } : note(words)];
  const isLast = (attempt ?? 0) >= (number(max_retries) ?? Number.POSITIVE_INFINITY);
  return number(error_status) === null && isLast ? { events, retry, isCut: true } : { events, retry };
}

function kindOfRetry(error: string, status: number | null): ClaudeRetry["kind"] {
  if (error === "authentication_failed") return "auth";
  if (error === "rate_limit" || status === 429) return "limit";
  return error === "overloaded" || status === 529 ? "overload" : "other";
}

function readAsks(fields: Fields): Partial<ClaudeLine> {
  const [id, request] = [text(fields["request_id"]), object(fields["request"])];
  if (id === null) return {};
  return { asks: { id, subtype: shortText(text(request["subtype"]) ?? "nothing"), request } };
}

/** To one of our requests; that it did what it was asked says nothing to anybody. */
function readAnswer({ subtype, error }: Fields): Partial<ClaudeLine> {
  return subtype === "error"
    ? { events: [note(`it refused a request: ${shortText(text(error) ?? "no reason given")}`)] }
    : {};
}

/** Of a line that is too long to be read: the request that it makes, which would else be waited for for ever. */
export function readClaudeBeginning(line: string): string | null {
  const head = line.slice(0, HEAD_CHARACTERS);
  if (!/"type"\s*:\s*"control_request"/.test(head)) return null;
  return /"request_id"\s*:\s*"([\w-]{1,100})"/.exec(head)?.[1] ?? null;
}

/** Where the members of a request stand that are not what it carries. */
const HEAD_CHARACTERS = 500;

/** It passes on what it hears as it comes, before its model says why it stops; only what it ended itself has a reason. */
function isWhole(fields: Fields): boolean {
  return text(object(fields["message"])["stop_reason"]) === null;
}

function answerOf(fields: Fields): Pick<ClaudeLine, "answer"> {
  const message = object(fields["message"]);
  const [id, usage] = [text(message["id"]), usageOf(message["usage"])];
  return id === null || usage === null ? {} : { answer: { id, usage } };
}

function assistantEvents(fields: Fields): AgentEvent[] {
  // What the command line itself says of a failure of the service comes in the form of an answer.
  const isOwn = fields["is_api_error_message"] === true;
  return blocks(fields).flatMap((block): AgentEvent[] => {
    const said = text(block["text"]);
    if (block["type"] === "text" && said !== null && said.trim() !== "") {
      return [isOwn ? note(plainText(said)) : { type: "text", text: plainText(said) }];
    }
    if (block["type"] !== "tool_use") return [];
    const name = shortText(text(block["name"]) ?? "a tool");
    const id = text(block["id"]);
    return [{ type: "tool", name, about: aboutTool(object(block["input"])), ...(id === null ? {} : { id }) }];
  });
}

/** The part of a tool's input that tells most, in the order of how much. */
const TELLING = ["command", "file_path", "notebook_path", "pattern", "url", "query", "description", "prompt"];

function aboutTool(input: Fields): string {
  const name = TELLING.find((key) => text(input[key]) !== null);
  return shortText(text(input[name ?? ""]) ?? "");
}

function toolEnds(fields: Fields): AgentEvent[] {
  return blocks(fields)
    .filter((block) => block["type"] === "tool_result")
    .flatMap((block): AgentEvent[] => {
      const id = text(block["tool_use_id"]);
      const failure = note(`a tool failed: ${shortText(resultText(block["content"]))}`);
      return [
        ...(id === null ? [] : [{ type: "tool_ended", id } as const]),
        ...(block["is_error"] === true ? [failure] : []),
      ];
    });
}

function resultText(content: unknown): string {
  if (typeof content === "string") return content;
  return list(content)
    .map((part) => text(part["text"]) ?? "")
    .join("\n");
}

function readLimit(info: Fields): Partial<ClaudeLine> {
  const kind = text(info["rateLimitType"]);
  const about = kind === null ? "" : ` (${shortText(kind)})`;
  if (info["status"] === "allowed_warning") return { events: [note(`a usage limit is near${about}`)], limit: null };
  if (info["status"] !== "rejected") return info["status"] === "allowed" ? { limit: null } : {};
  const resets_at = millisecondsOf(number(info["resetsAt"]));
  const events: AgentEvent[] = [{ type: "limit", text: `a usage limit is reached${about}`, until: resets_at }];
  return { events, limit: { resets_at, kind } };
}

/** Seconds since 1970, of this century: anything else is no time that could be waited for. */
function millisecondsOf(seconds: number | null): number | null {
  return seconds !== null && seconds > 946_684_800 && seconds < 4_102_444_800 ? Math.ceil(seconds * 1_000) : null;
}

function readResult(fields: Fields): Partial<ClaudeLine> {
  const errors = Array.isArray(fields["errors"]) ? fields["errors"].filter((part) => typeof part === "string") : [];
  const said = text(fields["result"]) ?? (errors.length > 0 ? errors.join("; ") : null);
  const result: ClaudeResult = {
    subtype: shortText(text(fields["subtype"]) ?? "unknown"),
    // Only a clear no is one: a result that does not say whether it is an error must not pass for a success.
    is_error: fields["is_error"] !== false,
    text: said === null || said.trim() === "" ? null : plainText(said.trim()),
    api_error_status: number(fields["api_error_status"]),
    api_error: text(fields["api_error"]),
    usage: usageOf(fields["usage"]),
    cost_usd: number(fields["total_cost_usd"]),
    spent: spentOf(fields["modelUsage"], number(fields["total_cost_usd"])),
  };
  return { result };
}

/** The sums over its models (`modelUsage`), in words that differ from those of `usage`. Null where there are none. */
export function spentOf(models: unknown, cost_usd: number | null): ClaudeSpent | null {
  const each = Object.values(object(models)).map(object);
  if (each.length === 0) return null;
  const sum = (name: string): number => each.reduce((all, model) => all + countOf(model[name]), 0);
  const usage = {
    input: sum("inputTokens"),
    output: sum("outputTokens"),
    cache_read: sum("cacheReadInputTokens"),
    cache_write: sum("cacheCreationInputTokens"),
  };
  return { usage, cost_usd: cost_usd ?? 0 };
}

/** Its four buckets do not overlap: what came from the cache is not counted as input again. */
function usageOf(value: unknown): Usage | null {
  if (typeof value !== "object" || value === null) return null;
  const count = (name: string): number => countOf((value as Fields)[name]);
  return {
    input: count("input_tokens"),
    output: count("output_tokens"),
    cache_read: count("cache_read_input_tokens"),
    cache_write: count("cache_creation_input_tokens"),
  };
}

function countOf(value: unknown): number {
  return Math.max(0, Math.trunc(number(value) ?? 0));
}

function note(words: string): AgentEvent {
  return { type: "note", text: words };
}

function blocks(fields: Fields): Fields[] {
  return list(object(fields["message"])["content"]);
}
