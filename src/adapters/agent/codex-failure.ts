/** Why a turn of Codex failed, by the code that it gives. Pure. */

import { plainText } from "./plain-text.ts";
import { type Fields, fieldsOfLine, number, object, text } from "./wire-fields.ts";

/**
 * `login`: the service does not know it. `limit`: the account's limit is reached. `overload`: too many requests, or too
 * busy: it may go on soon. `context`: its conversation is too long. `budget`: what it may spend is spent. `request`: what
 * it asked for cannot be had. `policy`: the service will not do this work. `other`: anything else.
 */
export type CodexFailureKind = "login" | "limit" | "overload" | "context" | "budget" | "request" | "policy" | "other";

export interface CodexFailure {
  kind: CodexFailureKind;
  text: string;
  /** HTTP status of the service, where it is told. */
  status: number | null;
}

const KINDS: Record<string, CodexFailureKind | undefined> = {
  unauthorized: "login",
  usageLimitExceeded: "limit",
  rateLimitExceeded: "overload",
  serverOverloaded: "overload",
  flexUnavailable: "overload",
  policyCapacityUnavailable: "overload",
  contextWindowExceeded: "context",
  sessionBudgetExceeded: "budget",
  badRequest: "request",
  modelNotFound: "request",
  cyberPolicy: "policy",
  bioPolicy: "policy",
  misalignmentPolicyViolation: "policy",
  inferenceHookDenied: "policy",
  tooManyDenials: "policy",
};

/** What a code that only says how the connection ended is worth, by the status of the service. */
const STATUSES: Record<number, CodexFailureKind | undefined> = {
  400: "request",
  401: "login",
  403: "login",
  404: "request",
  429: "overload",
  503: "overload",
  529: "overload",
};

/** Reads `{message, codexErrorInfo, additionalDetails}`; the code is a word, or an object of which the word is the key. */
export function codexFailure(error: Fields): CodexFailure {
  const info = error["codexErrorInfo"];
  const [code = "", inner] = typeof info === "string" ? [info] : (Object.entries(object(info))[0] ?? []);
  const status = number(object(inner)["httpStatusCode"]);
  const kind = (Object.hasOwn(KINDS, code) ? KINDS[code] : undefined) ?? STATUSES[status ?? 0] ?? "other";
  const words = [text(error["message"]), text(error["additionalDetails"])].map((said) => wordsOf(said ?? ""));
  const said = words.filter((part) => part !== "").join(": ");
  return { kind, text: plainText(said === "" ? "no reason given" : said), status };
}

/** It hands on the service's answer as it came, which is JSON: only its words are for people. */
function wordsOf(said: string): string {
  const inner = object(fieldsOfLine(said)?.["error"]);
  return (text(inner["message"]) ?? said).trim();
}
