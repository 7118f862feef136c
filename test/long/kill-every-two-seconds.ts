/** An engine that never lives longer than two seconds, and a plan that comes to its end all the same. */

import { setTimeout as sleep } from "node:timers/promises";
import { random } from "../fixtures/random.ts";
import { carryOn } from "./carry-on.ts";
import { openKillLab } from "./kill-lab.ts";
import { killNow } from "./kill-victims.ts";

const TASKS = 60;
const LIFE_MS = 2_000;

/** True when nothing was lost, doubled, stuck or left over. */
export async function killEveryTwoSeconds(print: (line: string) => void, seed: number): Promise<boolean> {
  const lab = await openKillLab(random(seed), TASKS);
  try {
    let kills = 0;
    const { ms, stuck } = await carryOn(lab, async (engine, dead) => {
      // It rejects when the engine has ended by itself, which `dead` says as well.
      await sleep(LIFE_MS, null, { signal: dead }).catch(() => null);
      if (!dead.aborted && killNow(engine)) kills += 1;
    });
    const found = await lab.judge();
    if (stuck !== null) found.stuck.push(stuck);
    const adopted = await countOf(lab.context.store, lab.plan.id);
    for (const [what, list] of Object.entries(found)) for (const each of list) print(`  ${what}: ${each}`);
    const faults = Object.entries(found).map(([what, list]) => `${what} ${list.length}`);
    const how = `${kills} kills of the engine, ${adopted} adoptions, ${(ms / 1_000).toFixed(1)} s`;
    print(`kill -9 every two seconds, ${TASKS} tasks: ${how}; ${faults.join(", ")}`);
    return Object.values(found).every((list) => list.length === 0);
  } finally {
    await lab.close();
  }
}

async function countOf(store: import("../../src/ports/store.ts").Store, plan: string): Promise<number> {
  let count = 0;
  for (let after = 0; ; ) {
    const page = await store.events({ after, plan, limit: 200 });
    if (page.length === 0) return count;
    count += page.filter(({ type }) => type === "attempt.adopted").length;
    after = page.at(-1)!.seq;
  }
}
