/** Fills the placeholders of an agent's command line. A value never becomes code, whatever it holds (spec, section 6). */

export const PLACEHOLDERS = ["task_id", "slug", "title", "verify", "files", "skill", "workspace", "brief"] as const;
export type Placeholder = (typeof PLACEHOLDERS)[number];
export type PlaceholderValues = Record<Placeholder, string>;

/** Programs that give what follows `-c` to a shell of the usual kind. */
const SHELLS = /(^|\/)((ba|da|z|k|mk|a)?sh|su|runuser|sg|flock|script)$/;
/** Among them shells with a syntax of their own, in which nothing here could quote. */
const INTERPRETERS = /(^|\/)(python[\d.]*|node|ruby|perl|php|deno|bun|lua|fish|t?csh|pwsh|nu|xonsh)$/;
const SHELL_FLAG = /^(-[a-zA-Z]*c[a-zA-Z]*|--command)$/;
const CODE_FLAG = /^(-[a-zA-Z]*[ceE]|--eval|--command|--print|-p)$/;
/** Options that may stand between `-c` and the script; the first kind takes a value. */
const OPTION_WITH_VALUE = /^[-+][a-zA-Z]*[oO]$/;
const OPTION = /^[-+]/;

export interface ExpandedArgv {
  argv: string[];
  /** Environment variables that hold every value, for scripts. */
  env: Record<string, string>;
}

/** `LOCKSTEP_TITLE` for `title`. */
export function variableOf(placeholder: string): string {
  return `LOCKSTEP_${placeholder.toUpperCase()}`;
}

/**
 * An argument takes its values as they are; the script of a shell's `-c` takes them as quoted variables, so that a title
 * such as `'; touch x; '` stays text.
 */
export function expandArgv(template: readonly string[], values: PlaceholderValues): ExpandedArgv {
  const argv = template.map((part, index) => {
    if (isShellScript(template, index)) return asVariables(part);
    return replacePlaceholders(part, (name) => values[name]);
  });
  const env = Object.fromEntries(PLACEHOLDERS.map((name) => [variableOf(name), values[name]]));
  return { argv, env };
}

/** Names in braces that are no placeholders, and placeholders in the code of an interpreter, which nothing could quote. */
export function argvProblems(template: readonly string[]): string[] {
  return template.flatMap((part, index) => {
    const names = [...part.matchAll(PLACEHOLDER)].map((match) => match[2]).filter((name) => name !== undefined);
    const unknown = names.filter((name) => !isPlaceholder(name));
    const problems = unknown.map(
      (name) => `{${name}} is no placeholder: ${PLACEHOLDERS.map((p) => `{${p}}`).join(" ")}`,
    );
    const inCode = names.length > 0 && isInterpreterCode(template, index);
    if (inCode)
      problems.push(`{${names[0]}} stands in code: read the variable ${variableOf(names[0] ?? "")} there instead`);
    return problems;
  });
}

/** `{name}`; `{{name}}` stands for itself in single braces, and `${name}` is the shell's own. */
const PLACEHOLDER = /\{\{([a-z_]+)\}\}|(?<!\$)\{([a-z_]+)\}/g;

function replacePlaceholders(part: string, value: (name: Placeholder) => string): string {
  return part.replace(PLACEHOLDER, (match, escaped: string | undefined, name: string | undefined) => {
    if (escaped !== undefined) return `{${escaped}}`;
    return name !== undefined && isPlaceholder(name) ? value(name) : match;
  });
}

/** A variable's value is never read as code again, so even a wrongly judged quote cannot make it run. */
function asVariables(script: string): string {
  return script.replace(PLACEHOLDER, (match, escaped: string | undefined, name: string | undefined, offset: number) => {
    if (escaped !== undefined) return `{${escaped}}`;
    if (name === undefined || !isPlaceholder(name)) return match;
    const variable = `\${${variableOf(name)}}`;
    const quote = openQuote(script.slice(0, offset));
    if (quote === '"') return variable;
    return quote === "'" ? `'"${variable}"'` : `"${variable}"`;
  });
}

function openQuote(text: string): '"' | "'" | null {
  let open: '"' | "'" | null = null;
  for (let i = 0; i < text.length; i++) {
    const c = text[i];
    if (c === "\\" && open !== "'") i++;
    else if ((c === '"' || c === "'") && open === null) open = c;
    else if (c === open) open = null;
  }
  return open;
}

function isShellScript(template: readonly string[], index: number): boolean {
  const flag = template.findIndex((part, at) => SHELL_FLAG.test(part) && hasBefore(template, at, SHELLS));
  return flag !== -1 && index === scriptAfter(template, flag);
}

/** The first argument behind the flag that is neither an option nor an option's value. */
function scriptAfter(template: readonly string[], flag: number): number {
  let at = flag + 1;
  for (let part = template[at]; part !== undefined && OPTION.test(part); part = template[at])
    at += OPTION_WITH_VALUE.test(part) ? 2 : 1;
  return at;
}

function isInterpreterCode(template: readonly string[], index: number): boolean {
  const flag = template[index - 1];
  return flag !== undefined && CODE_FLAG.test(flag) && hasBefore(template, index - 1, INTERPRETERS);
}

function hasBefore(template: readonly string[], index: number, programs: RegExp): boolean {
  return template.slice(0, index).some((part) => programs.test(part));
}

function isPlaceholder(name: string): name is Placeholder {
  return (PLACEHOLDERS as readonly string[]).includes(name);
}
