/**
 * Sessions of a terminal multiplexer in which people watch attempts at work. Nothing is ever learned from them: whether an
 * attempt lives and how it ended stands in its spool.
 */

import type { AttemptName } from "./runner.ts";

/** An attempt by what the name of its session tells: `plan_end` are the last characters of its plan's id. */
export interface WindowName {
  slug: string;
  n: number;
  plan_end: string;
}

export interface Windows {
  /** Shows what the attempt's agent prints. Answers why that cannot be, or null. */
  open(attempt: AttemptName): Promise<string | null>;
  /** Removes the attempt's session, if it has one. */
  close(window: WindowName): Promise<void>;
  /** Every session that there is, of any project that shares this state directory. */
  list(): Promise<WindowName[]>;
}

/** As much of an id as tells the plans of one user apart; the whole would fill a terminal's status line. */
const PLAN_END_CHARACTERS = 12;

export function windowOf({ plan, slug, n }: Pick<AttemptName, "plan" | "slug" | "n">): WindowName {
  return { slug, n, plan_end: plan.replaceAll(/[^A-Za-z0-9]/g, "").slice(-PLAN_END_CHARACTERS) };
}
