/** What is held: each account, model or agent that nothing is started for, with its end and why. */

import { heldName, isGuess } from "../core/schedule/holds.ts";
import { fitted, harmlessLine } from "./cell-text.ts";
import type { FrameOptions } from "./frame-options.ts";
import { LABEL_WIDTH } from "./frame-options.ts";
import type { PlanFacts } from "./plan-facts.ts";

/** One is the rule; more than these would push away what is under way. */
const HOLDS_MAX = 3;

export function holdLines({ holds, held_elsewhere }: PlanFacts, { width, moments, paint }: FrameOptions): string[] {
  const shown = holds.slice(0, HOLDS_MAX).map((hold) => {
    const until = hold.until === null ? "until somebody clears it" : `free ${moments.until(hold.until)}`;
    const guess = isGuess(hold) ? ", a guess" : "";
    return `${heldName(hold)}  ${until}${guess}: ${hold.why}`;
  });
  const more =
    holds.length > shown.length ? [`and ${holds.length - shown.length} more in \`lockstep agent list\``] : [];
  const also = holds.length > 0 ? "more held" : "held";
  const elsewhere = held_elsewhere > 0 ? [`${held_elsewhere} ${also} in other projects`] : [];
  return [...shown, ...more, ...elsewhere].map((text, index) => {
    const label = (index === 0 ? "held" : "").padEnd(LABEL_WIDTH);
    return paint("yellow", label) + fitted(harmlessLine(text), Math.max(0, width - LABEL_WIDTH));
  });
}
