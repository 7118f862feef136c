/** Which version a program says it is. */

import { mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Processes } from "../ports/processes.ts";
import type { KitName } from "./kits.ts";

/** Some have to be started from a thousand files, on a busy machine. */
const VERSION_MS_MAX = 20_000;

const NUMBER = String.raw`(\d+\.\d+\.\d+[\w.+-]*)`;

/** The line by which each names itself; another program of that name does not. */
const LINES: Record<KitName | "goose", RegExp> = {
  claude: new RegExp(`^${NUMBER} \\(Claude Code\\)$`, "m"),
  codex: new RegExp(`^codex-cli ${NUMBER}$`, "m"),
  gemini: new RegExp(`^${NUMBER}$`, "m"),
  opencode: new RegExp(`^${NUMBER}$`, "m"),
  goose: new RegExp(`^\\s*(?:goose )?${NUMBER}$`, "m"),
};

/** The version in what a program printed, or null where it is not the one that it is taken for. */
export function versionIn(name: KitName | "goose", printed: string): string | null {
  return LINES[name].exec(printed)?.[1] ?? null;
}

/**
 * Runs `PROGRAM --version` in an empty place with a home of its own. Null: it did not say so within its time, or not as the
 * program does that it is taken for.
 */
export async function askVersion(
  name: KitName | "goose",
  program: string,
  path: string,
  processes: Processes,
): Promise<string | null> {
  const base = await realpath(await mkdtemp(join(tmpdir(), "lockstep-version-")));
  try {
    const held = await processes.holdCommand({
      argv: [program, "--version"],
      cwd: base,
      timeoutMs: VERSION_MS_MAX,
      env: { PATH: path, HOME: base, TMPDIR: base, TERM: "dumb", DISABLE_AUTOUPDATER: "1", NO_COLOR: "1" },
      stdin: "",
      logFile: join(base, "version.log"),
    });
    const { outcome, tail } = await held.release();
    return outcome === "green" ? versionIn(name, tail) : null;
  } finally {
    await rm(base, { recursive: true, force: true, maxRetries: 5 });
  }
}
