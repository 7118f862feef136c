/** The files of a spool: one folder an attempt, written by its runner and its engine, readable by their owner alone. */

import { randomUUID } from "node:crypto";
import { closeSync, fsyncSync, linkSync, openSync, renameSync, unlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { spoolName } from "../../core/attempt/spool-name.ts";
import type { AttemptName } from "../../ports/runner.ts";

export interface SpoolFiles {
  dir: string;
  /** What the agent is given. */
  brief: string;
  launch: string;
  /** Whose the attempt is: a runner's, or nobody's any more. Made once, by whoever comes first. */
  runner: string;
  /** Runner to engine. */
  events: string;
  /** Engine to runner; the time of its last change is when an engine was last heard. */
  control: string;
  /** What the agent printed. */
  transcript: string;
  /** What the runner itself printed: nothing, unless it is broken. */
  errors: string;
  done: string;
  /** Which session of tmux shows the attempt; there is none without it. */
  tmux: string;
}

export function spoolFiles(dir: string): SpoolFiles {
  return {
    dir,
    brief: join(dir, "brief.json"),
    launch: join(dir, "launch.json"),
    runner: join(dir, "runner.json"),
    events: join(dir, "events.jsonl"),
    control: join(dir, "control.jsonl"),
    transcript: join(dir, "transcript.log"),
    errors: join(dir, "runner.log"),
    done: join(dir, "done.json"),
    tmux: join(dir, "tmux.json"),
  };
}

/** The spool of an attempt, among the blobs of the state directory. */
export function spoolAt(stateDir: string, { plan, slug, n }: Omit<AttemptName, "task">): SpoolFiles {
  return spoolFiles(join(stateDir, "blobs", spoolName({ plan, slug }, n)));
}

/** Makes a file that is whole for whoever sees it, and durable. */
export function writeDurably(file: string, text: string): void {
  const half = halfOf(file);
  const descriptor = openSync(half, "wx", 0o600);
  try {
    writeFileSync(descriptor, text);
    fsyncSync(descriptor);
    renameSync(half, file);
  } catch (error) {
    // A full disk is tried again and again: what is left of each try would fill it for good.
    unlinkSync(half);
    throw error;
  } finally {
    closeSync(descriptor);
  }
  syncFolder(dirname(file));
}

/** Makes a file, whole for whoever sees it; false when there is one already. */
export function writeFirst(file: string, text: string): boolean {
  const half = halfOf(file);
  closeSync(openSync(half, "wx", 0o600));
  try {
    writeFileSync(half, text);
    linkSync(half, file);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw error;
  } finally {
    unlinkSync(half);
  }
}

function halfOf(file: string): string {
  return `${file}.${randomUUID()}`;
}

function syncFolder(dir: string): void {
  const descriptor = openSync(dir, "r");
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
