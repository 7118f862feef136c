/**
 * What takes longer than a gate may: run before an issue is closed, and quoted in its note. `main.ts [NAME...] [--seed N]`
 * runs those of that name, or all.
 */

import { spawn } from "node:child_process";
import { once } from "node:events";
import { parseArgs } from "node:util";
import { sufferFaults } from "./faults.ts";
import { killAtRandom } from "./kill-campaign.ts";
import { killEveryTwoSeconds } from "./kill-every-two-seconds.ts";
import { runMutants } from "./mutants.ts";

/** Below this share of caught deletions the machine's tests say too little. */
const CAUGHT_MIN = 0.85;

type Print = (line: string) => void;

/** Each answers whether all was well. */
const ALL: Record<string, (print: Print, seed: number) => Promise<boolean>> = {
  mutants,
  faults: sufferFaults,
  kills: killAtRandom,
  "kill-every-two-seconds": killEveryTwoSeconds,
  "publishing-faults": faultsOfPublishing,
};

const { values, positionals } = parseArgs({ allowPositionals: true, options: { seed: { type: "string" } } });
const unknown = positionals.filter((name) => !Object.hasOwn(ALL, name));
if (unknown.length > 0) throw new Error(`no ${unknown.join(", ")}: there are ${Object.keys(ALL).join(", ")}`);
const seed = Number(values.seed ?? Date.now() % 1_000_000);
for (const [name, act] of Object.entries(ALL)) {
  if (positionals.length > 0 && !positionals.includes(name)) continue;
  const print: Print = (line) => void process.stdout.write(`${line}\n`);
  print(`${name}, seed ${seed}`);
  if (!(await act(print, seed))) process.exitCode = 1;
}

/** Each failure of a forge at each step of publishing; a gate runs a chosen eighth of them. */
function faultsOfPublishing(): Promise<boolean> {
  const env = { ...process.env, LOCKSTEP_LONG: "faults" };
  const files = "test/contract/publisher/faults.test.ts";
  const child = spawn("npx", ["vitest", "run", files], { env, stdio: "inherit" });
  return once(child, "close").then(([code]) => code === 0);
}

async function mutants(print: Print): Promise<boolean> {
  const { caught, total, survivors } = await runMutants(print);
  for (const survivor of survivors) print(`  survives: ${survivor}`);
  print(`single-line deletions caught: ${caught} of ${total}`);
  return caught >= total * CAUGHT_MIN;
}
