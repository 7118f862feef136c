/** Whether a conversation of an earlier attempt is still where the next one works: as its spool says. */

import { existsSync } from "node:fs";
import { type KeptSession, type SessionPlace, whyNotThere } from "../../core/attempt/resume-session.ts";
import type { AttemptName, Launch, Resumption } from "../../ports/runner.ts";
import { readFileOf } from "./read-file.ts";
import { spoolAt } from "./spool-files.ts";
import { objectIn, textIn } from "./spool-words.ts";

/** `workspace`: absolute path in which the next attempt works. */
export function resumptionOf(
  kept: KeptSession,
  { attempt, agent, isolation }: Launch,
  { stateDir, workspace }: { stateDir: string; workspace: string },
): Resumption {
  const held = placeOf(stateDir, { ...attempt, n: kept.attempt });
  const home = isolation?.home?.dir ?? null;
  const isHomeThere = home === null || existsSync(home);
  const lost = whyNotThere(held, { adapter: agent.adapter, workspace, home, isHomeThere });
  return lost === null ? kept : { attempt: kept.attempt, lost };
}

/** Null when its spool is gone, or does not say. */
function placeOf(stateDir: string, attempt: AttemptName): SessionPlace | null {
  const files = spoolAt(stateDir, attempt);
  const [launch, brief] = [wordsIn(files.launch), wordsIn(files.brief)];
  const adapter = textIn(fieldIn(launch, "agent", "adapter"));
  const workspace = textIn(fieldIn(brief, "workspace"));
  if (adapter === null || workspace === null) return null;
  return { adapter, workspace, home: textIn(fieldIn(launch, "isolation", "home", "dir")) };
}

/** A brief holds a prompt and the end of a failure; a longer one is no brief of ours. */
const FILE_BYTES_MAX = 16 * 1024 * 1024;

function wordsIn(file: string): unknown {
  const read = readFileOf(file, FILE_BYTES_MAX);
  return read.found === "text" ? objectIn(read.text) : null;
}

function fieldIn(value: unknown, ...path: string[]): unknown {
  return path.reduce<unknown>(
    (at, name) => (typeof at === "object" && at !== null ? (at as Record<string, unknown>)[name] : undefined),
    value,
  );
}
