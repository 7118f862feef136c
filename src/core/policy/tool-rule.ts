/** One rule on tools, as it is written: `run(rm *)`, `write(/etc/**)`, `mcp__*`. */

import { globProblem } from "../plan/glob.ts";
import { matchesGlob } from "../plan/overlap.ts";
import { matchesText, mayMatchText } from "./text-glob.ts";
import { TOOL_KINDS, type ToolCall, type ToolKind, UNKNOWN_TEXT } from "./tool-rules.ts";

/** `kind` null: the glob is of a tool's name. */
export interface ToolRule {
  kind: ToolKind | null;
  glob: string;
}

/** Longer ones are a mistake, and each is held against every call. */
const RULE_LENGTH_MAX = 1_000;

export function readToolRule(text: string): ToolRule {
  const [, kind, glob] = /^([a-z]+)\((.*)\)$/s.exec(text) ?? [];
  const known = TOOL_KINDS.find((name) => name === kind);
  return known === undefined ? { kind: null, glob: text } : { kind: known, glob: glob ?? "" };
}

/** What is wrong with a rule, as a sentence about it; null: nothing. */
export function toolRuleProblem(text: string): string | null {
  if (text.length > RULE_LENGTH_MAX) return `must be at most ${RULE_LENGTH_MAX} characters`;
  const { kind, glob } = readToolRule(text);
  if (kind === null) {
    const isCall = /[()]/.test(text);
    return isCall ? `must be KIND(GLOB) with a kind of ${TOOL_KINDS.join(", ")}, or a glob of names of tools` : null;
  }
  if (glob.trim() === "") return `needs a glob in its brackets: ${kind}(*) is every one`;
  const problem = isOfPaths(kind) && glob !== "*" ? globProblem(withoutRoot(glob)) : null;
  return problem === null ? null : `is not a glob of paths: ${problem}`;
}

/**
 * Whether the rule is of this text of a call: a simple command, a path, an address; null is one that is not known. Only
 * a star stands for what shows only when a command runs. `workspace`: absolute path.
 */
export function ruleApplies(rule: ToolRule, call: ToolCall, text: string | null, workspace: string): boolean {
  if (rule.kind === null) return matchesText(rule.glob, call.tool);
  if (rule.kind !== call.kind) return false;
  if (rule.glob === "*") return true;
  if (text === null) return rule.glob === "/**";
  if (isOfPaths(rule.kind)) return matchesPath(rule.glob, text, workspace);
  // `rm *` is also a plain `rm`.
  return matchesText(rule.glob, text) || (rule.glob.endsWith(" *") && text === rule.glob.slice(0, -2));
}

/** Whether the rule is of what this text may turn out to be when it runs. */
export function ruleMayApply(rule: ToolRule, call: ToolCall, text: string | null): boolean {
  if (rule.kind === null || rule.kind !== call.kind) return false;
  return text === null || (text.includes(UNKNOWN_TEXT) && mayMatchText(rule.glob, text));
}

function isOfPaths(kind: ToolKind): boolean {
  return kind === "write" || kind === "read";
}

/** A glob that begins with a slash is of the whole machine, any other of the workspace. */
function matchesPath(glob: string, path: string, workspace: string): boolean {
  const whole = plainPath(path.startsWith("/") ? path : `${workspace}/${path}`);
  if (glob.startsWith("/")) return matchesGlob(withoutRoot(glob), withoutRoot(whole));
  const root = `${plainPath(workspace)}/`;
  return whole.startsWith(root) && matchesGlob(glob, whole.slice(root.length));
}

function withoutRoot(path: string): string {
  return path.replace(/^\/+/, "");
}

/** Without `.`, `..` and double slashes. */
function plainPath(path: string): string {
  const names: string[] = [];
  for (const name of path.split("/")) {
    if (name === "..") names.pop();
    else if (name !== "" && name !== ".") names.push(name);
  }
  return `/${names.join("/")}`;
}
