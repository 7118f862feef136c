import { accessSync, constants, statSync } from "node:fs";
import { delimiter, join, resolve } from "node:path";
import { invariant } from "../../core/assert.ts";
import type { CommandRequest, HeldProcess } from "../../ports/processes.ts";
import type { Child } from "./child.ts";
import { GATE, hold, neverStarted } from "./hold.ts";
import type { SuperviseLimits } from "./supervise.ts";

/** The arguments never stand in the script: bash hands them on as they are, and becomes the program. */
const SCRIPT = `${GATE}exec -- "$@"`;

/** Starts what will become a program without a shell, held before it does; its standard input is a given text. */
export async function holdCommand(request: CommandRequest, limits: SuperviseLimits): Promise<HeldProcess> {
  const { argv, cwd, env, logFile, timeoutMs, signal } = request;
  const [program] = argv;
  invariant(program, "a command has a program");
  if (statSync(cwd, { throwIfNoEntry: false })?.isDirectory() && !isExecutable(program, cwd, env["PATH"] ?? "")) {
    return neverStarted(`no program ${JSON.stringify(program)}: give its path, or put its directory on the PATH`);
  }
  const child = { argv: ["bash", "-c", SCRIPT, "bash", ...argv] as const, cwd, env: asScript(env), logFile } as const;
  return hold({ ...child, stdin: "pipe" }, { timeoutMs, signal, limits }, (held) => give(held, request.stdin));
}

/**
 * The pipe to a child's standard input is a socket, which an outermost bash takes for a remote login: it would run the
 * user's `~/.bashrc`. One shell further in it does not.
 */
function asScript(env: Record<string, string>): Record<string, string> {
  return { ...env, SHLVL: String(Math.max(1, Number.parseInt(env["SHLVL"] ?? "", 10) || 0)) };
}

function give({ process, exit }: Child, text: string): void {
  const { stdin } = process;
  // A program may end, or close its input, without having read all of it: that is its right and no error.
  stdin?.on("error", () => stdin.destroy());
  stdin?.end(text);
  // A descendant that outlives the program may hold the other end; what it did not read is not kept for it.
  exit.then(() => stdin?.destroy());
}

function isExecutable(program: string, cwd: string, path: string): boolean {
  const places = program.includes("/")
    ? [resolve(cwd, program)]
    : path.split(delimiter).map((dir) => join(resolve(cwd, dir), program));
  return places.some((file) => {
    if (!statSync(file, { throwIfNoEntry: false })?.isFile()) return false;
    try {
      accessSync(file, constants.X_OK);
      return true;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "EACCES") return false;
      throw error;
    }
  });
}
