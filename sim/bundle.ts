/** One file of all that a child process plays: what is loaded file by file costs more at every call. */

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { build } from "tsdown";

/** What few words of V8 save: much is made, and hardly any of it lasts. */
const FLAGS: readonly string[] = ["--max-semi-space-size=64"];

export interface Bundle {
  file: string;
  /** Flags for the node that runs it. */
  flags: string[];
  remove(): void;
}

/** `entry` is relative to `root`, which has `sim`, `src` and node_modules. */
export async function bundle(root: string, entry: string): Promise<Bundle> {
  const outDir = mkdtempSync(join(tmpdir(), "lockstep-sim-"));
  const silent = { logLevel: "error", report: false } as const;
  const kind = { format: "esm", platform: "node", dts: false, clean: false } as const;
  await build({ ...silent, ...kind, config: false, cwd: root, entry: { main: join(root, entry) }, outDir });
  return { file: join(outDir, "main.mjs"), flags: [...FLAGS], remove: () => rmSync(outDir, { recursive: true }) };
}
