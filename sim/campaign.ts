/** Plays many seeds, two at a time, and adds up what came of them. */

import { type ChildProcess, fork } from "node:child_process";
import { fileURLToPath } from "node:url";
import { type Bundle, bundle } from "./bundle.ts";
import type { Played } from "./simulate.ts";
import type { Kills } from "./world.ts";

export interface Job {
  seed: number;
  twice: boolean;
  /** By a store that two machines may share. */
  shared?: boolean;
}

export interface Told {
  played: Played;
  /** Its second play went another way. */
  differs: boolean;
}

export interface Failure {
  seed: number;
  oracle: string;
  text: string;
}

export interface Sums {
  seeds: number;
  tasks: number;
  attempts: number;
  faults: number;
  /** The fewest faults and tasks that a seed had. */
  fewest: { faults: number; tasks: number };
  kills: Kills;
  moves: Set<string>;
  gates: Set<string>;
  deaths: Set<string>;
  failures: Failure[];
}

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const AT_ONCE = 2;

export function noSums(): Sums {
  return {
    seeds: 0,
    tasks: 0,
    attempts: 0,
    faults: 0,
    fewest: { faults: Number.POSITIVE_INFINITY, tasks: Number.POSITIVE_INFINITY },
    kills: { engine: 0, runner: 0, agent: 0, check: 0, worker: 0, machine: 0, git: 0 },
    moves: new Set(),
    gates: new Set(),
    deaths: new Set(),
    failures: [],
  };
}

export function killsOf({ kills }: { kills: Kills }): number {
  return Object.values(kills).reduce((sum, n) => sum + n, 0);
}

/** Plays what `next` gives until it gives null; `heard` is called behind each seed. */
export async function playAll(
  next: () => Job | null,
  sums: Sums,
  heard: (told: Told) => void = () => {},
): Promise<void> {
  const player = await bundle(ROOT, "sim/player.ts");
  try {
    await Promise.all(Array.from({ length: AT_ONCE }, () => playInOne(player, next, sums, heard)));
  } finally {
    player.remove();
  }
}

async function playInOne(
  { file, flags }: Bundle,
  next: () => Job | null,
  sums: Sums,
  heard: (told: Told) => void,
): Promise<void> {
  const child = fork(file, { execArgv: flags });
  try {
    for (let job = next(); job !== null; job = next()) {
      const told = await ask(child, job);
      add(sums, told);
      heard(told);
    }
  } finally {
    child.kill();
  }
}

function ask(child: ChildProcess, job: Job): Promise<Told> {
  return new Promise((resolve, reject) => {
    const died = (): void => reject(new Error(`the process that played seed ${job.seed} died`));
    child.once("exit", died);
    child.once("message", (told) => {
      child.off("exit", died);
      resolve(told as Told);
    });
    child.send(job);
  });
}

function add(sums: Sums, { played, differs }: Told): void {
  const { seed, violation, faults, kills, tasks, attempts, moves, gates, deaths } = played;
  sums.seeds += 1;
  sums.tasks += tasks;
  sums.attempts += attempts;
  sums.faults += faults.length;
  if (violation === null) {
    sums.fewest.faults = Math.min(sums.fewest.faults, faults.length);
    sums.fewest.tasks = Math.min(sums.fewest.tasks, tasks);
  }
  for (const [kind, n] of Object.entries(kills) as [keyof Kills, number][]) sums.kills[kind] += n;
  for (const move of moves) sums.moves.add(move);
  for (const gate of gates) sums.gates.add(gate);
  for (const death of deaths) sums.deaths.add(death);
  if (violation !== null) sums.failures.push({ seed, ...violation });
  else if (differs) sums.failures.push({ seed, oracle: "the same twice", text: "its second play went another way" });
}
