/** What an agent asks leave for over the Agent Client Protocol, as calls of tools. Pure. */

import type { ToolCall, ToolKind } from "../../core/policy/tool-rules.ts";
import { type Fields, list, object, text } from "./wire-fields.ts";

/** The protocol's kinds of tools; what is none of them does something else. */
const KINDS: Record<string, ToolKind | undefined> = {
  execute: "run",
  edit: "write",
  delete: "write",
  move: "write",
  read: "read",
  search: "read",
  fetch: "fetch",
};

/** Where agents put a path, and where an address. */
const PATHS = ["file_path", "filePath", "filepath", "path", "absolute_path"];
const ADDRESSES = ["url", "query"];

/** `fields`: all that is known of the tool. One that touches several files is several calls. */
export function acpCalls(fields: Fields): ToolCall[] {
  const ofServer = serverTool(fields);
  if (ofServer !== null) return [{ kind: "other", tool: ofServer, about: "" }];
  const [kindText, title] = [text(fields["kind"]) ?? "other", text(fields["title"]) ?? ""];
  const kind = (Object.hasOwn(KINDS, kindText) ? KINDS[kindText] : undefined) ?? "other";
  const tool = toolName(fields) ?? (kind === "other" && title !== "" ? title : kindText);
  return aboutOf(kind, fields, title).map((about) => ({ kind, tool, about }));
}

/** A tool of an MCP server under one name for all agents, `mcp__SERVER__TOOL`, whatever kind they take it for; null: it is none. */
function serverTool(fields: Fields): string | null {
  const title = text(fields["title"]) ?? "";
  const [, server, tool] = /^mcp\.([\w-]+)\.([\w-]+)$/.exec(title) ?? [];
  if (server !== undefined) return `mcp__${server}__${tool}`;
  const [, named, of] = /^([\w-]+) \(([\w-]+) MCP Server\)$/.exec(title) ?? [];
  return named === undefined ? null : `mcp__${of}__${named}`;
}

function toolName(fields: Fields): string | null {
  return text(fields["name"]) ?? text(object(object(fields["_meta"])["claudeCode"])["toolName"]);
}

function aboutOf(kind: ToolKind, fields: Fields, title: string): string[] {
  const input = object(fields["rawInput"]);
  switch (kind) {
    case "run":
      return [text(input["command"]) ?? bare(title)];
    case "fetch":
      return [firstOf(input, ADDRESSES) ?? bare(title)];
    case "write":
    case "read": {
      const told = firstOf(input, PATHS);
      const places = [...list(fields["locations"]), ...list(fields["content"])].flatMap(({ path }) => text(path) ?? []);
      const paths = [...new Set([...(told === null ? [] : [told]), ...places])];
      return paths.length === 0 ? [title] : paths;
    }
    case "other":
      return [""];
  }
}

function firstOf(input: Fields, names: readonly string[]): string | null {
  return names.map((name) => text(input[name])).find((value) => value !== null) ?? null;
}

/** Some put a command between backticks. */
function bare(title: string): string {
  return /^`([^`]*)`$/s.exec(title)?.[1] ?? title;
}
