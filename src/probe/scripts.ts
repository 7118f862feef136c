/** What the model plays while a program is tried. */

import type { Kit } from "./kits.ts";
import { refusalOf } from "./model/failures.ts";
import type { Turn } from "./model/script.ts";
import { RESETS_AT, SCRIPTS, TOLD, WORDS } from "./seen.ts";

/** Files in the agent's place by which its commands are known to have run. */
export const MARKERS = { ran: "it-ran", denied: "it-was-denied", atWork: "at-work" } as const;

export const COMMANDS = {
  ran: `echo done > ${MARKERS.ran}`,
  denied: `echo done > ${MARKERS.denied}`,
  // Long enough to be stopped; it ends by itself should nobody be left to do that.
  waits: `echo begun > ${MARKERS.atWork}; for each in 1 2 3 4 5 6 7 8 9; do sleep 10; done`,
} as const;

export function scriptsFor(kit: Kit): Record<string, Turn[]> {
  const usage = TOLD;
  const refuse = refusalOf(kit.wire, "usage_limit", { retry_after_s: 1, resets_at: RESETS_AT });
  return {
    [SCRIPTS.work]: [
      { say: WORDS.first, use: [kit.shell(COMMANDS.ran)], usage },
      { use: [kit.echo(WORDS.echoed)], usage },
      { use: [kit.shell(COMMANDS.denied)], usage },
      { say: WORDS.last, usage },
    ],
    [SCRIPTS.resumed]: [{ say: WORDS.resumed, usage }],
    [SCRIPTS.stopped]: [
      { use: [kit.shell(COMMANDS.waits)], usage },
      { say: WORDS.last, usage },
    ],
    [SCRIPTS.limited]: [{ refuse }],
  };
}
