/** Engines one after the other, each started as soon as the one before is dead, until the plan has ended. */

import { once } from "node:events";
import { type KillLab, lastWords } from "./kill-lab.ts";

/** A plan that takes longer than this is stuck. */
const PLAN_MS_MAX = 600_000;

export interface Carried {
  engines: number;
  /** What a person was asked for and answered: bounds that so many kills reach. */
  answers: number;
  ms: number;
  /** Why it did not come to its end; null: it did. */
  stuck: string | null;
}

/** `harm` is done beside each engine as long as it lives; `signal` aborts when it is dead. */
export async function carryOn(
  lab: KillLab,
  harm: (engine: number, signal: AbortSignal) => Promise<void>,
): Promise<Carried> {
  const began = performance.now();
  const carried: Carried = { engines: 0, answers: 0, ms: 0, stuck: null };
  for (let isOver = false; !isOver; ) {
    const engine = lab.startEngine();
    const dead = new AbortController();
    const exit = once(engine, "exit").finally(() => dead.abort()) as Promise<[number | null, NodeJS.Signals | null]>;
    carried.engines += 1;
    const late = setTimeout(() => engine.kill("SIGKILL"), Math.max(0, PLAN_MS_MAX - (performance.now() - began)));
    const [[code, signal]] = await Promise.all([exit, harm(engine.pid!, dead.signal)]);
    clearTimeout(late);
    carried.ms = performance.now() - began;
    const answers = await lab.answer();
    carried.answers += answers;
    if (code === 0) isOver = true;
    else if (carried.ms > PLAN_MS_MAX || (signal === null && answers === 0)) {
      carried.stuck = `an engine ended with ${code ?? signal} after ${Math.round(carried.ms)} ms: ${lastWords(lab)}`;
      isOver = true;
    }
  }
  return carried;
}
