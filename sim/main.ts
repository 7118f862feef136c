/**
 * `npm run sim`: the seeds that failed once and the first 500, each twice. `-- --seed N`: one seed, with its faults (`--log`:
 * every line). `-- --kills N`: seeds until so many kills were dealt. `-- --seeds N --from N`: so many, from that one on. With
 * `--shared`: by a store that two machines may share.
 */

import { readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { type Job, killsOf, noSums, playAll, type Sums } from "./campaign.ts";
import { directed } from "./directed.ts";
import { summary, uncovered } from "./report.ts";
import { simulate } from "./simulate.ts";

const SEEDS = 500;
/** Where the kill campaign begins, so that it plays other seeds than the gate. */
const KILLS_FROM = 1_000_001;

const { values } = parseArgs({
  options: {
    seed: { type: "string" },
    log: { type: "boolean", default: false },
    shared: { type: "boolean", default: false },
    kills: { type: "string" },
    seeds: { type: "string" },
    from: { type: "string" },
  },
});

process.exitCode = await main();

async function main(): Promise<number> {
  if (values.seed !== undefined) return one(Number(values.seed));
  if (values.kills !== undefined) return untilKills(Number(values.kills), Number(values.from ?? KILLS_FROM));
  if (values.seeds !== undefined) return some(Number(values.seeds), Number(values.from ?? 1));
  return gate();
}

async function one(seed: number): Promise<number> {
  const played = await simulate(seed, 1, values.log ? (line) => console.log(line) : null, values.shared);
  const again = await simulate(seed, 2, null, values.shared);
  console.log(
    `seed ${seed}: ${played.tasks} tasks, ${played.attempts} attempts, ${killsOf(played)} kills, ${played.faults.length} faults:`,
  );
  for (const { at, text } of played.faults) console.log(`  ${at} ms  ${text}`);
  const isSame = again.hash === played.hash;
  if (!isSame) console.log("its second play went another way");
  if (played.violation === null) console.log("all ended well");
  else {
    console.log(`\n${played.violation.oracle}: ${played.violation.text}\n\nthe last lines:`);
    for (const line of played.last) console.log(`  ${line}`);
  }
  return played.violation === null && isSame ? 0 : 1;
}

async function some(seeds: number, from: number): Promise<number> {
  const sums = noSums();
  const jobs = countedJobs(from, seeds, true);
  await playAll(
    () => shared(jobs()),
    sums,
    ({ played }) => tellFailure(sums, played.seed),
  );
  console.log(summary(sums));
  return sums.failures.length === 0 ? 0 : 1;
}

async function untilKills(kills: number, from: number): Promise<number> {
  const sums = noSums();
  let seed = from;
  await playAll(
    () => (killsOf(sums) >= kills ? null : shared({ seed: seed++, twice: false })),
    sums,
    ({ played }) => tellFailure(sums, played.seed),
  );
  console.log(summary(sums));
  return sums.failures.length === 0 ? 0 : 1;
}

async function gate(): Promise<number> {
  const begun = performance.now();
  const sums = noSums();
  const failedOnce = JSON.parse(readFileSync(new URL("regressions.json", import.meta.url), "utf8")) as {
    seeds: number[];
  };
  const rest = countedJobs(1, SEEDS, true, new Set(failedOnce.seeds));
  const jobs: Job[] = failedOnce.seeds.map((seed) => ({ seed, twice: true }));
  await playAll(
    () => jobs.shift() ?? rest(),
    sums,
    ({ played }) => tellFailure(sums, played.seed),
  );
  const { moves, gates } = await directed();
  const missing = uncovered(sums, moves, gates);
  console.log(summary(sums));
  console.log(`driven by hand: ${[...moves].filter((move) => !sums.moves.has(move)).join("; ") || "no move"}`);
  console.log(`gates asked by hand: ${[...gates].filter((code) => !sums.gates.has(code)).join(", ") || "none"}`);
  for (const what of missing) console.log(`NOT REACHED: ${what}`);
  console.log(`${Math.round((performance.now() - begun) / 100) / 10} s`);
  return sums.failures.length === 0 && missing.length === 0 ? 0 : 1;
}

function countedJobs(
  from: number,
  count: number,
  twice: boolean,
  but: ReadonlySet<number> = new Set(),
): () => Job | null {
  const seeds = Array.from({ length: count }, (_, index) => from + index).filter((seed) => !but.has(seed));
  return () => {
    const seed = seeds.shift();
    return seed === undefined ? null : { seed, twice };
  };
}

function shared(job: Job | null): Job | null {
  return job && { ...job, shared: values.shared };
}

function tellFailure(sums: Sums, seed: number): void {
  const failure = sums.failures.at(-1);
  if (failure?.seed === seed) console.log(`seed ${seed}: ${failure.oracle}: ${failure.text.slice(0, 600)}`);
}
