/** What OpenCode asks leave for, in lockstep's words. Pure. */

import type { ToolCall, ToolKind } from "../../core/policy/tool-rules.ts";
import { type Fields, object, text } from "./wire-fields.ts";

export interface OpenCodeAsk {
  /** Its own name of the question. */
  id: string;
  session: string | null;
  /** The call of a tool that it is about; one call may be asked about twice, for what it does and for where. */
  call: string | null;
  /** Without the name of the tool, where only its call is named. */
  about: Pick<ToolCall, "kind" | "about"> & { permission: string };
}

const KINDS: Record<string, ToolKind | undefined> = {
  bash: "run",
  edit: "write",
  webfetch: "fetch",
  websearch: "fetch",
  read: "read",
  list: "read",
  glob: "read",
  grep: "read",
  lsp: "read",
};

/** The tools that write, of those that ask whether they may leave their place. */
const WRITING = ["write", "edit", "multiedit", "apply_patch", "patch"];

/** Reads `permission.asked`; null where it cannot be answered, for it has no name. */
export function readAsk(properties: Fields): OpenCodeAsk | null {
  const id = text(properties["id"]);
  if (id === null) return null;
  const permission = text(properties["permission"]) ?? "";
  const metadata = object(properties["metadata"]);
  const patterns = Array.isArray(properties["patterns"]) ? properties["patterns"].filter((each) => text(each)) : [];
  const command = text(metadata["command"]);
  const about = command ?? text(metadata["filepath"]) ?? text(metadata["url"]) ?? patterns.join(" ");
  const known = Object.hasOwn(KINDS, permission) ? KINDS[permission] : undefined;
  return {
    id,
    session: text(properties["sessionID"]),
    call: text(object(properties["tool"])["callID"]),
    about: { kind: command === null ? (known ?? "other") : "run", about, permission },
  };
}

/** The call that is to be ruled on. `tool`: the name of the tool that it is about, where that has been heard of. */
export function callOf({ about: { kind, about, permission } }: OpenCodeAsk, tool: string | null): ToolCall {
  const isOutside = permission === "external_directory" && kind === "other";
  const outside = WRITING.includes(tool ?? "") ? "write" : "read";
  return { kind: isOutside ? outside : kind, tool: tool ?? permission, about };
}
