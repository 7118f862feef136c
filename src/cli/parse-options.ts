/** The words behind a command's name -> arguments and options, and what is wrong with them. */

import { parseArgs } from "node:util";
import { nearestNames } from "../core/plan/nearest-name.ts";
import type { OptionSpec } from "./command.ts";
import type { Failure } from "./failure.ts";
import { usageFailure } from "./failure.ts";

export interface ParsedOptions {
  args: string[];
  /** By name of the option; a switch that was given is the empty text. */
  options: Record<string, string>;
  /** All values of each option that was given, in order. */
  lists: Record<string, string[]>;
  problem: Failure | null;
}

export function parseOptions(rest: readonly string[], known: readonly OptionSpec[]): ParsedOptions {
  const { tokens } = parseArgs({
    args: withOptionalValues(rest, known),
    options: Object.fromEntries(
      known.map(({ name, short, value }) => [
        name,
        { type: value === undefined ? "boolean" : "string", ...(short ? { short } : {}) },
      ]),
    ),
    strict: false,
    allowPositionals: true,
    tokens: true,
  });
  const args: string[] = [];
  const options: Record<string, string> = {};
  const lists: Record<string, string[]> = {};
  let problem: Failure | null = null;
  for (const token of tokens) {
    if (token.kind === "positional") args.push(token.value);
    if (token.kind !== "option") continue;
    problem ??= optionProblem(token, known, options);
    options[token.name] = token.value ?? "";
    lists[token.name] = [...(Object.hasOwn(lists, token.name) ? lists[token.name]! : []), token.value ?? ""];
  }
  return { args, options, lists, problem };
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

function optionProblem(
  { name, rawName, value, inlineValue }: OptionToken,
  known: readonly OptionSpec[],
  given: Record<string, string>,
): Failure | null {
  const option = known.find((candidate) => candidate.name === name);
  if (!option) return unknownOption(rawName, known);
  if (Object.hasOwn(given, name) && !option.many) return usageFailure(`${rawName} is given twice`, "Give it once.");
  if (option.value === undefined)
    return value === undefined ? null : usageFailure(`${rawName} takes no value`, `Write ${rawName} alone.`);
  if (value === undefined || (value === "" && !option.valueOptional))
    return usageFailure(`${rawName} needs a value`, `Write ${rawName} ${option.value}.`);
  if (!inlineValue && value.startsWith("-"))
    return usageFailure(
      `${rawName} needs a value, and ${value} looks like an option`,
      `Write --${name}=${value} if that is the value.`,
    );
  if (option.choices && !option.choices.includes(value))
    return usageFailure(
      `${rawName} cannot be ${JSON.stringify(value)}`,
      `Choose one of: ${option.choices.join(", ")}.`,
    );
  return null;
}

function unknownOption(rawName: string, known: readonly OptionSpec[]): Failure {
  const nearest = nearestNames(known.map(({ name }) => `--${name}`))(rawName);
  return usageFailure(`unknown option ${rawName}`, nearest ? `Did you mean ${nearest}?` : DASH_HINT);
}

const DASH_HINT = "`--help` lists the options; an argument that begins with a dash stands behind `--`.";
