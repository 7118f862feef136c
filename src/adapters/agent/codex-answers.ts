/** What Codex is answered when it asks: it works with full access, and nobody sits before it. Pure. */

import { shortText } from "./plain-text.ts";
import { type Fields, object, text } from "./wire-fields.ts";

export interface CodexAnswer {
  /** What goes back, `result` or `error`. */
  reply: { result: Fields } | { error: { code: number; message: string } };
  /** For people. */
  note: string;
}

/** How the protocol says that a method is not known. */
const NO_SUCH_METHOD = -32_601;

/** Every request is answered: one that is not would hold the turn for ever. */
export function answerTo(method: string, params: Fields): CodexAnswer {
  switch (method) {
    case "item/commandExecution/requestApproval":
    case "item/fileChange/requestApproval":
      return allow(params, { decision: "accept" });
    case "item/permissions/requestApproval":
      return allow(params, { permissions: object(params["permissions"]), scope: "turn" });
    // Older releases ask so.
    case "execCommandApproval":
    case "applyPatchApproval":
      return allow(params, { decision: "approved" });
    case "item/tool/requestUserInput":
      return { reply: { result: { answers: {} } }, note: "it asked a person, and nobody is there" };
    case "mcpServer/elicitation/request":
      return elicitation(params);
    default: {
      const message = `${method} is not had here`;
      return { reply: { error: { code: NO_SUCH_METHOD, message } }, note: `it asked for what is not had: ${method}` };
    }
  }
}

function allow(params: Fields, result: Fields): CodexAnswer {
  const about = shortText(text(params["command"]) ?? text(params["reason"]) ?? "");
  return { reply: { result }, note: `it asked for permission and got it${about === "" ? "" : `: ${about}`}` };
}

/** Of an MCP server: its tool may be used, but it gets no data that only a person has. */
function elicitation(params: Fields): CodexAnswer {
  const server = shortText(text(params["serverName"]) ?? "an MCP server");
  const isApproval = text(object(params["_meta"])["codex_approval_kind"]) !== null;
  const action = isApproval ? "accept" : "decline";
  const note = isApproval ? `it asked to use ${server} and may` : `${server} asked a person, and nobody is there`;
  return { reply: { result: { action, content: isApproval ? {} : null, _meta: null } }, note };
}
