/** The one place that says how an attempt stands, from what its runner left and whether that lives. */

import { statSync } from "node:fs";
import type { RunnerEnd } from "../../ports/runner.ts";
import { readEndOf, readFileOf } from "./read-file.ts";
import type { SpoolFiles } from "./spool-files.ts";
import type { Owner } from "./spool-owner.ts";
import { isReadable, parseEnd, READABLE } from "./spool-words.ts";

export type SpoolStatus =
  | { state: "running" }
  /** Nothing more comes. The outcome is `lost` where no end was left that can be read. */
  | { state: "ended"; end: RunnerEnd }
  /** No runner has come, or the machine cannot tell now. */
  | { state: "unknown"; why: string };

/** An end is a few texts, the longest of which is what an agent said last. */
const END_BYTES_MAX = 16 * 1024 * 1024;

/** As much of a broken runner's last words as a person reads. */
const SAID_BYTES = 1_000;

/** `isAlive`: whether its runner lives, asked before this looks at what it left: whoever is gone has left all by then. */
export function spoolStatus(files: SpoolFiles, owner: Owner, isAlive: boolean): SpoolStatus {
  if (owner.is === "runner" && !isReadable(owner.protocol))
    return isAlive ? { state: "running" } : lost(otherVersion(owner.protocol));
  const done = readFileOf(files.done, END_BYTES_MAX);
  if (done.found === "text") {
    const end = parseEnd(done.text);
    return end === null ? lost("its runner left an end that cannot be read: done.json holds none") : ended(end);
  }
  if (done.found === "unreadable" && !done.passing)
    return lost(`its runner left an end that cannot be read: done.json: ${done.why}`);
  if (done.found === "unreadable") return { state: "unknown", why: done.why };
  return isAlive ? { state: "running" } : withoutEnd(files, owner);
}

/** Why a runner that nothing is left of ended, as far as its spool tells. */
export function died(files: SpoolFiles): RunnerEnd {
  if (statSync(files.dir, { throwIfNoEntry: false }) === undefined) return lostBecause("its spool is gone");
  const read = readEndOf(files.errors, SAID_BYTES);
  const said = read.found === "text" ? read.text.trim() : "";
  return lostBecause(said === "" ? "its runner died" : `its runner died: ${said}`);
}

/** `lost`, for the record: nothing is known of what was used. */
export function lostBecause(error: string): RunnerEnd {
  return { outcome: "lost", error, summary: null, usage: null, cost_usd: null };
}

/** What is said of a live runner whose words are not read. */
export function leftToFinish(protocol: number): string {
  return `its runner speaks version ${protocol} of the spool, and this lockstep reads ${READABLE}: it is left to finish`;
}

function otherVersion(protocol: number): string {
  return `its runner spoke version ${protocol} of the spool, and this lockstep reads ${READABLE}: how it ended is not known`;
}

function withoutEnd(files: SpoolFiles, owner: Owner): SpoolStatus {
  switch (owner.is) {
    case "runner":
      return ended(died(files));
    case "given_up":
      return lost("it was given up before its runner came");
    case "nobody":
      return { state: "unknown", why: "no runner has come" };
    case "unreadable":
      return owner.passing
        ? { state: "unknown", why: owner.why }
        : lost(`whose it is cannot be read: runner.json: ${owner.why}`);
  }
}

function lost(error: string): SpoolStatus {
  return ended(lostBecause(error));
}

function ended(end: RunnerEnd): SpoolStatus {
  return { state: "ended", end };
}
