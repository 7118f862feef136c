/** What a call of a tool comes to under rules. */

import { readToolRule, ruleApplies, type ToolRule } from "./tool-rule.ts";
import { type ShellLine, type ToolCall, type ToolRules, VERDICTS, type Verdict } from "./tool-rules.ts";

export interface Judgement {
  verdict: Verdict;
  /** The rule that says so, as it is written; null: none applies. */
  rule: string | null;
  /** A command line of which not everything can be known, though there are rules of commands. */
  isUnread?: true;
}

export interface JudgedBy {
  rules: ToolRules;
  /** Absolute path from which relative ones are taken. */
  workspace: string;
  /** Of a call that runs a command line: its parts; null where nobody has read it. */
  line: ShellLine | null;
}

/**
 * Deny beats ask, and ask beats allow. Each simple command of a line is judged by itself, and the strictest verdict is the
 * line's: an allowed one does not carry another along. What cannot be read is asked about where there are rules of commands.
 */
export function judgeTool(call: ToolCall, { rules, workspace, line }: JudgedBy): Judgement {
  const applies = (rule: ToolRule, texts: readonly string[]): boolean =>
    texts.some((text) => ruleApplies(rule, call, text, workspace));
  const judged = partsOf(call, line).map(({ own, others }): Judgement => {
    for (const verdict of ["deny", "ask"] as const) {
      const rule = rules[verdict].find((text) => applies(readToolRule(text), [own, ...others]));
      if (rule !== undefined) return { verdict, rule };
    }
    const rule = rules.allow.find((text) => applies(readToolRule(text), [own]));
    return rule === undefined ? { verdict: rules.otherwise, rule: null } : { verdict: "allow", rule };
  });
  const isRead = line?.isWhole ?? false;
  if (call.kind === "run" && !isRead && hasRunRules(rules)) judged.push({ verdict: "ask", rule: null, isUnread: true });
  return judged.reduce(stricter);
}

/** Whether a command line has to be read to be judged. */
export function hasRunRules({ deny, ask, allow }: ToolRules): boolean {
  return [...deny, ...ask, ...allow].some((rule) => readToolRule(rule).kind === "run");
}

/** What is judged by itself. `others`: what it may be as well; to be allowed, it has to be by what it is. */
function partsOf({ kind, about }: ToolCall, line: ShellLine | null): { own: string; others: readonly string[] }[] {
  if (kind !== "run" || line === null || line.commands.length === 0) return [{ own: about, others: [] }];
  return line.commands.map(({ words, also }) => ({ own: words, others: [...also, about] }));
}

function stricter(one: Judgement, other: Judgement): Judgement {
  return VERDICTS.indexOf(other.verdict) > VERDICTS.indexOf(one.verdict) ? other : one;
}
