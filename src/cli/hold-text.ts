import type { HoldRow } from "../core/task/rows.ts";

/** A hold as scripts get it. */
export interface WireHold {
  key: string;
  until: number | null;
  why: string;
  /** How `until` is known: `text` and `backoff` are guesses; `trial`: the agent is being tried; null: an operator set it. */
  known_from: HoldRow["known_from"];
}

export function wireHold({ key, until, why, known_from }: HoldRow): WireHold {
  return { key, until, why, known_from };
}
