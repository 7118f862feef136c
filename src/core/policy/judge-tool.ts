/** What a call of a tool comes to under rules. */

import { readToolRule, ruleApplies, ruleMayApply } from "./tool-rule.ts";
import {
  type ShellLine,
  type ShellOpening,
  type ToolCall,
  type ToolRules,
  UNKNOWN_TEXT,
  VERDICTS,
  type Verdict,
} from "./tool-rules.ts";

export interface Judgement {
  verdict: Verdict;
  /** The rule that says so, as it is written; null: none applies. */
  rule: string | null;
  /** A command line of which not everything can be known, though there are rules that may be of it. */
  isUnread?: true;
  /** It is said of what a command line opens by itself. */
  opening?: ShellOpening;
  /** It is said of this command, which is a part of the line; absent: of the whole of it. */
  part?: string;
}

export interface JudgedBy {
  rules: ToolRules;
  /** Absolute path from which relative ones are taken. */
  workspace: string;
  /** Of a call that runs a command line: its parts; null where nobody has read it. */
  line: ShellLine | null;
}

/**
 * Deny beats ask, and ask beats allow. Each simple command of a line is judged by itself, and so is each file that the line
 * opens, like a call that reads or writes it; the strictest verdict is the line's: an allowed part does not carry another
 * along. What cannot be read is asked about where there are rules of commands.
 */
export function judgeTool(call: ToolCall, { rules, workspace, line }: JudgedBy): Judgement {
  const judged = partsOf(call, line).map((part) => judgePart(part, rules, workspace));
  const isRead = line?.isWhole ?? false;
  if (call.kind === "run" && !isRead && hasRunRules(rules)) judged.push(UNREAD);
  return judged.reduce(stricter);
}

/** Whether a command line has to be read to be judged. */
export function needReading({ deny, ask, allow }: ToolRules): boolean {
  return [...deny, ...ask, ...allow].some((rule) => !["other", null].includes(readToolRule(rule).kind));
}

function hasRunRules({ deny, ask, allow }: ToolRules): boolean {
  return [...deny, ...ask, ...allow].some((rule) => readToolRule(rule).kind === "run");
}

const UNREAD: Judgement = { verdict: "ask", rule: null, isUnread: true };

/** What is judged by itself. `others`: what it may be as well; to be allowed, it has to be by what it is. */
interface Part {
  call: ToolCall;
  /** Null: it shows only when it runs. */
  own: string | null;
  others: readonly string[];
  /** Words that stand for all of the call: they need not be named beside it. */
  whole: readonly (string | null)[];
  opening?: ShellOpening;
}

/** Nobody knows what a line opens that nobody has read. */
const UNREAD_OPENINGS: readonly ShellOpening[] = [
  { kind: "write", about: null },
  { kind: "read", about: null },
];

function partsOf(call: ToolCall, line: ShellLine | null): Part[] {
  if (call.kind !== "run") return [wholeOf(call)];
  const opened = (line?.openings ?? UNREAD_OPENINGS).map(
    (opening): Part => ({
      call: { ...call, kind: opening.kind },
      own: opening.about,
      others: [],
      whole: [opening.about],
      opening,
    }),
  );
  const commands = line?.commands ?? [];
  const run = commands.map(({ words, also }): Part => {
    const isAll = commands.length === 1 && beginsWith(call.about, words);
    const whole = isAll ? [call.about, words] : [call.about];
    return { call, own: words, others: [...also, call.about], whole };
  });
  // A line may only open something.
  const isUnseen = run.length === 0 && (line === null || opened.length === 0);
  return isUnseen ? [wholeOf(call), ...opened] : [...run, ...opened];
}

/** The line begins with this very program, and not with another that starts it (`bash -c`). */
function beginsWith(line: string, words: string): boolean {
  const program = words.split(" ", 1)[0]!;
  return program.includes(UNKNOWN_TEXT) || line.trimStart().startsWith(program);
}

function wholeOf(call: ToolCall): Part {
  return { call, own: call.about, others: [], whole: [call.about] };
}

function judgePart({ call, own, others, whole, opening }: Part, rules: ToolRules, workspace: string): Judgement {
  const texts = [own, ...others];
  const of = opening === undefined ? {} : { opening };
  const saidOf = (text: string | null) => (text === null || whole.includes(text) ? of : { part: text });
  for (const verdict of ["deny", "ask"] as const) {
    for (const rule of rules[verdict]) {
      const text = texts.find((each) => ruleApplies(readToolRule(rule), call, each, workspace));
      if (text !== undefined) return { verdict, rule, ...saidOf(text) };
    }
  }
  for (const rule of [...rules.deny, ...rules.ask]) {
    const text = texts.find((each) => ruleMayApply(readToolRule(rule), call, each));
    if (text !== undefined) return { ...UNREAD, ...saidOf(text) };
  }
  const rule = rules.allow.find((written) => ruleApplies(readToolRule(written), call, own, workspace));
  return rule === undefined
    ? { verdict: rules.otherwise, rule: null, ...saidOf(own) }
    : { verdict: "allow", rule, ...of };
}

function stricter(one: Judgement, other: Judgement): Judgement {
  return VERDICTS.indexOf(other.verdict) > VERDICTS.indexOf(one.verdict) ? other : one;
}
