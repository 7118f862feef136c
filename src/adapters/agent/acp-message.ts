/** One line of the Agent Client Protocol (JSON-RPC 2.0, one message a line). Pure. */

import { type Fields, fieldsOfLine, number, object, text } from "./wire-fields.ts";

export interface AcpError {
  code: number | null;
  message: string;
  data: unknown;
}

/** How a request of ours is named; the other side names its own as it likes. */
export type AcpId = string | number;

export type AcpMessage =
  /** To a request of ours. */
  | { kind: "answer"; id: number; result: Fields | null; error: AcpError | null }
  | { kind: "request"; id: AcpId; method: string; params: Fields }
  | { kind: "notification"; method: string; params: Fields }
  /** No message: a word on standard error, or of something that it started. */
  | { kind: "stray" };

export function readAcpLine(line: string): AcpMessage {
  const fields = fieldsOfLine(line.trimStart());
  if (fields === null) return { kind: "stray" };
  const { id } = fields;
  const method = text(fields["method"]);
  if (method !== null) {
    const params = object(fields["params"]);
    return isId(id) ? { kind: "request", id, method, params } : { kind: "notification", method, params };
  }
  // Ours are numbers; one that comes back as a text is still ours.
  const own = typeof id === "string" && /^\d{1,9}$/.test(id) ? Number(id) : number(id);
  if (own === null || !("result" in fields || "error" in fields)) return { kind: "stray" };
  const hasFailed = fields["error"] !== undefined && fields["error"] !== null;
  return {
    kind: "answer",
    id: own,
    result: hasFailed ? null : object(fields["result"]),
    error: hasFailed ? errorOf(fields["error"]) : null,
  };
}

/** The message that an over-long line was, as far as its beginning tells: nobody must wait for ever for it. */
export function readAcpBeginning(line: string): AcpMessage {
  const head = line.slice(0, HEAD_CHARACTERS);
  const id = /"id"\s*:\s*(\d{1,9}|"[^"\\]{1,100}")\s*,/.exec(head)?.[1];
  const method = /"method"\s*:\s*"([\w/.-]{1,100})"/.exec(head)?.[1];
  if (id === undefined) return { kind: "stray" };
  const read = JSON.parse(id) as AcpId;
  if (method !== undefined) return { kind: "request", id: read, method, params: {} };
  if (typeof read !== "number" || !/"(?:result|error)"\s*:/.test(head)) return { kind: "stray" };
  const message = "its answer was too long to be read";
  return { kind: "answer", id: read, result: null, error: { code: null, message, data: null } };
}

/** Where every agent that was seen has the members of a message other than what it carries. */
const HEAD_CHARACTERS = 200;

function isId(value: unknown): value is AcpId {
  return typeof value === "string" || typeof value === "number";
}

function errorOf(value: unknown): AcpError {
  const { code, message, data } = object(value);
  const said = text(message) ?? text(value) ?? "it does not say what went wrong";
  // Of an error that it did not foresee the message says nothing, but its details do.
  const details = text(object(data)["details"]) ?? "";
  return { code: number(code), message: said.includes(details) ? said : `${said}: ${details}`, data };
}
