/** What was written on the command line -> a command with its arguments and options, or what is wrong with it. */

import type { CommandSpec, OptionSpec } from "./command.ts";
import type { Failure } from "./failure.ts";
import { usageFailure } from "./failure.ts";
import { GLOBAL_OPTIONS } from "./global-options.ts";
import type { ParsedOptions } from "./parse-options.ts";
import { parseOptions } from "./parse-options.ts";
import { unknownCommand } from "./unknown-command.ts";

export interface Parsed extends ParsedOptions {
  /** Null when no command was named. */
  spec: CommandSpec | null;
  /** A first word that stands for several commands, such as `plan`. */
  group: string | null;
}

/** Never throws: with a problem, options such as `--json` and `--help` are still known. */
export function parseArguments(argv: readonly string[], commands: readonly CommandSpec[]): Parsed {
  const { words, rest } = splitCommand(argv, commands);
  const spec = commands.find((command) => command.name === words.join(" ")) ?? null;
  const known = optionsOf(spec);
  const read = parseOptions(rest, known);
  const group = spec === null && commands.some(({ name }) => name.startsWith(`${words[0]} `)) ? words[0]! : null;
  const problem = spec === null && words.length > 0 ? unknownCommand(words, group, commands) : read.problem;
  return {
    spec,
    group,
    ...read,
    problem: problem ?? (spec ? argumentProblem(spec, read.args) : strayProblem(read.args)),
  };
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
  return GLOBAL_OPTIONS.some(
    ({ name, short, value }) => value !== undefined && (word === `--${name}` || word === `-${short}`),
  );
}

/** Arguments without a command: `lockstep -- status`. */
function strayProblem([first]: readonly string[]): Failure | null {
  if (first === undefined) return null;
  return usageFailure(
    `${JSON.stringify(first)} stands where a command should`,
    "`lockstep --help` lists the commands.",
  );
}

function argumentProblem(spec: CommandSpec, args: readonly string[]): Failure | null {
  const missing = spec.arguments[args.length];
  if (missing?.required) return usageFailure(`${missing.name} is missing`, `Write \`${usageLine(spec)}\`.`);
  if (args.length <= spec.arguments.length || spec.arguments.at(-1)?.many) return null;
  return usageFailure(
    `${JSON.stringify(args[spec.arguments.length])} is one argument too many`,
    `Write \`${usageLine(spec)}\`.`,
  );
}

/** `lockstep claim [TASK] [options]` without the options. */
export function usageLine({ name, arguments: all }: CommandSpec): string {
  const written = all.map((argument) => (argument.required ? argument.name : `[${argument.name}]`));
  return ["lockstep", name, ...written].join(" ");
}
