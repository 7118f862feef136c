/** A child process that plays seeds until one is caught, and prints which: for a product with a planted bug. */

import { simulate } from "./simulate.ts";

Error.stackTraceLimit = 0;

export interface Caught {
  seed: number;
  oracle: string;
}

const [from = "1", count = "1"] = process.argv.slice(2);
console.log(JSON.stringify(await hunt(Number(from), Number(count))));

async function hunt(first: number, seeds: number): Promise<Caught | null> {
  for (let seed = first; seed < first + seeds; seed++) {
    // Some bugs show only where another machine takes over what a living engine held.
    const { violation } = await simulate(seed, 1, null, seed % 2 === 0);
    if (violation !== null) return { seed, oracle: violation.oracle };
  }
  return null;
}
