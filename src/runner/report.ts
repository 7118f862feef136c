/** What an agent may report, as it comes over the wire. */

import type { AgentReport, ReportRights } from "../core/attempt/agent-report.ts";
import { VERDICT_WORDS, type VerdictWord } from "../core/lane/verdict.ts";

export type Report =
  | { type: "progress"; text: string }
  | ({ type: "done"; summary: string } & AgentReport)
  | { type: "ask"; question: string; options: string[]; default: string | null; can_continue: boolean };

/** A person reads it in one look; longer words belong in files. */
const WORDS_MAX = 4_000;
const OPTIONS_MAX = 20;
const LINE_MAX = 1_000;
const FILES_MAX = 200;
const NOT_DONE_MAX = 50;

type Fields = Record<string, unknown>;
type Problem = { problem: string };

/** `problem` says in one line what is wrong with the report, for whoever made it. `rights` are those of its phase. */
export function parseReport(type: Report["type"], body: unknown, rights: ReportRights): Report | Problem {
  if (typeof body !== "object" || body === null || Array.isArray(body))
    return { problem: "a report is one JSON object" };
  const fields = body as Fields;
  switch (type) {
    case "progress": {
      const text = words(fields["text"]);
      return text === null ? { problem: `text must be 1 to ${WORDS_MAX} characters` } : { type, text };
    }
    case "done":
      return parseDone(fields, rights);
    case "ask":
      return parseQuestion(fields);
  }
}

function parseDone(fields: Fields, rights: ReportRights): Report | Problem {
  const summary = words(fields["summary"]);
  if (summary === null) return { problem: `summary must be 1 to ${WORDS_MAX} characters` };
  const files = lines(fields["files"], FILES_MAX);
  if (files === null) return { problem: listProblem("files", FILES_MAX) };
  const not_done = lines(fields["not_done"], NOT_DONE_MAX);
  if (not_done === null) return { problem: listProblem("not_done", NOT_DONE_MAX) };
  const { verdict = null, handoff = null } = fields;
  const problem = verdictProblem(verdict, rights) ?? handoffProblem(handoff, rights);
  if (problem !== null) return { problem };
  return {
    type: "done",
    summary,
    files,
    not_done,
    verdict: verdict as VerdictWord | null,
    handoff: handoff as string | null,
  };
}

function verdictProblem(verdict: unknown, rights: ReportRights): string | null {
  if (!rights.verdict)
    return verdict === null ? null : "this phase is no review and yields no verdict: report without one";
  return VERDICT_WORDS.some((word) => word === verdict)
    ? null
    : `this phase is a review: verdict must be one of ${VERDICT_WORDS.join(", ")}, and summary says why`;
}

function handoffProblem(handoff: unknown, rights: ReportRights): string | null {
  if (handoff === null) return null;
  if (!rights.handoff) return "no other agent follows this phase: report without a handoff";
  return line(handoff) === null ? `handoff must be an agent's name of 1 to ${LINE_MAX} characters` : null;
}

function listProblem(name: string, max: number): string {
  return `${name} must be a list of at most ${max} texts of 1 to ${LINE_MAX} characters`;
}

function parseQuestion(fields: Fields): Report | Problem {
  const question = words(fields["question"]);
  if (question === null) return { problem: `question must be 1 to ${WORDS_MAX} characters` };
  const given = fields["options"] ?? [];
  const options = Array.isArray(given) ? given.map(words) : [null];
  if (
    options.length > OPTIONS_MAX ||
    options.some((option) => option === null) ||
    new Set(options).size < options.length
  )
    return { problem: `options must be at most ${OPTIONS_MAX} different texts` };
  const fallback = fields["default"] ?? null;
  if (fallback !== null && !options.includes(fallback as string))
    return { problem: "default must be one of the options" };
  return {
    type: "ask",
    question,
    options: options as string[],
    default: fallback as string | null,
    can_continue: fields["can_continue"] === true,
  };
}

function words(value: unknown): string | null {
  return typeof value === "string" && value.trim() !== "" && value.length <= WORDS_MAX ? value : null;
}

function line(value: unknown): string | null {
  return words(value) !== null && (value as string).length <= LINE_MAX ? (value as string) : null;
}

/** Nothing is an empty list; null: it is none. */
function lines(value: unknown, max: number): string[] | null {
  const given = value ?? [];
  if (!Array.isArray(given) || given.length > max) return null;
  const read = given.map(line);
  return read.every((text) => text !== null) ? read : null;
}
