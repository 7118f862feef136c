/** Holds that no time ends: a person mends what is wrong, and then says so. */

import type { HoldRow } from "../task/rows.ts";
import { agentKey, type Draws, drawsOn, isHeld, releaseCommand } from "./holds.ts";

export interface HeldForPerson {
  hold: HoldRow;
  /** Those that draw on it. */
  agents: string[];
  /** What lifts it, once that is mended. */
  command: string;
}

/** Of what is held until a person comes, all that some of these agents draw on. */
export function heldForPerson(
  holds: readonly HoldRow[],
  draws: ReadonlyMap<string, Draws>,
  now: number,
): HeldForPerson[] {
  return holds
    .filter((hold) => needsRelease(hold, now))
    .flatMap((hold) => {
      const agents = [...draws].filter(([name, each]) => isDrawn(hold, name, each)).map(([name]) => name);
      return agents.length === 0 ? [] : [{ hold, agents, command: releaseCommand(agents) }];
    });
}

/** No time ends it. */
export function needsRelease(hold: HoldRow, now: number): boolean {
  return hold.until === null && isHeld(hold, now);
}

/** Of what is held, all that concerns one of these agents; an agent's own hold is its project's, whoever works there. */
export function heldOf(holds: readonly HoldRow[], draws: ReadonlyMap<string, Draws>): HoldRow[] {
  return holds.filter(
    (hold) => hold.key.startsWith("agent:") || [...draws].some(([name, each]) => isDrawn(hold, name, each)),
  );
}

function isDrawn({ key }: HoldRow, name: string, draws: Draws): boolean {
  return key === agentKey(name) || drawsOn(draws).includes(key);
}
