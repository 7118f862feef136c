/** The tools of Claude Code, in lockstep's words. Pure. */

import type { ToolCall, ToolKind } from "../../core/policy/tool-rules.ts";
import { type Fields, text } from "./wire-fields.ts";

/** What a tool does, and the part of its input that says with what. */
const KNOWN: Record<string, [ToolKind, string[]] | undefined> = {
  Bash: ["run", ["command"]],
  Monitor: ["run", ["command"]],
  Write: ["write", ["file_path"]],
  Edit: ["write", ["file_path"]],
  MultiEdit: ["write", ["file_path"]],
  NotebookEdit: ["write", ["notebook_path", "file_path"]],
  Read: ["read", ["file_path"]],
  Glob: ["read", ["path", "pattern"]],
  Grep: ["read", ["path"]],
  LS: ["read", ["path"]],
  WebFetch: ["fetch", ["url"]],
  WebSearch: ["fetch", ["query"]],
};

/** A tool that is not known runs something if it is given a command. */
export function claudeCall(tool: string, input: Fields): ToolCall {
  const [kind, names] = Object.hasOwn(KNOWN, tool) ? KNOWN[tool]! : unknownTool(input);
  const about = names.map((name) => text(input[name])).find((value) => value !== null) ?? "";
  return { kind, tool, about };
}

function unknownTool(input: Fields): [ToolKind, string[]] {
  return text(input["command"]) === null ? ["other", []] : ["run", ["command"]];
}
