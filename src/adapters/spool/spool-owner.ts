/** Whose an attempt is, as its spool says. */

import type { ProcessIdentity } from "../../ports/processes.ts";
import { SPOOL_PROTOCOL } from "../../ports/runner.ts";
import { readFileOf, readStartOf } from "./read-file.ts";
import type { SpoolFiles } from "./spool-files.ts";
import { parseEvent, parseOwner } from "./spool-words.ts";

export type Owner =
  /** Nobody has come yet, or the spool is gone. */
  | { is: "nobody" }
  /** An engine gave the attempt up before a runner came: none can any more. */
  | { is: "given_up" }
  | { is: "runner"; runner: ProcessIdentity; protocol: number }
  | { is: "unreadable"; why: string; passing: boolean };

/** One line; anything longer is none of ours. */
const OWNER_BYTES_MAX = 64 * 1024;

/** The runner says who it is before its agent says much. */
const STARTED_WITHIN_BYTES = 64 * 1024;

export function readOwner(files: SpoolFiles): Owner {
  const read = readFileOf(files.runner, OWNER_BYTES_MAX);
  if (read.found === "nothing") return { is: "nobody" };
  const words = read.found === "text" ? parseOwner(read.text) : null;
  if (words?.runner === null) return { is: "given_up" };
  if (words !== null) return { is: "runner", runner: words.runner, protocol: words.protocol };
  if (read.found === "unreadable" && read.passing) return { is: "unreadable", why: read.why, passing: true };
  return (
    startedIn(files) ?? { is: "unreadable", why: read.found === "text" ? "no owner in it" : read.why, passing: false }
  );
}

/** The runner as its own lines tell it, where the file that should is broken. */
function startedIn(files: SpoolFiles): Owner | null {
  const read = readStartOf(files.events, STARTED_WITHIN_BYTES);
  if (read.found !== "text") return null;
  for (const line of read.text.split("\n")) {
    const event = parseEvent(line);
    if (event?.type === "started") return { is: "runner", runner: event.runner, protocol: SPOOL_PROTOCOL };
  }
  return null;
}
