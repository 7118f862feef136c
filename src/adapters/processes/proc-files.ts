/** Reads what the kernel tells of processes, also when this process has no file descriptor left. */

import { closeSync, openSync, readdirSync, readFileSync } from "node:fs";

/**
 * A descriptor that is kept back: who has none left could not even see what of an attempt still lives. Each look here
 * needs one, at once given back, so one is enough.
 */
let spare: number | null = null;

/** Takes a descriptor for later; call it before there can be a shortage. */
export function keepSpare(): void {
  spare ??= openSync("/dev/null", "r");
}

/** Throws as the file system does when this process cannot open so many files more. */
export function ensureDescriptors(count: number): void {
  const taken: number[] = [];
  try {
    while (taken.length < count) taken.push(openSync("/dev/null", "r"));
  } finally {
    for (const descriptor of taken) closeSync(descriptor);
  }
}

/** A file below /proc. Throws as the file system does, for a process that has gone ENOENT or ESRCH. */
export function readProc(path: string): Buffer {
  return withSpare(() => readFileSync(`/proc/${path}`));
}

/** The ids of all processes, in ascending order. Linux only. */
export function livingPids(): number[] {
  return withSpare(() => readdirSync("/proc"))
    .map(Number)
    .filter(Number.isInteger)
    .sort((a, b) => a - b);
}

/** True when the machine, or this process's share of it, has nothing left to start or open something with. */
export function isShortage(error: unknown): boolean {
  return ["EMFILE", "ENFILE", "EAGAIN", "ENOMEM"].includes((error as NodeJS.ErrnoException).code ?? "");
}

function withSpare<T>(look: () => T): T {
  try {
    return look();
  } catch (error) {
    if (!isShortage(error) || spare === null) throw error;
    closeSync(spare);
    spare = null;
    try {
      return look();
    } finally {
      keepSpare();
    }
  }
}
