import { closeSync } from "node:fs";
import { constants } from "node:os";
import { performance } from "node:perf_hooks";
import type { CheckEnd, ProcessIdentity } from "../../ports/processes.ts";
import type { Child, Exit } from "./child.ts";
import { killAll, orphansOf } from "./descendants.ts";
import { killGroup, killMarked, signalGroup } from "./group.ts";
import { appendNote, cutMiddle, readTail, redactFile, sizeOf } from "./output.ts";

/** Bounds that tests set lower. */
export interface SuperviseLimits {
  /** Between SIGTERM and SIGKILL of a check. */
  graceMs: number;
  /** The same of a command: an agent writes down its conversation when it is asked to end. */
  commandGraceMs: number;
  /** A child whose output grows beyond this is killed. */
  outputBytesMax: number;
}

/** Output above 4 GiB is a mistake of the command, and the disk is everybody's. */
export const LIMITS: SuperviseLimits = {
  graceMs: 2_000,
  commandGraceMs: 10_000,
  outputBytesMax: 4 * 1024 ** 3,
};

/** Most checks have ended before the first look at the size. */
const FIRST_LOOK_MS = 300;

/** No disk takes more than this; a look at the size comes before the bound can be broken, and seldom when it is far. */
const BYTES_PER_MS_MAX = 1024 ** 2;
const LOOK_MS_MIN = 50;
const LOOK_MS_MAX = 5_000;

/** A killed child that does not end is held by the kernel; waiting longer would hold the engine too. */
const KILLED_WAIT_MS = 10_000;

/** The longest delay that a timer of the platform takes. */
const TIMER_MS_MAX = 2 ** 31 - 1;

type Cause = "timed_out" | "killed" | "flooded";

export interface SuperviseRequest {
  /** Null: no limit. */
  timeoutMs: number | null;
  signal: AbortSignal | undefined;
  /** Kills without a grace. */
  kill?: AbortSignal | undefined;
  limits: SuperviseLimits;
}

/**
 * Waits for a child's end within its limits; then nothing of it is left: its group is killed, and on Linux also what
 * left the group. Never waits for whoever still holds the output.
 */
export async function supervise(child: Child, request: SuperviseRequest): Promise<CheckEnd> {
  const began = performance.now();
  const { exit, cause, forced, descendants } = await endOf(child, request);
  await killGroup(child.pid);
  await killMarked(child.mark, child.pid);
  killAll(descendants);
  await child.drained();
  const ms = performance.now() - began;
  const tail = await closeOutput(child, cause === "flooded" ? request.limits.outputBytesMax : null);
  if (cause === null && !(await child.begun)) return notStarted(tail.trim());
  const bound = cause === "flooded" ? { flooded_at: request.limits.outputBytesMax } : {};
  return { ...verdict(exit, cause), tail, ms: Math.round(ms), forced, ...bound };
}

/** The end of what could not be started at all. */
export function notStarted(reason: string): CheckEnd {
  return { outcome: "error", exit_code: 127, tail: reason, ms: 0, forced: false };
}

/** Reads the tail, bounds the file and closes it. `floodedAt`: the bound in bytes that the output broke. */
export async function closeOutput(child: Child, floodedAt: number | null): Promise<string> {
  try {
    if (floodedAt !== null) appendNote(child.log, `killed: more than ${floodedAt} bytes of output`);
    const tail = readTail(child.log);
    await cutMiddle(child.log, child.logFile);
    return child.isHeard ? tail : ((await redactFile(child.log, child.logFile)) ?? tail);
  } finally {
    closeSync(child.log);
  }
}

interface ChildEnd {
  exit: Exit;
  cause: Cause | null;
  forced: boolean;
  /** What was there below it when it was told to end. */
  descendants: ProcessIdentity[];
}

async function endOf(child: Child, request: SuperviseRequest): Promise<ChildEnd> {
  const { promise: givenUp, resolve: giveUp } = withResolvers<Exit>();
  const timers = new Set<NodeJS.Timeout>();
  const after = (ms: number, act: () => void) => timers.add(setTimeout(act, Math.min(ms, TIMER_MS_MAX)));
  let cause: Cause | null = null;
  let forced = false;
  const descendants: ProcessIdentity[] = [];
  const force = () => {
    if (forced) return;
    forced = true;
    descendants.push(...orphansOf(child.pid));
    signalGroup(child.pid, "SIGKILL");
    after(KILLED_WAIT_MS, () => giveUp({ code: null, signal: "SIGKILL" }));
  };
  const stop = (why: Cause) => {
    if (cause !== null) return;
    cause = why;
    if (why === "flooded") return force();
    descendants.push(...orphansOf(child.pid));
    // Sooner, a signal would be lost: what comes before the program does not hear it.
    void child.begun.then(() => signalGroup(child.pid, "SIGTERM"));
    after(request.limits.graceMs, force);
  };
  const look = () => {
    const left = request.limits.outputBytesMax - sizeOf(child.log);
    if (left < 0) stop("flooded");
    else after(Math.min(Math.max(left / BYTES_PER_MS_MAX, LOOK_MS_MIN), LOOK_MS_MAX), look);
  };
  if (request.timeoutMs !== null) after(request.timeoutMs, () => stop("timed_out"));
  after(FIRST_LOOK_MS, look);
  const unhear = [
    onAbort(request.signal, () => stop("killed")),
    onAbort(request.kill, () => {
      cause ??= "killed";
      force();
    }),
  ];
  const exit = await Promise.race([child.exit, givenUp]);
  for (const end of unhear) end();
  for (const timer of timers) clearTimeout(timer);
  return { exit, cause, forced, descendants };
}

/** Calls once when the signal aborts, or at once when it has. Returns the way to stop listening. */
function onAbort(signal: AbortSignal | undefined, act: () => void): () => void {
  if (signal?.aborted) act();
  signal?.addEventListener("abort", act, { once: true });
  return () => signal?.removeEventListener("abort", act);
}

function withResolvers<T>(): { promise: Promise<T>; resolve: (value: T) => void } {
  let resolve!: (value: T) => void;
  const promise = new Promise<T>((settle) => {
    resolve = settle;
  });
  return { promise, resolve };
}

function verdict(exit: Exit, cause: Cause | null): Pick<CheckEnd, "outcome" | "exit_code"> {
  const code = exit.code ?? 128 + (exit.signal === null ? 0 : constants.signals[exit.signal]);
  if (cause === "timed_out") return { outcome: "timed_out", exit_code: 124 };
  if (cause === "killed")
    return { outcome: "killed", exit_code: exit.code === null ? code : 128 + constants.signals.SIGTERM };
  if (cause === "flooded") return { outcome: "red", exit_code: 128 + constants.signals.SIGKILL };
  return { outcome: code === 0 ? "green" : "red", exit_code: code };
}
