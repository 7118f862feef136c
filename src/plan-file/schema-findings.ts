/** Runs a schema over a value; what does not fit comes back as findings in plain words. */

import type { z } from "zod";
import { type DocumentPath, type Finding, formatPath, unknownName } from "./finding.ts";

export type Checked<T> = { ok: true; value: T } | { ok: false; findings: Finding[] };

type Issue = z.core.$ZodIssue;
type RawIssue = z.core.$ZodRawIssue;

/** Checks a value that stands at `path` of its document. */
export function checkAgainst<Schema extends z.ZodType>(
  schema: Schema,
  value: unknown,
  path: DocumentPath = [],
): Checked<z.infer<Schema>> {
  const result = schema.safeParse(value, PARSING);
  if (result.success) return { ok: true, value: result.data };
  const findings = result.error.issues.flatMap((issue) => findingsOf(issue, path));
  return { ok: false, findings: findings.filter((finding) => !isMisspelt(finding, findings)) };
}

const MISSING = "is missing";

/** A key that is missing only because it stands there misspelt is one mistake, not two. */
function isMisspelt({ path, message }: Finding, findings: readonly Finding[]): boolean {
  const key = path.at(-1);
  if (typeof key !== "string" || !message.startsWith(MISSING)) return false;
  const parent = formatPath(path.slice(0, -1));
  return findings.some((other) => {
    const written = other.path.at(-1);
    if (other.atKey !== true || formatPath(other.path.slice(0, -1)) !== parent) return false;
    return other.message === unknownName("key", String(written), [key]);
  });
}

const PARSING = { error: messageOf };

function findingsOf(issue: Issue, base: DocumentPath): Finding[] {
  const path = [...base, ...issue.path.map((step) => (typeof step === "symbol" ? String(step) : step))];
  if (issue.code === "unrecognized_keys") {
    const messages = issue.message.split("\n");
    return issue.keys.map((key, index) => ({ path: [...path, key], atKey: true, message: messages[index]! }));
  }
  if (issue.code === "invalid_key") return [{ path, atKey: true, message: "must not be empty" }];
  if (issue.code === "invalid_union") {
    const branch = intendedBranch(issue.errors);
    if (branch !== null) return branch.flatMap((inner) => findingsOf(inner, path));
  }
  return [{ path, message: issue.message }];
}

/** The one form of a union whose kind of value was given, but with something wrong inside it. */
function intendedBranch(branches: readonly (readonly Issue[])[]): readonly Issue[] | null {
  const meant = branches.filter((issues) => !issues.some((issue) => issue.path.length === 0 && isOtherKind(issue)));
  return meant.length === 1 ? meant[0]! : null;
}

const isOtherKind = (issue: Issue): boolean => issue.code === "invalid_type" || issue.code === "invalid_union";

/** The message of an issue for which the schema itself has none. */
function messageOf(issue: RawIssue): string | undefined {
  switch (issue.code) {
    case "invalid_type":
      return wrongType(String(issue["expected"]), issue.input);
    case "invalid_value":
      return wrongWord(issue["values"] as readonly unknown[], issue.input);
    case "too_small":
      return bound(issue["inclusive"] === false ? "above" : "at least", issue["minimum"], String(issue["origin"]));
    case "too_big":
      return bound(issue["inclusive"] === false ? "below" : "at most", issue["maximum"], String(issue["origin"]));
    default:
      return undefined;
  }
}

const KINDS: Record<string, string> = {
  string: "text",
  number: "a number",
  int: "a whole number",
  boolean: "true or false",
  array: "a list",
  object: "an object",
  record: "an object",
};

function wrongType(expected: string, input: unknown): string {
  const kind = KINDS[expected] ?? expected;
  if (input === undefined) return `${MISSING}: ${kind} is expected`;
  const hint = expected === "string" && /^(number|boolean)$/.test(typeof input) ? " (put it in quotes)" : "";
  return `must be ${kind}, not ${kindOf(input)}${hint}`;
}

function kindOf(input: unknown): string {
  if (input === null) return "null";
  if (Array.isArray(input)) return "a list";
  if (typeof input === "boolean") return String(input);
  if (typeof input === "number") return `the number ${input}`;
  return typeof input === "string" ? "text" : "an object";
}

function wrongWord(words: readonly unknown[], input: unknown): string {
  const known = words.map(String);
  if (input === undefined) return `${MISSING}: one of ${known.join(", ")} is expected`;
  if (typeof input !== "string") return `must be one of ${known.join(", ")}, not ${kindOf(input)}`;
  return `must be one of ${known.join(", ")}: ${unknownName("word", input, known)}`;
}

function bound(comparison: string, limit: unknown, origin: string): string {
  if (origin === "string") return limit === 1 ? "must not be empty" : `must be ${comparison} ${limit} characters long`;
  if (origin === "array") return `must have ${comparison} ${limit} ${limit === 1 ? "entry" : "entries"}`;
  return `must be ${comparison} ${limit}`;
}
