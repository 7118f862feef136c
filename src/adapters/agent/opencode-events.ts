/** One event of an OpenCode server, read into lockstep's words. Pure, and without memory. */

import type { Usage } from "../../core/task/rows.ts";
import type { AgentEvent } from "../../ports/agent.ts";
import { type OpenCodeAsk, readAsk } from "./opencode-permission.ts";
import { plainText, shortText } from "./plain-text.ts";
import { type Fields, list, number, object, text } from "./wire-fields.ts";

/** What happened. Of what is not known, nothing is told: the protocol grows with every release. */
export interface OpenCodeNotice {
  /** The conversation that it belongs to, where it says so. Helpers have their own. */
  session: string | null;
  /** The message of the conversation that it is, or is a part of. */
  message?: string;
  /** That message sums the conversation up: it is no answer to anything. */
  is_summary?: true;
  /** The conversation has been summed up. */
  is_summed_up?: true;
  /** To be told as they are. */
  events?: AgentEvent[];
  /** `provider/model` of the one that answers. */
  model?: string;
  /** Words of the model that are whole. */
  said?: { part: string; text: string };
  tool?: OpenCodeTool;
  step?: OpenCodeStep;
  /** The status `retry`, as it came. */
  retry?: Fields;
  /** An error, as it came. It may go on all the same. */
  error?: Fields;
  ask?: OpenCodeAsk;
  /** It wants a person to answer; its own name of that. */
  question?: string;
  /** The turn is over. */
  is_idle?: boolean;
  /** It works: no error before has ended it. `words`: the model answers. */
  is_work?: "busy" | "words";
}

export interface OpenCodeTool {
  call: string;
  name: string;
  about: string;
  /** `begun`: it runs now. What is only being written down by the model is nothing yet. */
  state: "begun" | "done" | "failed";
  /** Of one that failed: why. */
  why: string;
}

/** One answer of the model, and what it cost. */
export interface OpenCodeStep {
  part: string;
  /** Why the answer ended: `stop`, `tool-calls`, `length` and others. */
  reason: string;
  usage: Usage;
  cost_usd: number;
}

export function readOpenCodeEvent(event: Fields): OpenCodeNotice {
  const properties = object(event["properties"]);
  const part = object(properties["part"]);
  const info = object(properties["info"]);
  const session = text(properties["sessionID"]) ?? text(part["sessionID"]) ?? text(info["sessionID"]);
  const message = text(part["messageID"]) ?? text(info["id"]);
  return {
    session,
    ...(message === null ? {} : { message }),
    ...read(text(event["type"]) ?? "", properties, part, info),
  };
}

/**
 * Happens so often that a transcript is better without it: it is told again as a whole, or is nothing to anybody. A tool
 * that runs is told anew, with all that it has printed, each time that it prints.
 */
export function isRepetition(event: Fields): boolean {
  const { type, state } = object(object(event["properties"])["part"]);
  const isPrinting = type === "tool" && object(state)["status"] === "running" && "metadata" in object(state);
  return isPrinting || REPETITIONS.includes(text(event["type"]) ?? "");
}

const REPETITIONS = [
  "catalog.updated",
  "file.watcher.updated",
  "integration.updated",
  "message.part.delta",
  "plugin.added",
  "reference.updated",
  "server.heartbeat",
  "session.diff",
  "session.updated",
];

type Read = Partial<OpenCodeNotice>;

function read(type: string, properties: Fields, part: Fields, info: Fields): Read {
  switch (type) {
    case "message.part.updated":
      return readPart(part);
    case "message.updated":
      return readMessage(info);
    case "session.status":
      return readStatus(object(properties["status"]));
    case "session.idle":
      return { is_idle: true };
    case "session.error":
      return readError(properties);
    case "permission.asked": {
      const ask = readAsk(properties);
      return ask === null ? {} : { ask };
    }
    case "question.asked": {
      const question = text(properties["id"]);
      return question === null ? {} : { question };
    }
    case "file.edited":
      return fileEvents(text(properties["file"]));
    case "todo.updated":
      return todoEvents(list(properties["todos"]));
    case "session.compacted":
      return { is_summed_up: true, ...note("its conversation was summed up to make room") };
    default:
      return {};
  }
}

