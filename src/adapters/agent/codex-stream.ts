/** One line of `codex app-server`, read into lockstep's words. Pure, and without memory. */

import type { AgentEvent } from "../../ports/agent.ts";
import { type CodexFailure, codexFailure } from "./codex-failure.ts";
import { itemBegun, itemDone, lastSaid } from "./codex-items.ts";
import { type CodexTokens, readTokens } from "./codex-usage.ts";
import { plainText, shortText } from "./plain-text.ts";
import { type Fields, fieldsOfLine, list, number, object, text } from "./wire-fields.ts";

export type CodexLine =
  /** No JSON, so a line of standard error. */
  | { kind: "stray" }
  /** To a request of ours. `error` says why it was refused; null: it was not. */
  | { kind: "answer"; id: number; result: Fields; error: string | null }
  /** It asks, and waits for the answer. */
  | { kind: "request"; id: string | number; method: string; params: Fields }
  | ({ kind: "notice" } & CodexNotice);

/** Something that happened. Of what is not known, nothing is told. */
export interface CodexNotice {
  events: AgentEvent[];
  /** The conversation and the turn that it belongs to, where it says so. */
  thread: string | null;
  turn: string | null;
  /** The model is at work: whatever had failed before works again. */
  is_work?: boolean;
  /** It is about to change these files. */
  changes?: { item: string; paths: string[] };
  tokens?: CodexTokens;
  failure?: CodexFailure & { will_retry: boolean };
  /** The account's windows, by how much of each is used. */
  windows?: CodexWindow[];
  /** The last words of its turn. */
  end?: CodexTurnEnd;
}

export interface CodexWindow {
  used_percent: number;
  /** Milliseconds since 1970, where it says so. */
  resets_at: number | null;
}

export interface CodexTurnEnd {
  /** `completed`, `interrupted` or `failed`, in its own words. */
  status: string;
  failure: CodexFailure | null;
  /** What it said last, where the end repeats it. */
  summary: string | null;
}

/** Anything that is not known is a notice without events, and no error: the protocol grows with every release. */
export function readCodexLine(line: string): CodexLine {
  const fields = fieldsOfLine(line);
  if (fields === null) return { kind: "stray" };
  const [id, method, params] = [fields["id"], text(fields["method"]), object(fields["params"])];
  if (method !== null && (typeof id === "number" || typeof id === "string")) {
    return { kind: "request", id, method: shortText(method), params };
  }
  if (method === null && typeof id === "number") {
    const error = "error" in fields ? (text(object(fields["error"])["message"]) ?? "no reason given") : null;
    return { kind: "answer", id, result: object(fields["result"]), error: error === null ? null : plainText(error) };
  }
  const turn = text(params["turnId"]) ?? text(object(params["turn"])["id"]);
  const whose = { thread: text(params["threadId"]), turn };
  return { kind: "notice", events: [], ...whose, ...readNotice(method ?? "", params, whose) };
}

type Whose = Pick<CodexNotice, "thread" | "turn">;

function readNotice(method: string, params: Fields, { thread, turn }: Whose): Partial<CodexNotice> {
  switch (method) {
    case "item/started":
      return {
        events: itemBegun(object(params["item"])),
        is_work: isWork(params),
        ...changesOf(object(params["item"])),
      };
    case "item/completed":
      return { events: itemDone(object(params["item"])), is_work: isWork(params) };
    case "turn/completed":
      return { end: readEnd(object(params["turn"])) };
    case "turn/plan/updated":
      return { events: planEvents(params) };
    case "error":
      return readFailure(params);
    case "thread/tokenUsage/updated": {
      const tokens = readTokens(params, thread, turn);
      return tokens === null ? {} : { tokens };
    }
    case "account/rateLimits/updated":
      return { windows: readWindows(object(params["rateLimits"])) };
    default:
      return { events: remarks(method, params) };
  }
}

/** What the user said is an item as well, and comes before the model is asked. */
function isWork(params: Fields): boolean {
  return object(params["item"])["type"] !== "userMessage";
}

function changesOf(item: Fields): Pick<CodexNotice, "changes"> {
  const id = text(item["id"]);
  if (item["type"] !== "fileChange" || id === null) return {};
  return { changes: { item: id, paths: list(item["changes"]).map(({ path }) => text(path) ?? "") } };
}

function readEnd(turn: Fields): CodexTurnEnd {
  const { status, error, items } = turn;
  const failure = typeof error === "object" && error !== null ? codexFailure(error as Fields) : null;
  return { status: shortText(text(status) ?? "unknown"), failure, summary: lastSaid(items) };
}

function readFailure(params: Fields): Partial<CodexNotice> {
  // Only a clear yes is one: of a failure that is not tried again nothing more would be heard.
  const failure = { ...codexFailure(object(params["error"])), will_retry: params["willRetry"] === true };
  const status = failure.status === null ? "" : ` (${failure.status})`;
  const words = `the model's service failed${status}: ${shortText(failure.text)}`;
  const isLimit = failure.kind === "limit" || failure.kind === "overload";
  return { failure, events: [isLimit ? { type: "limit", text: words, until: null } : note(words)] };
}

function planEvents(params: Fields): AgentEvent[] {
  const steps = list(params["plan"]);
  const at = steps.findIndex(({ status }) => status === "inProgress");
  const step = text(steps[at]?.["step"]);
  return step === null ? [] : [{ type: "progress", text: `${at + 1} of ${steps.length}: ${shortText(step)}` }];
}

/** Seconds since 1970, of this century: anything else is no time that could be waited for. */
function millisecondsOf(seconds: number | null): number | null {
  return seconds !== null && seconds > 946_684_800 && seconds < 4_102_444_800 ? Math.ceil(seconds * 1_000) : null;
}

function readWindows(limits: Fields): CodexWindow[] {
  return ["primary", "secondary"].flatMap((name) => {
    const window = object(limits[name]);
    const used_percent = number(window["usedPercent"]);
    return used_percent === null ? [] : [{ used_percent, resets_at: millisecondsOf(number(window["resetsAt"])) }];
  });
}

/** What it says of its sandbox at each start is nothing to anybody: it works without one. */
const ABOUT_SANDBOX = /bubblewrap/i;

function remarks(method: string, params: Fields): AgentEvent[] {
  switch (method) {
    case "warning":
    case "guardianWarning":
    case "configWarning": {
      const said = shortText(text(params["message"]) ?? text(params["summary"]) ?? "");
      return said === "" || ABOUT_SANDBOX.test(said) ? [] : [note(said)];
    }
    case "model/rerouted":
      return [note(`another model answers: ${shortText(text(params["toModel"]) ?? "unknown")}`)];
    case "mcpServer/startupStatus/updated": {
      if (params["status"] !== "failed") return [];
      const why = shortText(text(params["error"]) ?? "no reason given");
      return [note(`the MCP server ${shortText(text(params["name"]) ?? "?")} did not start: ${why}`)];
    }
    default:
      return [];
  }
}

function note(words: string): AgentEvent {
  return { type: "note", text: words };
}
