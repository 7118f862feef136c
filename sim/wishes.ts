/** What a person may wish for, and the command of each wish that is one command. */

import type { RowCommand } from "../src/core/task/commands.ts";
import type { TaskRow } from "../src/core/task/rows.ts";
import { AGENTS } from "./plans.ts";
import type { Random } from "./random.ts";

export const WISHES = {
  pause: 2,
  resume: 6,
  stop: 1,
  end_engine: 1,
  panic: 1,
  retry: 5,
  skip: 2,
  satisfy: 2,
  cancel: 3,
  override: 2,
  requeue: 2,
  stop_attempt: 1,
  kill: 2,
  extend: 2,
  interrupt: 4,
  discard: 3,
  hold: 2,
  clear: 3,
  reload: 3,
  edit: 2,
  add: 1,
  answer: 10,
} as const;

export type Wish = keyof typeof WISHES;

/** What takes more than one command, or another than the store's. */
export type LongWish = "end_engine" | "panic" | "reload" | "add" | "answer";

export interface Wishing {
  plan: string;
  project: string;
  now: number;
  random: Random;
  /** A task in one of these states, where there is one. */
  any(...states: TaskRow["state"][]): string;
}

const UNENDED = ["pending", "in_progress", "claimed_done", "blocked", "failed"] as const;

export function commandOf(wish: Exclude<Wish, LongWish>, wishing: Wishing): RowCommand {
  const { plan, project, now, random, any } = wishing;
  const why = `a person's ${wish}`;
  switch (wish) {
    case "pause":
      return { type: "run.pause", plan };
    case "resume":
      return { type: "run.resume", plan, tasks_max: null };
    case "stop":
      return { type: "run.stop", plan, why };
    case "retry":
      return { type: "task.retry", plan, task: any("failed", "skipped", "cancelled"), fresh: random.chance(0.3) };
    case "skip":
    case "satisfy": {
      const how = { satisfies: wish === "satisfy", without_work: random.chance(0.5) };
      return { type: "task.skip", plan, task: any(...UNENDED), why, ...how };
    }
    case "cancel":
      return { type: "task.cancel", plan, task: any(...UNENDED), why };
    case "override":
      return { type: "task.override", plan, task: any(...UNENDED), why };
    case "hold": {
      const until = random.chance(0.5) ? now + random.between(1_000, 120_000) : null;
      return { type: "hold.set", project, key: `agent:${random.pick(AGENTS)}`, until, why };
    }
    case "clear":
      return { type: "hold.clear", project, key: `agent:${random.pick(AGENTS)}` };
    case "edit": {
      const patch = { priority: random.between(1, 4), tries: 3 };
      return { type: "task.edit", plan, task: any("pending", "in_progress", "failed"), patch };
    }
    default:
      return toLiveAttempt(wish, wishing, why);
  }
}

type LiveWish = "requeue" | "stop_attempt" | "kill" | "extend" | "interrupt" | "discard";

function toLiveAttempt(wish: LiveWish, { plan, random, any }: Wishing, why: string): RowCommand {
  const task = wish === "discard" ? any("in_progress", "claimed_done", "blocked", "pending") : any("in_progress");
  switch (wish) {
    case "requeue":
      return { type: "attempt.stop", plan, task, as: "interrupted", why, then: "pending" };
    case "stop_attempt":
      return { type: "attempt.stop", plan, task, as: "interrupted", why, then: null };
    case "kill":
      return { type: "attempt.stop", plan, task, as: "cancelled", why, then: null, at_once: random.chance(0.5) };
    case "discard":
      return { type: "attempt.stop", plan, task, as: "cancelled", why, then: "pending", discards: true };
    case "extend":
      return { type: "attempt.extend", plan, task, ms: random.between(1_000, 120_000) };
    case "interrupt":
      return { type: "attempt.interrupt", plan, task, message: `another way, ${random.between(1, 99)}` };
  }
}
