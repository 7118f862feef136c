/** What a recorded check is a check of: a line of its outcome alone does not say whose fault a red one is. */

import type { Event } from "../core/task/events.ts";
import type { AttemptRow } from "../core/task/rows.ts";
import type { RecordedCheck, Store } from "../ports/store.ts";

export interface StandingCheck extends RecordedCheck {
  /** The tree that the work started from, or the work as it was to land. */
  on: "base" | "candidate";
  /** It had run on the very same tree before, in the same attempt. */
  rerun: boolean;
  /** A guard of this plan that has been both red and green on one tree. */
  flaky: boolean;
}

/** The checks of a task, oldest first, each with what is recorded around it. */
export async function standingChecks(store: Store, plan: string, task: string): Promise<StandingCheck[]> {
  const [checks, attempts] = await Promise.all([store.checks(plan, task), store.attempts(plan, task)]);
  const flaky = await flakyOf(store, plan, checks);
  const begun = new Set<string>();
  return checks.map((check) => {
    const on = isBaseline(check, attempts) ? "base" : "candidate";
    const key = JSON.stringify([check.attempt, on, check.kind, check.command, check.tree]);
    const rerun = begun.has(key);
    begun.add(key);
    return { ...check, on, rerun, flaky: check.kind === "guard" && flaky.has(check.command) };
  });
}

/** `on the base`, `on the candidate again, flaky`. */
export function standingText({ on, rerun, flaky }: StandingCheck): string {
  return `on the ${on}${rerun ? " again" : ""}${flaky ? ", flaky" : ""}`;
}

/** Of the check that an event tells of; empty where it is too long ago to be read. */
export async function standingOf(
  store: Store,
  { plan, task, data }: Event & { type: "check.recorded" },
): Promise<string> {
  if (plan === null || task === null) return "";
  const found = (await standingChecks(store, plan, task)).find(({ log }) => log === data.result.log);
  return found === undefined ? "" : standingText(found);
}

async function flakyOf(store: Store, plan: string, checks: RecordedCheck[]): Promise<Set<string>> {
  const guards = new Set(checks.filter(({ kind }) => kind === "guard").map(({ command }) => command));
  const flaky = new Set<string>();
  for (const command of guards) if (await store.isFlaky(plan, command)) flaky.add(command);
  return flaky;
}

/** A candidate that changed nothing has the base's tree too, but is checked only when the attempt has ended. */
function isBaseline({ attempt, tree, at }: RecordedCheck, attempts: AttemptRow[]): boolean {
  const of = attempts.find(({ n }) => n === attempt);
  if (of === undefined || tree === null || tree !== of.base_tree) return false;
  return of.ended_at === null || at <= of.ended_at;
}