function readPart(part: Fields): Read {
  const id = text(part["id"]) ?? "";
  switch (part["type"]) {
    case "reasoning":
      return { is_work: "words" };
    case "text": {
      // It is told in pieces, which are not whole before they have an end.
      const said = text(part["text"])?.trim() ?? "";
      const isWhole = number(object(part["time"])["end"]) !== null;
      return { is_work: "words", ...(isWhole && said !== "" ? { said: { part: id, text: plainText(said) } } : {}) };
    }
    case "tool":
      return { is_work: "words", ...readTool(part) };
    case "step-finish":
      return { is_work: "words", step: { part: id, ...readStep(part) } };
    default:
      return { is_work: "busy" };
  }
}

function readTool(part: Fields): Read {
  const call = text(part["callID"]);
  const state = object(part["state"]);
  const is = STATES[text(state["status"]) ?? ""];
  if (call === null || is === undefined) return {};
  const name = shortText(text(part["tool"]) ?? "a tool");
  const why = shortText(text(state["error"]) ?? "it does not say why");
  return { tool: { call: plainText(call), name, about: aboutOf(object(state["input"])), state: is, why } };
}

const STATES: Record<string, OpenCodeTool["state"] | undefined> = {
  running: "begun",
  completed: "done",
  error: "failed",
};

/** The part of a tool's input that tells most, in the order of how much. */
const TELLING = ["command", "filePath", "path", "pattern", "url", "query", "description"];

function aboutOf(input: Fields): string {
  const told = TELLING.map((name) => text(input[name])).find((value) => value !== null);
  return shortText(told ?? (Object.values(input).find((value) => typeof value === "string") as string) ?? "");
}

/** What came from the cache, or went into it, is beside its input; what the model thought is beside its output. */
function readStep(part: Fields): Omit<OpenCodeStep, "part"> {
  const tokens = object(part["tokens"]);
  const cache = object(tokens["cache"]);
  const usage = {
    input: count(tokens["input"]),
    output: count(tokens["output"]) + count(tokens["reasoning"]),
    cache_read: count(cache["read"]),
    cache_write: count(cache["write"]),
  };
  const reason = shortText(text(part["reason"]) ?? "unknown");
  return { reason, usage, cost_usd: Math.max(0, number(part["cost"]) ?? 0) };
}

function count(value: unknown): number {
  return Math.max(0, Math.trunc(number(value) ?? 0));
}

function readMessage(info: Fields): Read {
  const chosen = object(info["model"]);
  const provider = text(info["providerID"]) ?? text(chosen["providerID"]);
  const model = text(info["modelID"]) ?? text(chosen["modelID"]);
  // What sums up may be another model.
  if (info["summary"] === true) return { is_summary: true };
  return provider === null || model === null ? {} : { model: plainText(`${provider}/${model}`) };
}

function readStatus(status: Fields): Read {
  if (status["type"] === "idle") return { is_idle: true };
  return { is_work: "busy", ...(status["type"] === "retry" ? { retry: status } : {}) };
}

/** One that belongs to no conversation is of a plug-in or a setting, and ends nothing. */
function readError(properties: Fields): Read {
  const error = object(properties["error"]);
  if (text(properties["sessionID"]) !== null) return { error };
  const said = text(object(error["data"])["message"]) ?? text(error["name"]) ?? "";
  return said === "" ? {} : note(`something is wrong with it: ${shortText(said)}`);
}

function fileEvents(path: string | null): Read {
  return path === null ? {} : { events: [{ type: "file", path: plainText(path) }] };
}

function todoEvents(todos: Fields[]): Read {
  const at = todos.findIndex(({ status }) => status === "in_progress");
  const now = text(todos[at]?.["content"]);
  return now === null
    ? {}
    : { events: [{ type: "progress", text: `${at + 1} of ${todos.length}: ${shortText(now)}` }] };
}

function note(words: string): Read {
  return { events: [{ type: "note", text: words }] };
}
