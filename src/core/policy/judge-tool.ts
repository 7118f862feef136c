/** What a call of a tool comes to under rules. */

import { readToolRule, ruleApplies, ruleMayApply } from "./tool-rule.ts";
import {
  type ShellLine,
  type ShellOpening,
  type ToolCall,
  type ToolRules,
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
  opening?: ShellOpening;
}

/** Nobody knows what a line opens that nobody has read. */
const UNREAD_OPENINGS: readonly ShellOpening[] = [
  { kind: "write", about: null },
  { kind: "read", about: null },
];

function partsOf(call: ToolCall, line: ShellLine | null): Part[] {
  if (call.kind !== "run") return [{ call, own: call.about, others: [] }];
  const opened = (line?.openings ?? UNREAD_OPENINGS).map(
    (opening): Part => ({ call: { ...call, kind: opening.kind }, own: opening.about, others: [], opening }),
  );
  const commands = line?.commands ?? [];
  const run = commands.map(({ words, also }): Part => ({ call, own: words, others: [...also, call.about] }));
  // A line may only open something.
  const isUnseen = run.length === 0 && (line === null || opened.length === 0);
  return isUnseen ? [{ call, own: call.about, others: [] }, ...opened] : [...run, ...opened];
}

function judgePart({ call, own, others, opening }: Part, rules: ToolRules, workspace: string): Judgement {
  const texts = [own, ...others];
  const of = opening === undefined ? {} : { opening };
  for (const verdict of ["deny", "ask"] as const) {
    const rule = rules[verdict].find((written) =>
      texts.some((text) => ruleApplies(readToolRule(written), call, text, workspace)),
    );
    if (rule !== undefined) return { verdict, rule, ...of };
  }
  const mayApply = [...rules.deny, ...rules.ask].some((written) =>
    texts.some((text) => ruleMayApply(readToolRule(written), call, text)),
  );
  if (mayApply) return { ...UNREAD, ...of };
  const rule = rules.allow.find((written) => ruleApplies(readToolRule(written), call, own, workspace));
  return rule === undefined ? { verdict: rules.otherwise, rule: null, ...of } : { verdict: "allow", rule, ...of };
}

function stricter(one: Judgement, other: Judgement): Judgement {
  return VERDICTS.indexOf(other.verdict) > VERDICTS.indexOf(one.verdict) ? other : one;
}
