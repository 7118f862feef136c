import { closeSync } from "node:fs";
import { constants } from "node:os";
import { performance } from "node:perf_hooks";
import type { CheckEnd } from "../../ports/processes.ts";
import type { Child, Exit } from "./child.ts";
import { killGroup, killMarked, signalGroup } from "./group.ts";
import { appendNote, cutMiddle, readTail, sizeOf } from "./output.ts";

/** Bounds that tests set lower. */
export interface SuperviseLimits {
  /** Between SIGTERM and SIGKILL. */
  graceMs: number;
  /** A child whose output grows beyond this is killed. */
  outputBytesMax: number;
}

/** Output above 4 GiB is a mistake of the command, and the disk is everybody's. */
export const LIMITS: SuperviseLimits = { graceMs: 2_000, outputBytesMax: 4 * 1024 ** 3 };

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
  timeoutMs: number;
  signal: AbortSignal | undefined;
  limits: SuperviseLimits;
}

/**
 * Waits for a child's end within its limits; then nothing of it is left: its group is killed, and on Linux also what
 * left the group. Never waits for whoever still holds the output.
 */
export async function supervise(child: Child, request: SuperviseRequest): Promise<CheckEnd> {
  const began = performance.now();
  const { exit, cause } = await endOf(child, request);
  await killGroup(child.pid);
  await killMarked(child.mark, child.pid);
  const ms = performance.now() - began;
  const tail = await closeOutput(child, cause === "flooded" ? request.limits.outputBytesMax : null);
  return { ...verdict(exit, cause), tail, ms: Math.round(ms) };
}

/** The end of what could not be started at all. */
export function notStarted(reason: string): CheckEnd {
  return { outcome: "error", exit_code: 127, tail: reason, ms: 0 };
}

/** Reads the tail, bounds the file and closes it. `floodedAt`: the bound in bytes that the output broke. */
export async function closeOutput(child: Child, floodedAt: number | null): Promise<string> {
  try {
    if (floodedAt !== null) appendNote(child.log, `killed: more than ${floodedAt} bytes of output`);
    const tail = readTail(child.log);
    await cutMiddle(child.log, child.logFile);
    return tail;
  } finally {
    closeSync(child.log);
  }
}

async function endOf(child: Child, request: SuperviseRequest): Promise<{ exit: Exit; cause: Cause | null }> {
  const { promise: givenUp, resolve: giveUp } = withResolvers<Exit>();
  const timers = new Set<NodeJS.Timeout>();
  const after = (ms: number, act: () => void) => timers.add(setTimeout(act, Math.min(ms, TIMER_MS_MAX)));
  let cause: Cause | null = null;
  const stop = (why: Cause) => {
    if (cause !== null) return;
    cause = why;
    signalGroup(child.pid, why === "flooded" ? "SIGKILL" : "SIGTERM");
    after(request.limits.graceMs, () => {
      signalGroup(child.pid, "SIGKILL");
      after(KILLED_WAIT_MS, () => giveUp({ code: null, signal: "SIGKILL" }));
    });
  };
  const look = () => {
    const left = request.limits.outputBytesMax - sizeOf(child.log);
    if (left < 0) stop("flooded");
    else after(Math.min(Math.max(left / BYTES_PER_MS_MAX, LOOK_MS_MIN), LOOK_MS_MAX), look);
  };
  const onAbort = () => stop("killed");
  after(request.timeoutMs, () => stop("timed_out"));
  after(FIRST_LOOK_MS, look);
  if (request.signal?.aborted) onAbort();
  request.signal?.addEventListener("abort", onAbort, { once: true });
  const exit = await Promise.race([child.exit, givenUp]);
  request.signal?.removeEventListener("abort", onAbort);
  for (const timer of timers) clearTimeout(timer);
  return { exit, cause };
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
