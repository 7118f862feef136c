/** What Codex asks: leave for what it means to do, and things that are not had here. Pure. */

import type { ToolCall } from "../../core/policy/tool-rules.ts";
import { shortText } from "./plain-text.ts";
import { type Fields, object, text } from "./wire-fields.ts";

export type CodexAsk =
  /** It may go on if every call may be made. */
  | { kind: "permission"; calls: ToolCall[]; yes: Fields; no: Fields }
  /** Answered without a question to anybody; `note` is for people. */
  | { kind: "answer"; reply: { result: Fields } | { error: { code: number; message: string } }; note: string };

/** How the protocol says that a method is not known. */
const NO_SUCH_METHOD = -32_601;

/**
 * Every request is answered: one that is not would hold the turn for ever. `changed`: the files that the item changes that
 * is asked about; null where it has not been told.
 */
export function readAsk(method: string, params: Fields, changed: readonly string[] | null): CodexAsk {
  switch (method) {
    case "item/commandExecution/requestApproval":
      return permission([commandCall(params)], { decision: "accept" }, { decision: "decline" });
    case "item/fileChange/requestApproval": {
      const paths = changed ?? [text(params["grantRoot"]) ?? ""];
      return permission(paths.map(patchCall), { decision: "accept" }, { decision: "decline" });
    }
    case "item/permissions/requestApproval": {
      const call: ToolCall = { kind: "other", tool: "request_permissions", about: text(params["reason"]) ?? "" };
      const yes = { permissions: object(params["permissions"]), scope: "turn" };
      return permission([call], yes, { permissions: {}, scope: "turn" });
    }
    // Older releases ask so.
    case "execCommandApproval": {
      const words = Array.isArray(params["command"]) ? params["command"] : [];
      const call: ToolCall = { kind: "run", tool: "exec_command", about: words.map(quoted).join(" ") };
      return permission([call], { decision: "approved" }, { decision: "denied" });
    }
    case "applyPatchApproval": {
      const calls = Object.keys(object(params["fileChanges"])).map(patchCall);
      return permission(calls, { decision: "approved" }, { decision: "denied" });
    }
    case "item/tool/requestUserInput":
      return {
        kind: "answer",
        reply: { result: { answers: {} } },
        note: "it asked a person, and nobody sits before it",
      };
    case "mcpServer/elicitation/request":
      return elicitation(params);
    default: {
      const message = `${method} is not had here`;
      const note = `it asked for what is not had: ${method}`;
      return { kind: "answer", reply: { error: { code: NO_SUCH_METHOD, message } }, note };
    }
  }
}

function permission(calls: ToolCall[], yes: Fields, no: Fields): CodexAsk {
  return { kind: "permission", calls, yes, no };
}

function commandCall(params: Fields): ToolCall {
  const host = text(object(params["networkApprovalContext"])["host"]);
  if (host !== null) return { kind: "fetch", tool: "network", about: host };
  return { kind: "run", tool: "exec_command", about: unwrapped(text(params["command"]) ?? "") };
}

/** The shell that it puts around each command line says nothing; quotes inside are left to whoever reads the whole. */
function unwrapped(command: string): string {
  return /^\S*\b(?:ba|z)?sh -l?c (?:'([^']*)'|([\w./:=@%+-]+))$/.exec(command)?.slice(1).find(Boolean) ?? command;
}

function patchCall(path: string): ToolCall {
  return { kind: "write", tool: "apply_patch", about: path };
}

function quoted(word: unknown): string {
  const plain = String(word);
  return /^[\w./:=@%+-]+$/.test(plain) ? plain : `'${plain.replaceAll("'", "'\\''")}'`;
}

/** Of an MCP server: leave to use its tool is a ruling's; data that only a person has is not given. */
function elicitation(params: Fields): CodexAsk {
  const server = shortText(text(params["serverName"]) ?? "an MCP server");
  const meta = object(params["_meta"]);
  const no = { action: "decline", content: null, _meta: null };
  if (text(meta["codex_approval_kind"]) === null) {
    return { kind: "answer", reply: { result: no }, note: `${server} asked a person, and nobody sits before it` };
  }
  const tool = text(meta["tool_name"]) ?? text(meta["tool_title"]);
  const call: ToolCall = { kind: "other", tool: `mcp__${server}${tool === null ? "" : `__${tool}`}`, about: "" };
  return permission([call], { action: "accept", content: {}, _meta: null }, no);
}
