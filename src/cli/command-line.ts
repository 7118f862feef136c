/** Reads what was written, runs the command, turns its end into an exit code. */

import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import type { HostName } from "../config/availability.ts";
import type { CommandSpec } from "./command.ts";
import { COMMANDS } from "./commands.ts";
import { EXIT } from "./exit-codes.ts";
import { Failure, insideAttempt } from "./failure.ts";
import { openOutput } from "./output.ts";
import type { Parsed } from "./parse-arguments.ts";
import { parseArguments } from "./parse-arguments.ts";
import type { Session } from "./session.ts";
import type { Terminal } from "./terminal.ts";
import { openTerminal } from "./terminal.ts";

/** `lockstep` alone says how things stand; it never starts work. */
const STATUS: CommandSpec = COMMANDS.find(({ name }) => name === "status")!;

/** Answers the exit code. */
export async function main(argv: readonly string[], env: NodeJS.ProcessEnv): Promise<number> {
  const parsed = parseArguments(withoutHelpWord(argv), COMMANDS);
  const json = "json" in parsed.options;
  const unread = (parsed.spec ?? STATUS).effect === "reads" ? "ends" : "goes on";
  const terminal = openTerminal({
    stdout: openOutput("stdout", unread),
    stderr: openOutput("stderr", unread),
    env,
    json,
    now: Date.now,
  });
  if ("version" in parsed.options) return print(terminal, version());
  if ("help" in parsed.options) return help(terminal, parsed);
  if (parsed.problem) return report(terminal, parsed.problem, env);
  if (env["LOCKSTEP_ATTEMPT"] !== undefined && parsed.spec?.effect !== "reports")
    return report(terminal, insideAttempt(), env);
  return runCommand(parsed.spec ?? STATUS, parsed, terminal, env);
}

async function runCommand(
  spec: CommandSpec,
  { args, options, lists }: Parsed,
  terminal: Terminal,
  env: NodeJS.ProcessEnv,
): Promise<number> {
  let session: Session | undefined;
  try {
    const cwd = resolve(startDirectory(), options["cwd"] ?? ".");
    const { openSession } = await import("./session.ts");
    const acts = spec.options.some((option) => option.acts === true && option.name in options);
    const writes = (spec.effect === "writes" && !("dry-run" in options)) || acts;
    const plan = options["plan"] ?? null;
    // Its words have been checked where options are read.
    const host = (options["host"] as HostName | undefined) ?? null;
    session = openSession({ cwd, env, store: options["store"] || null, plan, host, writes });
    const { run } = await spec.load();
    return await run({ spec, commands: COMMANDS, args, options, lists, cwd, env, terminal, session });
  } catch (error) {
    return await report(terminal, error, env);
  } finally {
    await session?.close();
  }
}

/** The directory that this process was started in may have been removed meanwhile. */
function startDirectory(): string {
  try {
    return process.cwd();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
    throw new Failure("no_directory", "the current directory is gone", "Change to one that exists.", {
      exit: EXIT.usage,
    });
  }
}

async function help(terminal: Terminal, { spec, group, problem }: Parsed): Promise<number> {
  const { commandHelp, groupHelp, overviewHelp } = await import("./help.ts");
  if (spec) return print(terminal, commandHelp(spec));
  if (group) return print(terminal, groupHelp(group, COMMANDS));
  if (problem) return report(terminal, problem, process.env);
  return print(terminal, overviewHelp(COMMANDS));
}

async function report(terminal: Terminal, error: unknown, env: NodeJS.ProcessEnv): Promise<number> {
  const { reportError } = await import("./report-error.ts");
  return reportError(terminal, error, env);
}

function print(terminal: Terminal, text: string): number {
  terminal.print(text);
  return EXIT.ok;
}

/** `lockstep help claim` is `lockstep claim --help`. */
function withoutHelpWord(argv: readonly string[]): readonly string[] {
  return argv[0] === "help" ? [...argv.slice(1), "--help"] : argv;
}

function version(): string {
  const file = new URL("../../package.json", import.meta.url);
  return (JSON.parse(readFileSync(file, "utf8")) as { version: string }).version;
}
