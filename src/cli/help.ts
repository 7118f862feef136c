/** Help, made from the table of commands. */

import type { CommandSpec, OptionSpec } from "./command.ts";
import { GLOBAL_OPTIONS } from "./global-options.ts";
import { usageLine } from "./parse-arguments.ts";

/** Two words that begin with the same one stand together. */
export function overviewHelp(commands: readonly CommandSpec[]): string {
  const shown = commands.filter(({ hidden }) => !hidden);
  return lines([
    "lockstep runs AI coding agents through a plan: nothing starts before what it depends on is verified.",
    "",
    "Usage: lockstep COMMAND [arguments] [options]",
    "       lockstep                     status of the project",
    "",
    "Commands:",
    ...table(shown.map((spec) => [usageLine(spec).slice("lockstep ".length), spec.summary])),
    "",
    "Options of every command:",
    ...table(GLOBAL_OPTIONS.map(optionRow)),
    "",
    "A task is named by [PLAN/]TASK[#ATTEMPT]; the beginning of its id is enough where only one task has it.",
    "Exit codes: 0 ok, 1 refused, 2 usage or configuration, 3 needs a person, 5 some tasks failed, 75 parked,",
    "            124 timed out, 130 and 143 stopped by a signal.",
    "",
    "Begin with:",
    ...table([
      ["lockstep init", "make this directory a project"],
      ["lockstep plan load plan.yaml", "load a plan"],
      ["lockstep run", "carry it to its end"],
    ]),
    "",
    "`lockstep help COMMAND` says more about one.",
  ]);
}

export function groupHelp(group: string, commands: readonly CommandSpec[]): string {
  const verbs = commands.filter(({ name, hidden }) => !hidden && name.startsWith(`${group} `));
  return lines([
    `Usage: lockstep ${group} VERB [arguments] [options]`,
    "",
    "Verbs:",
    ...table(verbs.map((spec) => [usageLine(spec).slice(`lockstep ${group} `.length), spec.summary])),
    "",
    `\`lockstep ${group} VERB --help\` says more about one.`,
  ]);
}

export function commandHelp(spec: CommandSpec): string {
  const global = GLOBAL_OPTIONS.filter(({ name }) => !spec.options.some((option) => option.name === name));
  return lines([
    `${spec.summary}.`,
    "",
    `Usage: ${usageLine(spec)} [options]`,
    ...(spec.details ? ["", ...wrapped(spec.details)] : []),
    ...section(
      "Arguments:",
      spec.arguments.map(({ name, summary }) => [name, summary]),
    ),
    ...section("Options:", spec.options.map(optionRow)),
    ...section("Options of every command:", global.map(optionRow)),
    ...section(
      "Examples:",
      spec.examples.map(({ command, what }) => [`lockstep ${command}`, what]),
    ),
  ]);
}

function section(title: string, rows: [string, string][]): string[] {
  return rows.length === 0 ? [] : ["", title, ...table(rows)];
}

function optionRow({ name, short, value, valueOptional, many, choices, summary }: OptionSpec): [string, string] {
  const shown = value === undefined ? "" : valueOptional ? ` [${value}]` : ` ${value}`;
  const among = `${choices ? `: ${choices.join(", ")}` : ""}${many ? "; may be repeated" : ""}`;
  return [`${short ? `-${short}, ` : ""}--${name}${shown}`, `${summary}${among}`];
}

/** Wider first columns push their text to the next line. */
const COLUMN_MAX = 34;

function table(rows: readonly (readonly [string, string])[]): string[] {
  const width = Math.min(COLUMN_MAX, Math.max(...rows.map(([left]) => left.length)));
  return rows.flatMap(([left, right]) =>
    left.length > width ? [`  ${left}`, `  ${" ".repeat(width)}  ${right}`] : [`  ${left.padEnd(width)}  ${right}`],
  );
}

const TEXT_WIDTH = 100;

function wrapped(text: string): string[] {
  const all: string[] = [];
  for (const paragraph of text.split("\n")) {
    let line = "";
    for (const word of paragraph.split(" ")) {
      if (line !== "" && line.length + 1 + word.length > TEXT_WIDTH) {
        all.push(line);
        line = word;
      } else line = line === "" ? word : `${line} ${word}`;
    }
    all.push(line);
  }
  return all;
}

function lines(all: readonly string[]): string {
  return all.join("\n");
}
