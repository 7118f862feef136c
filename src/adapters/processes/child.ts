import { type ChildProcess, spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { closeSync, openSync, statSync } from "node:fs";
import { MARK } from "./group.ts";

export interface ChildRequest {
  argv: readonly [string, ...string[]];
  cwd: string;
  env: Record<string, string>;
  /** Created here; both outputs are appended to it by the kernel, no pipe between. */
  logFile: string;
  /** What stands at the child's descriptors 0 and 3. */
  stdin: "ignore" | "pipe";
  gate: "pipe" | "ignore";
}

export interface Exit {
  code: number | null;
  signal: NodeJS.Signals | null;
}

/** A child that leads a process group and a session of its own. */
export interface Child {
  process: ChildProcess;
  pid: number;
  mark: string;
  /** Open on `logFile` for reading and appending; whoever waits for the end closes it. */
  log: number;
  logFile: string;
  exit: Promise<Exit>;
}

/** Why there is no child, for people. */
interface NotStarted {
  reason: string;
}

/** Starts a program in a process group of its own, its output straight into a new file. Never rejects. */
export async function startChild(request: ChildRequest): Promise<Child | NotStarted> {
  let log: number;
  try {
    log = openSync(request.logFile, "ax+", 0o600);
  } catch (error) {
    return { reason: `its output file cannot be made: ${(error as Error).message}` };
  }
  const started = await spawnInto(log, request);
  if ("reason" in started) closeSync(log);
  return started;
}

async function spawnInto(log: number, request: ChildRequest): Promise<Child | NotStarted> {
  const mark = randomUUID();
  const outer = request.env[MARK];
  const [program, ...args] = request.argv;
  let child: ChildProcess;
  try {
    child = spawn(program, args, {
      cwd: request.cwd,
      env: { ...request.env, [MARK]: outer === undefined ? mark : `${outer}:${mark}` },
      stdio: request.gate === "pipe" ? [request.stdin, log, log, "pipe"] : [request.stdin, log, log],
      detached: true,
    });
  } catch (error) {
    // Thrown for arguments that no system takes: a NUL inside, or longer than the kernel allows.
    return { reason: `${program} cannot be started: ${(error as Error).message}` };
  }
  if (child.pid === undefined) {
    return new Promise((resolve) => child.once("error", (error) => resolve({ reason: whyNot(error, request) })));
  }
  const exit = new Promise<Exit>((resolve) => child.once("exit", (code, signal) => resolve({ code, signal })));
  return { process: child, pid: child.pid, mark, log, logFile: request.logFile, exit };
}

/** A missing directory and a missing program look the same to `spawn`. */
function whyNot(error: Error, request: ChildRequest): string {
  const directory = statSync(request.cwd, { throwIfNoEntry: false });
  if (directory === undefined) return `the directory is gone: ${request.cwd}`;
  if (!directory.isDirectory()) return `not a directory: ${request.cwd}`;
  return `${request.argv[0]} cannot be started: ${error.message}`;
}
