/** Rules on each call of a tool that the agent asks about: by the configuration's rules, and by a person where those say so. */

import { type Judgement, judgeTool, needReading } from "../core/policy/judge-tool.ts";
import {
  type Ruling,
  type ShellLine,
  type ToolCall,
  type ToolKind,
  type ToolRules,
  UNKNOWN_TEXT,
} from "../core/policy/tool-rules.ts";
import type { AgentEvent } from "../ports/agent.ts";
import type { Clock } from "../ports/clock.ts";
import type { Questions } from "./questions.ts";

export interface PermissionsOptions {
  /** Null: everything is allowed, and nothing is told. */
  rules: ToolRules | null;
  /** Absolute path in which the agent works. */
  workspace: string;
  readShellLine(line: string): Promise<ShellLine>;
  questions: Questions;
  clock: Clock;
  askWaitMs: number;
  tell(event: AgentEvent): void;
}

/** Of what a call is about; the transcript has the rest. */
const ABOUT_CHARACTERS_MAX = 500;

/** Of the part of a line that was judged: enough to find it. */
const PART_CHARACTERS_MAX = 200;

const OPTIONS = ["allow", "deny"];

/** What a person said, and a reason behind it: `deny: the tests need that file`. */
const ANSWER = /^(allow|deny)(?::\s*(.*))?$/s;

/** Gives the ruling on calls. It never rejects; `over` aborts when the turn that asks is over, and nobody is waited for then. */
export function permissions(options: PermissionsOptions): (call: ToolCall, over: AbortSignal) => Promise<Ruling> {
  const { rules } = options;
  return async (call, over) => {
    try {
      return rules === null ? { allow: true } : await ruled(call, rules, options, over);
    } catch (error) {
      // What can be written down nowhere is not allowed either.
      return { allow: false, reason: `it could not be judged: ${(error as Error).message}` };
    }
  };
}

async function ruled(
  call: ToolCall,
  rules: ToolRules,
  options: PermissionsOptions,
  over: AbortSignal,
): Promise<Ruling> {
  const judged = judgeTool(call, { rules, workspace: options.workspace, line: await lineOf(call, rules, options) });
  if (judged.verdict === "allow" && judged.rule === null) return { allow: true };
  const { ruling, why } = await rulingOn(call, judged, options, over);
  options.tell({ type: "permission", tool: call.tool, about: shortAbout(call), allowed: ruling.allow, why });
  return ruling;
}

async function lineOf(
  { kind, about }: ToolCall,
  rules: ToolRules,
  { readShellLine, tell }: PermissionsOptions,
): Promise<ShellLine | null> {
  if (kind !== "run" || !needReading(rules)) return null;
  try {
    return await readShellLine(about);
  } catch (error) {
    // What nobody has read is asked about.
    tell({ type: "note", text: `a command line could not be read: ${(error as Error).message}` });
    return null;
  }
}

interface Ruled {
  ruling: Ruling;
  why: string;
}

async function rulingOn(
  call: ToolCall,
  judged: Judgement,
  options: PermissionsOptions,
  over: AbortSignal,
): Promise<Ruled> {
  const by = reasonOf(judged);
  if (judged.verdict === "allow") return { ruling: { allow: true }, why: by };
  return judged.verdict === "deny" ? denied(`not allowed: ${by}`) : askPerson(call, by, options, over);
}

/** A long line is named by what of it was judged. */
function reasonOf(judged: Judgement): string {
  const { rule, verdict, isUnread } = judged;
  const deed = deedOf(judged);
  if (isUnread) return `not all of the command line can be known before it runs${deed === null ? "" : `: ${deed}`}`;
  if (deed === null) return rule === null ? `no rule allows it, and otherwise is ${verdict}` : `by the rule ${rule}`;
  return rule === null
    ? `no rule allows it to ${deed}, and otherwise is ${verdict}`
    : `by the rule ${rule}: it would ${deed}`;
}

/** Null where the whole call is judged. */
function deedOf({ opening, part }: Judgement): string | null {
  if (opening !== undefined) return `${opening.kind} ${opening.about ?? "a file that is not known before it runs"}`;
  return part === undefined ? null : `run ${shortened(part.replaceAll(UNKNOWN_TEXT, "…"), PART_CHARACTERS_MAX)}`;
}

/** The agent's clocks stand still meanwhile: the question halts it. */
async function askPerson(
  call: ToolCall,
  by: string,
  { questions, clock, askWaitMs }: PermissionsOptions,
  over: AbortSignal,
): Promise<Ruled> {
  const seconds = Math.round(askWaitMs / 1_000);
  const question = `May it ${DOES[call.kind]} (${call.tool})? ${shortAbout(call)}\n(${by})`;
  const wait = { ms: askWaitMs, then: "refused" } as const;
  const asked = questions.ask({ question, options: OPTIONS, default: null, wait }, false);
  if (asked === null) return denied("too many questions are open already");
  const waited = clock.sleep(askWaitMs, over).then(() => null);
  const answer = await Promise.race([asked.answered, waited]);
  questions.goOn(asked.number);
  if (answer !== null) return rulingBy(answer);
  return denied(
    over.aborted ? "its turn was ended before a person answered" : `no person answered within ${seconds} s`,
  );
}

const DOES: Record<ToolKind, string> = {
  run: "run this",
  write: "write this",
  read: "read this",
  fetch: "fetch this",
  other: "use this tool",
};

/** Words that are none of the options are the reason for a no. */
function rulingBy(answer: string): Ruled {
  const [, option, text] = ANSWER.exec(answer.trim()) ?? [null, "deny", answer.trim()];
  if (option === "allow") return { ruling: { allow: true }, why: "a person allowed it" };
  return denied(text ? `a person did not allow it: ${text}` : "a person did not allow it");
}

function denied(reason: string): Ruled {
  return { ruling: { allow: false, reason }, why: reason };
}

function shortAbout({ about }: ToolCall): string {
  return shortened(about, ABOUT_CHARACTERS_MAX);
}

function shortened(text: string, most: number): string {
  return text.length > most ? `${text.slice(0, most - 1)}…` : text;
}
