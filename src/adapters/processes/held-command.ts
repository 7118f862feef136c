import { statSync } from "node:fs";
import type { Writable } from "node:stream";
import { invariant } from "../../core/assert.ts";
import type { CommandInput, CommandRequest, HeldProcess } from "../../ports/processes.ts";
import { asScript } from "./as-script.ts";
import type { Child } from "./child.ts";
import { INIT, namespaceArgv } from "./containment.ts";
import { findProgram } from "./find-program.ts";
import { GATE, hold, neverStarted } from "./hold.ts";
import { sandboxArgv } from "./sandbox.ts";
import type { SuperviseLimits } from "./supervise.ts";

/** What is written to a program and waits to be read; one that lets more wait does not read, and gets no more. */
const UNREAD_BYTES_MAX = 64 * 1024 * 1024;

/** The arguments never stand in the script: bash hands them on as they are, and becomes the program. */
const SCRIPT = `${GATE}exec -- "$@"`;

/** Starts what will become a program without a shell, held before it does; its standard input is a given text or a conversation's half. */
export async function holdCommand(request: CommandRequest, limits: SuperviseLimits): Promise<HeldProcess> {
  const { argv, cwd, env, logFile, output, timeoutMs, signal, kill } = request;
  const [program] = argv;
  invariant(program, "a command has a program");
  if (
    statSync(cwd, { throwIfNoEntry: false })?.isDirectory() &&
    findProgram(program, cwd, env["PATH"] ?? "") === null
  ) {
    return neverStarted(`no program ${JSON.stringify(program)}: give its path, or put its directory on the PATH`);
  }
  const wrapped = await wrappedArgv(request);
  if (typeof wrapped === "string") return neverStarted(wrapped);
  const child = { argv: wrapped.argv, announces: wrapped.announces, cwd, env: asScript(env), logFile, output };
  const bounds = { timeoutMs, signal, kill, limits: { ...limits, graceMs: limits.commandGraceMs } };
  return hold({ ...child, log: "append", stdin: "pipe" }, bounds, (held) => give(held, request.stdin));
}

/** The command line that holds the program, and how it says that the program begins; or why there is none. */
async function wrappedArgv({ argv, cwd, env, contain, sandbox }: CommandRequest): Promise<Wrapped | string> {
  if (sandbox !== undefined) {
    const whole = sandboxArgv(sandbox, { argv, cwd, env });
    return typeof whole === "string" ? `it works in a sandbox only: ${whole}` : { argv: whole, announces: true };
  }
  // Where there is no bash the plain way says so.
  const canWrap = contain === true && findProgram("bash", cwd, env["PATH"] ?? "") !== null;
  const [wrapper, ...flags] = (canWrap ? await namespaceArgv() : null) ?? [];
  if (wrapper === undefined) return { argv: ["bash", "-c", SCRIPT, "bash", ...argv], announces: false };
  return { argv: [wrapper, ...flags, "bash", "-c", INIT, "bash", ...argv], announces: true };
}

interface Wrapped {
  argv: readonly [string, ...string[]];
  announces: boolean;
}

function give({ process, exit }: Child, given: CommandRequest["stdin"]): void {
  const { stdin } = process;
  // A program may end, or close its input, without having read all of it: that is its right and no error.
  stdin?.on("error", () => stdin.destroy());
  if (typeof given === "string") stdin?.end(given);
  else if (stdin) given(inputOf(stdin));
  // A descendant that outlives the program may hold the other end; what it did not read is not kept for it.
  exit.then(() => stdin?.destroy());
}

function inputOf(stdin: Writable): CommandInput {
  return {
    write: (text) => {
      // After its end a word would be an error, and what still waits would be lost with it.
      if (!stdin.writable) return;
      if (stdin.writableLength > UNREAD_BYTES_MAX) stdin.destroy();
      else stdin.write(text);
    },
    end: () => {
      stdin.end();
    },
  };
}
