/** Which file of those that an attempt leaves shows people what its agent did. */

import { existsSync } from "node:fs";
import { readFileOf } from "../adapters/spool/read-file.ts";
import { spoolAt } from "../adapters/spool/spool-files.ts";
import { objectIn } from "../adapters/spool/spool-words.ts";
import type { AttemptName } from "../ports/runner.ts";

export { LineSplitter } from "../adapters/agent/line-splitter.ts";
export { parseEvent } from "../adapters/spool/spool-words.ts";

export interface KeptOutput {
  /** Absolute path. */
  file: string;
  /** `told`: lines of what its runner told, each a `RunnerEvent`. `printed`: what its program printed, as it is. */
  is: "told" | "printed";
}

/** What such a program prints is a protocol, and no words for people. */
const SPEAKS_A_PROTOCOL: ReadonlySet<unknown> = new Set(["acp", "claude", "codex", "opencode"]);

/** With all that an agent is given, its servers and rules. */
const LAUNCH_BYTES_MAX = 16 * 1024 * 1024;

/** Null where nothing of it is on this machine, or nothing yet. */
export function keptOutput(stateDir: string, attempt: AttemptName, { isRaw }: { isRaw: boolean }): KeptOutput | null {
  const { launch, events, transcript } = spoolAt(stateDir, attempt);
  const isTold = !isRaw && SPEAKS_A_PROTOCOL.has(adapterIn(launch));
  const kept: KeptOutput = isTold ? { file: events, is: "told" } : { file: transcript, is: "printed" };
  return existsSync(kept.file) ? kept : null;
}

/** Undefined where nobody wrote it down: an agent that is a function of the library has no launch. */
function adapterIn(launch: string): unknown {
  const read = readFileOf(launch, LAUNCH_BYTES_MAX);
  const agent = read.found === "text" ? objectIn(read.text)?.["agent"] : undefined;
  return typeof agent === "object" && agent !== null ? (agent as Record<string, unknown>)["adapter"] : undefined;
}
