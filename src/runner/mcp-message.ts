/** A message of the Model Context Protocol: JSON-RPC 2.0. Pure. */

import { type Fields, object, text } from "../adapters/agent/wire-fields.ts";

export type McpId = string | number;

export type McpMessage =
  | { kind: "request"; id: McpId; method: string; params: Fields }
  /** It is answered by nobody. */
  | { kind: "notification"; method: string; params: Fields }
  /** To a request of ours, which there are none of. */
  | { kind: "response" }
  | { kind: "broken"; answer: object };

export const PARSE_ERROR = -32_700;
export const INVALID_REQUEST = -32_600;
export const NO_SUCH_METHOD = -32_601;
export const INVALID_PARAMS = -32_602;
export const INTERNAL_ERROR = -32_603;

export function parseMessage(body: string): McpMessage {
  const value = json(body);
  if (value === undefined) return broken(null, PARSE_ERROR, "this is no JSON");
  const { jsonrpc, id, method, params, result, error } = object(value);
  const known = isId(id) ? id : null;
  if (Array.isArray(value)) return broken(null, INVALID_REQUEST, "send one message at a time, not a list of them");
  if (jsonrpc !== "2.0") return broken(known, INVALID_REQUEST, "this is no message of JSON-RPC 2.0");
  const name = text(method);
  if (name === null) {
    const isResponse = result !== undefined || error !== undefined;
    return isResponse ? { kind: "response" } : broken(known, INVALID_REQUEST, "a message needs a method");
  }
  if (id === undefined) return { kind: "notification", method: name, params: object(params) };
  if (known === null) return broken(null, INVALID_REQUEST, "an id is a text or a number");
  return { kind: "request", id: known, method: name, params: object(params) };
}

export function isId(value: unknown): value is McpId {
  return typeof value === "string" || (typeof value === "number" && Number.isFinite(value));
}

export function resultOf(id: McpId, result: object): object {
  return { jsonrpc: "2.0", id, result };
}

export function errorOf(id: McpId | null, code: number, message: string): object {
  return { jsonrpc: "2.0", id, error: { code, message } };
}

function broken(id: McpId | null, code: number, message: string): McpMessage {
  return { kind: "broken", answer: errorOf(id, code, message) };
}

function json(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
