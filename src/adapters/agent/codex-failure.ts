/** Why a turn of Codex failed, by the code that it gives. Pure. */

import { plainText } from "./plain-text.ts";
import { type Fields, fieldsOfLine, number, object, text } from "./wire-fields.ts";

/**
 * `login`: the service does not know it. `limit`: the account's limit is reached. `overload`: too many requests, or too
 * busy: it may go on soon. `credit`: nothing is left to pay with. `cut`: the service's answer broke off. `context`: its conversation is too long. `budget`: what it may spend is spent. `turns`: it has had as many answers as it may. `request`: what
 * it asked for cannot be had. `policy`: the service will not do this work. `other`: anything else.
 */
export type CodexFailureKind =
  | "login"
  | "limit"
  | "overload"
  | "credit"
  | "context"
  | "budget"
  | "turns"
  | "request"
  | "policy"
  | "cut"
  | "other";

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
  internalServerError: "overload",
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
};

/** Reads `{message, codexErrorInfo, additionalDetails}`; the code is a word, or an object of which the word is the key. */
export function codexFailure(error: Fields): CodexFailure {
  const info = error["codexErrorInfo"];
  const [code = "", inner] = typeof info === "string" ? [info] : (Object.entries(object(info))[0] ?? []);
  const status = number(object(inner)["httpStatusCode"]);
  const known = (Object.hasOwn(KINDS, code) ? KINDS[code] : undefined) ?? kindOfStatus(status);
  const words = [text(error["message"]), text(error["additionalDetails"])].map((said) => wordsOf(said ?? ""));
  const said = words.filter((part) => part !== "").join(": ");
  // Of an account with nothing left to pay with it gives the code of one that only has to wait.
  const kind = known === "other" || NO_CREDIT.test(said) ? kindByWords(said) : known;
  return { kind, text: plainText(said === "" ? "no reason given" : said), status };
}

function kindOfStatus(status: number | null): CodexFailureKind {
  if (status !== null && status >= 500) return "overload";
  return STATUSES[status ?? 0] ?? "other";
}

const NO_CREDIT = /quota exceeded|insufficient.?quota|billing/i;

/** What has no code of its own. */
function kindByWords(said: string): CodexFailureKind {
  if (NO_CREDIT.test(said)) return "credit";
  return /stream disconnected|idle timeout|error sending request/i.test(said) ? "cut" : "other";
}

/** It hands on the service's answer as it came, which is JSON: only its words are for people. */
function wordsOf(said: string): string {
  const inner = object(fieldsOfLine(said)?.["error"]);
  return (text(inner["message"]) ?? said).trim();
}
