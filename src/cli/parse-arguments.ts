/** What was written on the command line -> a command with its arguments and options, or what is wrong with it. */

import { parseArgs } from "node:util";
import { nearestNames } from "../core/plan/nearest-name.ts";
import type { CommandSpec, OptionSpec } from "./command.ts";
import { GLOBAL_OPTIONS } from "./global-options.ts";
import type { Failure } from "./failure.ts";
import { usageFailure } from "./failure.ts";

export interface Parsed {
  /** Null when no command was named. */
  spec: CommandSpec | null;
  /** A first word that stands for several commands, such as `plan`. */
  group: string | null;
  args: string[];
  options: Record<string, string>;
  problem: Failure | null;
}

/** Never throws: with a problem, options such as `--json` and `--help` are still known. */
export function parseArguments(argv: readonly string[], commands: readonly CommandSpec[]): Parsed {
  const { words, rest } = splitCommand(argv, commands);
  const spec = commands.find((command) => command.name === words.join(" ")) ?? null;
  const known = optionsOf(spec);
  const read = readOptions(rest, known);
  const group = spec === null && commands.some(({ name }) => name.startsWith(`${words[0]} `)) ? words[0]! : null;
  const problem = spec === null && words.length > 0 ? unknownCommand(words, group, commands) : read.problem;
  return { spec, group, ...read, problem: problem ?? (spec ? argumentProblem(spec, read.args) : null) };
}

/** The command's own options hide global ones of the same name. */
export function optionsOf(spec: CommandSpec | null): OptionSpec[] {
  const own = spec?.options ?? [];
  return [...own, ...GLOBAL_OPTIONS.filter(({ name }) => !own.some((option) => option.name === name))];
}

/** The words of the command may have global options before and between them. */
function splitCommand(argv: readonly string[], commands: readonly CommandSpec[]): { words: string[]; rest: string[] } {
  const words: string[] = [];
  const rest: string[] = [];
  for (let i = 0; i < argv.length; i++) {
    const word = argv[i]!;
    if (word === "--") return { words, rest: [...rest, ...argv.slice(i)] };
    if (word.startsWith("-") && word !== "-") {
      rest.push(word);
      if (takesNext(word) && i + 1 < argv.length) rest.push(argv[++i]!);
      continue;
    }
    words.push(word);
    const isGroup = words.length === 1 && commands.some(({ name }) => name.startsWith(`${word} `));
    if (!isGroup) return { words, rest: [...rest, ...argv.slice(i + 1)] };
  }
  return { words, rest };
}

function takesNext(word: string): boolean {
  return GLOBAL_OPTIONS.some(({ name, short, value }) => value !== undefined && (word === `--${name}` || word === `-${short}`));
}

function readOptions(rest: readonly string[], known: readonly OptionSpec[]): Pick<Parsed, "args" | "options" | "problem"> {
  const { tokens } = parseArgs({
    args: withOptionalValues(rest, known),
    options: Object.fromEntries(known.map(({ name, short, value }) => [name, { type: value === undefined ? "boolean" : "string", ...(short ? { short } : {}) }])),
    strict: false,
    allowPositionals: true,
    tokens: true,
  });
  const args: string[] = [];
  const options: Record<string, string> = {};
  let problem: Failure | null = null;
  for (const token of tokens) {
    if (token.kind === "positional") args.push(token.value);
    if (token.kind !== "option") continue;
    problem ??= optionProblem(token, known, options);
    options[token.name] = token.value ?? "";
  }
  return { args, options, problem };
}

/** An option whose value may be left out, at the end or before another option, gets the empty one. */
function withOptionalValues(rest: readonly string[], known: readonly OptionSpec[]): string[] {
  const optional = known.filter((option) => option.valueOptional).map(({ name }) => `--${name}`);
  const end = rest.indexOf("--");
  return rest.map((word, i) => {
    const isBare = optional.includes(word) && (rest[i + 1] ?? "-").startsWith("-") && (end === -1 || i < end);
    return isBare ? `${word}=` : word;
  });
}

interface OptionToken {
  name: string;
  rawName: string;
  value: string | undefined;
  inlineValue: boolean | undefined;
}

function optionProblem({ name, rawName, value, inlineValue }: OptionToken, known: readonly OptionSpec[], given: Record<string, string>): Failure | null {
  const option = known.find((candidate) => candidate.name === name);
  if (!option) return unknownOption(rawName, known);
  if (Object.hasOwn(given, name)) return usageFailure(`${rawName} is given twice`, "Give it once.");
  if (option.value === undefined) return value === undefined ? null : usageFailure(`${rawName} takes no value`, `Write ${rawName} alone.`);
  if (value === undefined || (value === "" && !option.valueOptional)) return usageFailure(`${rawName} needs a value`, `Write ${rawName} ${option.value}.`);
  if (!inlineValue && value.startsWith("-"))
    return usageFailure(`${rawName} needs a value, and ${value} looks like an option`, `Write --${name}=${value} if that is the value.`);
  if (option.choices && !option.choices.includes(value))
    return usageFailure(`${rawName} cannot be ${JSON.stringify(value)}`, `Choose one of: ${option.choices.join(", ")}.`);
  return null;
}

function unknownOption(rawName: string, known: readonly OptionSpec[]): Failure {
  const nearest = nearestNames(known.map(({ name }) => `--${name}`))(rawName);
  return usageFailure(`unknown option ${rawName}`, nearest ? `Did you mean ${nearest}?` : DASH_HINT);
}

const DASH_HINT = "`--help` lists the options; an argument that begins with a dash stands behind `--`.";

function unknownCommand(words: readonly string[], group: string | null, commands: readonly CommandSpec[]): Failure {
  const visible = commands.filter(({ hidden }) => !hidden).map(({ name }) => name);
  if (group !== null) {
    const verbs = visible.filter((name) => name.startsWith(`${group} `)).map((name) => name.slice(group.length + 1));
    if (words.length === 1) return usageFailure(`\`${group}\` needs a verb: ${verbs.join(", ")}`, `\`lockstep help ${group}\` shows them.`);
    const nearest = nearestNames(verbs)(words[1]!);
    return usageFailure(`unknown command ${group} ${words[1]}`, nearest ? `Did you mean \`lockstep ${group} ${nearest}\`?` : `It is one of: ${verbs.join(", ")}.`);
  }
  const nearest = nearestNames([...visible, ...visible.map((name) => name.split(" ")[0]!)])(words[0]!);
  return usageFailure(`unknown command ${words[0]}`, nearest ? `Did you mean \`lockstep ${nearest}\`?` : "`lockstep --help` lists the commands.");
}

function argumentProblem(spec: CommandSpec, args: readonly string[]): Failure | null {
  const missing = spec.arguments[args.length];
  if (missing?.required) return usageFailure(`${missing.name} is missing`, `Write \`${usageLine(spec)}\`.`);
  if (args.length <= spec.arguments.length || spec.arguments.at(-1)?.many) return null;
  return usageFailure(`${JSON.stringify(args[spec.arguments.length])} is one argument too many`, `Write \`${usageLine(spec)}\`.`);
}

/** `lockstep claim [TASK] [options]` without the options. */
export function usageLine({ name, arguments: all }: CommandSpec): string {
  const written = all.map((argument) => (argument.required ? argument.name : `[${argument.name}]`));
  return ["lockstep", name, ...written].join(" ");
}
