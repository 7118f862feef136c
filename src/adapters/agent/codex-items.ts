/** What Codex does, item by item, in lockstep's words. Pure. */

import type { AgentEvent } from "../../ports/agent.ts";
import { plainText, shortText } from "./plain-text.ts";
import { toolEnded } from "./tool-ended.ts";
import { type Fields, list, object, text } from "./wire-fields.ts";

/** An item that began: a tool runs from then on. */
export function itemBegun(item: Fields): AgentEvent[] {
  const tool = toolOf(item);
  return tool === null ? [] : [{ type: "tool", ...tool }];
}

/** An item that is done: something was said, or a tool has ended. */
export function itemDone(item: Fields): AgentEvent[] {
  if (item["type"] === "agentMessage") {
    const said = text(item["text"])?.trim() ?? "";
    return said === "" ? [] : [{ type: "text", text: plainText(said) }];
  }
  if (item["type"] === "contextCompaction")
    return [{ type: "note", text: "its conversation was summed up to make room" }];
  const tool = toolOf(item);
  if (tool === null) return [];
  const note = failureOf(item, tool.name);
  if (note !== null) return [toolEnded(tool.id, ""), { type: "note", text: note }];
  return [toolEnded(tool.id, text(item["aggregatedOutput"]) ?? resultText(object(item["result"])))];
}

/** The last that the agent said in a list of items, or null. */
export function lastSaid(items: unknown): string | null {
  const said = list(items)
    .filter(({ type }) => type === "agentMessage")
    .map((item) => text(item["text"])?.trim() ?? "")
    .findLast((words) => words !== "");
  return said === undefined ? null : plainText(said);
}

/** Only what has an id can be seen to end. */
function toolOf(item: Fields): { name: string; about: string; id: string } | null {
  const id = text(item["id"]);
  const named = id === null ? null : namedTool(item);
  if (id === null || named === null) return null;
  return { name: shortText(named.name), about: shortText(named.about), id };
}

function namedTool(item: Fields): { name: string; about: string } | null {
  const tool = text(item["tool"]) ?? "a tool";
  switch (item["type"]) {
    case "commandExecution":
      return { name: "exec_command", about: commandOf(text(item["command"]) ?? "") };
    case "fileChange":
      return { name: "apply_patch", about: pathsOf(item["changes"]) };
    case "mcpToolCall":
      return { name: `${text(item["server"]) ?? "mcp"}.${tool}`, about: tellingArgument(object(item["arguments"])) };
    case "dynamicToolCall":
    case "collabAgentToolCall":
      return { name: tool, about: text(item["prompt"]) ?? tellingArgument(object(item["arguments"])) };
    case "webSearch":
      return { name: "web_search", about: text(item["query"]) ?? "" };
    default:
      return null;
  }
}

/** The shell that Codex puts around every command says nothing. */
function commandOf(command: string): string {
  const script = /^\S*\b(?:bash|sh|zsh) -l?c (['"])(.*)\1$/s.exec(command)?.[2];
  return script ?? command;
}

function pathsOf(changes: unknown): string {
  return list(changes)
    .map(({ path }) => text(path) ?? "")
    .filter((path) => path !== "")
    .join(", ");
}

function tellingArgument(given: Fields): string {
  return (Object.values(given).find((value) => typeof value === "string") as string | undefined) ?? "";
}

/** Of a tool of a server. */
function resultText(result: Fields): string {
  return list(result["content"])
    .map((part) => text(part["text"]) ?? "")
    .join("\n");
}

function failureOf(item: Fields, name: string): string | null {
  if (item["status"] === "declined") return `${name} was refused`;
  if (item["status"] !== "failed") return null;
  const why = text(object(item["error"])["message"]) ?? text(item["aggregatedOutput"]) ?? "";
  const exit = typeof item["exitCode"] === "number" ? `exit ${item["exitCode"]}` : name;
  return `a tool failed: ${shortText([exit, shortText(why)].filter((part) => part !== "").join(": "))}`;
}
