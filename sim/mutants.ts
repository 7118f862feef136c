/** `npm run sim:mutants`: plants each bug in a copy of the product and plays seeds until an oracle catches it. */

import { execFile } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type Bundle, bundle } from "./bundle.ts";
import type { Caught } from "./hunt.ts";
import { MUTANTS, type Mutant } from "./mutant-list.ts";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const AT_ONCE = 2;
/** Most bugs are caught by the first seeds; one in a thousand reaches the rarest. */
const SEEDS_MAX = 2_000;
const HUNT_MAX_MS = 600_000;
/** The pattern of `npm run sim:mutants -- NAME`. */
const only = process.argv[2] ?? "";

interface Row {
  mutant: Mutant;
  caught: Caught | null;
  problem: string | null;
  ms: number;
}

const rows: Row[] = [];
const queue = MUTANTS.filter(({ name }) => name.includes(only));
const sound = await bundle(ROOT, "sim/hunt.ts");
await Promise.all(Array.from({ length: AT_ONCE }, work));
sound.remove();
const isCaught = rows.filter(({ caught }) => caught !== null).length;
console.log(`${isCaught} of ${rows.length} planted bugs caught`);
process.exitCode = isCaught === rows.length ? 0 : 1;

/** What is caught in a product without a planted bug says nothing of one with it. */
async function hunted(lab: string): Promise<Caught | null> {
  const mutant = await bundle(lab, "sim/hunt.ts");
  try {
    for (let from = 1; from <= SEEDS_MAX; ) {
      const caught = await hunt(mutant, from, SEEDS_MAX - from + 1);
      if (caught === null || caught.seed === 0 || (await hunt(sound, caught.seed, 1)) === null) return caught;
      from = caught.seed + 1;
    }
    return null;
  } finally {
    mutant.remove();
  }
}

async function work(): Promise<void> {
  for (let mutant = queue.shift(); mutant !== undefined; mutant = queue.shift()) {
    const begun = performance.now();
    const lab = mkdtempSync(join(tmpdir(), "lockstep-mutant-"));
    try {
      const problem = plant(lab, mutant);
      const caught = problem === null ? await hunted(lab) : null;
      tell({ mutant, problem, caught, ms: performance.now() - begun });
    } finally {
      rmSync(lab, { recursive: true });
    }
  }
}

function tell(row: Row): void {
  rows.push(row);
  const { mutant, caught, problem, ms } = row;
  const end = problem ?? (caught ? `${caught.oracle} (seed ${caught.seed})` : "NOT CAUGHT");
  console.log(`${mutant.name.padEnd(58)} ${end}, ${Math.round(ms / 100) / 10} s`);
}

/** Null when every edit found its place, exactly once. */
function plant(lab: string, { edits }: Mutant): string | null {
  for (const part of ["src", "sim", "package.json", "tsconfig.json"])
    cpSync(join(ROOT, part), join(lab, part), { recursive: true });
  symlinkSync(join(ROOT, "node_modules"), join(lab, "node_modules"));
  for (const { file, find, replace } of edits) {
    const path = join(lab, file);
    const parts = readFileSync(path, "utf8").split(find);
    if (parts.length !== 2) return `STALE: ${file} has ${parts.length - 1} times: ${find}`;
    writeFileSync(path, parts.join(replace));
  }
  return null;
}

function hunt({ file, flags }: Bundle, from: number, seeds: number): Promise<Caught | null> {
  const args = [...flags, file, String(from), String(seeds)];
  return new Promise((resolve) => {
    execFile(process.execPath, args, { timeout: HUNT_MAX_MS }, (error, stdout) => {
      if (error === null) resolve(JSON.parse(stdout) as Caught | null);
      // A bug may break the simulation itself; one that only takes long is not caught.
      else resolve(error.killed ? null : { seed: 0, oracle: "the simulation breaks" });
    });
  });
}
