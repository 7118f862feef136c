/** What takes longer than a gate may: run before an issue is closed, and quoted in its note. */

import { runMutants } from "./mutants.ts";

/** Below this share of caught deletions the machine's tests say too little. */
const CAUGHT_MIN = 0.85;

const print = (line: string): void => void process.stdout.write(`${line}\n`);

const { caught, total, survivors } = await runMutants(print);
for (const survivor of survivors) print(`  survives: ${survivor}`);
print(`single-line deletions caught: ${caught} of ${total}`);
if (caught < total * CAUGHT_MIN) process.exitCode = 1;
