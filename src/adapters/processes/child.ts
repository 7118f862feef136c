import { type ChildProcess, spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { closeSync, openSync, statSync } from "node:fs";
import type { Readable } from "node:stream";
import type { CommandOutput } from "../../ports/processes.ts";
import { type Capture, capture, closeWriter } from "./captured.ts";
import { MARK } from "./mark.ts";
import { ensureDescriptors } from "./proc-files.ts";

/** What starting a child takes for a moment: both ends of two pipes and of the platform's own, and some to spare. */
const SPAWN_DESCRIPTORS = 8;

export interface ChildRequest {
  argv: readonly [string, ...string[]];
  cwd: string;
  env: Record<string, string>;
  /** Both outputs are appended to it by the kernel, no pipe between. */
  logFile: string;
  /** `new`: there must be no such file yet. */
  log: "new" | "append";
  /** What stands at the child's descriptors 0 and 3. */
  stdin: "ignore" | "pipe";
  gate: "pipe" | "ignore";
  /** Goes between its outputs and the file. */
  output?: CommandOutput | undefined;
  /** It writes a line to descriptor 3 just before it becomes the program. */
  announces?: boolean;
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
  /** Somebody hears its output before it is written, and has taken out what must not be. */
  isHeard: boolean;
  /** Resolves when all that it printed is written, if somebody hears that first. To be asked when all of it is killed. */
  drained(): Promise<void>;
  exit: Promise<Exit>;
  /** Resolves when signals reach the program, as far as the child announces that; false when it has ended before. */
  begun: Promise<boolean>;
}

/** Why there is no child, for people. */
export interface NotStarted {
  reason: string;
}

/** Starts a program in a process group of its own, its output straight into a new file. Never rejects. */
export async function startChild(request: ChildRequest): Promise<Child | NotStarted> {
  let log: number;
  try {
    log = openSync(request.logFile, request.log === "new" ? "ax+" : "a+", 0o600);
  } catch (error) {
    return { reason: `its output file cannot be made: ${(error as Error).message}` };
  }
  const started = await spawnInto(log, request);
  if ("reason" in started) closeSync(log);
  return started;
}

async function spawnInto(log: number, request: ChildRequest): Promise<Child | NotStarted> {
  if (request.output === undefined) return spawnOnto(log, log, request);
  let captured: Capture;
  try {
    captured = await capture(request.output, log, request.logFile);
  } catch (error) {
    return { reason: `its output cannot be heard: ${(error as Error).message}` };
  }
  const started = await spawnOnto(captured.writer, log, request);
  closeWriter(captured);
  if (!("reason" in started)) return { ...started, isHeard: true, drained: () => captured.drained() };
  captured.drop();
  return started;
}

/** `out` takes both its outputs. */
async function spawnOnto(out: number, log: number, request: ChildRequest): Promise<Child | NotStarted> {
  const mark = randomUUID();
  const outer = request.env[MARK];
  const [program, ...args] = request.argv;
  let child: ChildProcess;
  try {
    // The platform loses the pipes of a child that it has not enough descriptors for, and with them its last ones.
    ensureDescriptors(SPAWN_DESCRIPTORS);
    child = spawn(program, args, {
      cwd: request.cwd,
      env: { ...request.env, [MARK]: outer === undefined ? mark : `${outer}:${mark}` },
      stdio: request.gate === "pipe" ? [request.stdin, out, out, "pipe"] : [request.stdin, out, out],
      detached: true,
    });
  } catch (error) {
    // Thrown for arguments that no system takes, too: a NUL inside, or longer than the kernel allows.
    return { reason: `${program} cannot be started: ${(error as Error).message}` };
  }
  if (child.pid === undefined) {
    return new Promise((resolve) => child.once("error", (error) => resolve({ reason: whyNot(error, request) })));
  }
  const exit = new Promise<Exit>((resolve) => child.once("exit", (code, signal) => resolve({ code, signal })));
  const begun = request.announces ? announced(child.stdio[3] as Readable) : Promise.resolve(true);
  const { logFile } = request;
  return { process: child, pid: child.pid, mark, log, logFile, isHeard: false, drained: async () => {}, exit, begun };
}

function announced(gate: Readable): Promise<boolean> {
  return new Promise((resolve) => {
    gate.once("data", () => resolve(true));
    gate.once("close", () => resolve(false));
  });
}

/** A missing directory and a missing program look the same to `spawn`. */
function whyNot(error: Error, request: ChildRequest): string {
  const directory = statSync(request.cwd, { throwIfNoEntry: false });
  if (directory === undefined) return `the directory is gone: ${request.cwd}`;
  if (!directory.isDirectory()) return `not a directory: ${request.cwd}`;
  return `${request.argv[0]} cannot be started: ${error.message}`;
}
