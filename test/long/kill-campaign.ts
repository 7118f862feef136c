/** Real engines, runners, agents, checks and gits, killed at random while they carry plans out; nothing may come of it. */

import { setTimeout as sleep } from "node:timers/promises";
import { oneOf, random } from "../fixtures/random.ts";
import { SOUND, type Unsound } from "../fixtures/soundness.ts";
import { carryOn } from "./carry-on.ts";
import { openKillLab } from "./kill-lab.ts";
import { KINDS, type Kind, killNow, victimsOf } from "./kill-victims.ts";

const KILLS_MIN = 150;
/** A campaign that does not come to its kills in so many plans is none. */
const PLANS_MAX = 30;
const TASKS = 20;

/** What lives for a moment only is looked for more often than the engine, which always lives. */
const WANTED: readonly Kind[] = ["engine", "runner", "agent", "check", "git", "agent", "check", "git"];

/** Between two kills. */
const PAUSE_MS_MIN = 100;
const PAUSE_MS_MAX = 900;
/** A git lives for milliseconds: it has to be waited for. */
const HUNT_MS = 400;

export type Killed = Record<Kind, number>;

/** True when nothing was lost, doubled, stuck or left over. */
export async function killAtRandom(print: (line: string) => void, seed: number): Promise<boolean> {
  const killed: Killed = { engine: 0, runner: 0, agent: 0, check: 0, git: 0 };
  const sum: Unsound = structuredClone(SOUND);
  for (let plan = 0; plan < PLANS_MAX && total(killed) < KILLS_MIN; plan += 1) {
    const found = await carryOutUnderFire(seed + plan, killed, print);
    for (const what of Object.keys(sum) as (keyof Unsound)[]) {
      sum[what].push(...found[what]);
      for (const each of found[what]) print(`  seed ${seed + plan}, ${what}: ${each}`);
    }
  }
  const kills = KINDS.map((kind) => `${kind} ${killed[kind]}`).join(", ");
  const faults = Object.entries(sum).map(([what, list]) => `${what} ${list.length}`);
  print(`kills: ${kills}, ${total(killed)} in all; ${faults.join(", ")}`);
  return total(killed) >= KILLS_MIN && Object.values(sum).every((list) => list.length === 0);
}

async function carryOutUnderFire(seed: number, killed: Killed, print: (line: string) => void): Promise<Unsound> {
  const next = random(seed);
  const lab = await openKillLab(next, TASKS);
  try {
    const before = total(killed);
    const carried = await carryOn(lab, (engine, dead) => fire(next, { mark: lab.mark, engine, dead }, killed));
    const { engines, answers, ms, stuck } = carried;
    const attempts = (await lab.context.store.tasks(lab.plan.id, { offset: 0, limit: 200 })).map((row) => row.attempts);
    const words = `${attempts.reduce((sum, n) => sum + n, 0)} attempts at ${TASKS} tasks, ${answers} questions answered`;
    print(`seed ${seed}: ${total(killed) - before} kills, ${engines} engines, ${words}, ${(ms / 1_000).toFixed(1)} s`);
    const found = await lab.judge();
    return stuck === null ? found : { ...found, stuck: [stuck, ...found.stuck] };
  } finally {
    await lab.close();
  }
}

interface Field {
  mark: string;
  engine: number;
  dead: AbortSignal;
}

/** Kills one after the other, until the engine is among them or has ended by itself. */
async function fire(next: () => number, field: Field, killed: Killed): Promise<void> {
  while (!field.dead.aborted) {
    await sleep(PAUSE_MS_MIN + next() * (PAUSE_MS_MAX - PAUSE_MS_MIN));
    const kind = oneOf(next, WANTED);
    const victim = field.dead.aborted ? null : await hunt(next, kind, field);
    if (victim !== null && killNow(victim)) killed[kind] += 1;
  }
}

async function hunt(next: () => number, kind: Kind, { mark, engine, dead }: Field): Promise<number | null> {
  const deadline = performance.now() + HUNT_MS;
  while (!dead.aborted && performance.now() < deadline) {
    const found = victimsOf(kind, mark, engine);
    if (found.length > 0) return oneOf(next, found);
    await sleep(2);
  }
  return null;
}

function total(killed: Killed): number {
  return KINDS.reduce((sum, kind) => sum + killed[kind], 0);
}
