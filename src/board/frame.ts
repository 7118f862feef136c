/** How a plan stands, as the lines of one frame: pure, from facts to text that fits. */

import { carryOnText } from "../core/schedule/care.ts";
import { activeLines } from "./active-lines.ts";
import { fitted, harmlessLine } from "./cell-text.ts";
import { failedLines } from "./failed-lines.ts";
import type { FrameOptions } from "./frame-options.ts";
import { LABEL_WIDTH } from "./frame-options.ts";
import { headLines } from "./head-lines.ts";
import { holdLines } from "./hold-lines.ts";
import { itemLines } from "./item-lines.ts";
import type { PlanFacts, WaitingTasks } from "./plan-facts.ts";

/** What needs a person has at least this many lines of a frame that is too short for everything. */
const ITEM_LINES_MIN = 2;

/** No line is wider, and there are no more of them, than asked for; nothing in them steers a terminal but `paint`. */
export function planFrame(facts: PlanFacts, options: FrameOptions): string[] {
  const head = [...headLines(facts, options), ...stuckLines(facts, options), ...holdLines(facts, options)];
  const foot = footLines(facts, options);
  const room = Math.max(0, options.height - head.length - foot.length);
  const items = itemLines(facts, options, Math.max(ITEM_LINES_MIN, Math.floor(room / 2)));
  const active = activeLines(facts, options, Math.max(0, room - items.length));
  return [...head, ...items, ...active, ...foot].slice(0, options.height);
}

/** Items that are named of those that the agents wait for. */
const AWAITED_SHOWN = 5;

/** Nothing goes on before a person answers: that is said above everything else. */
function stuckLines({ stuck }: PlanFacts, { width, paint }: FrameOptions): string[] {
  if (stuck === null) return [];
  const { places, items } = stuck;
  const more = items.length > AWAITED_SHOWN ? ` and ${items.length - AWAITED_SHOWN} more` : "";
  const answer = `answer ${items.slice(0, AWAITED_SHOWN).join(", ")}${more}`;
  const text =
    places === 1
      ? `the only place is taken by an agent that waits for you: ${answer}`
      : `all ${places} places are taken by agents that wait for you: ${answer}`;
  return [paint("red", fitted(harmlessLine(text), width))];
}

function footLines(facts: PlanFacts, options: FrameOptions): string[] {
  const { width, moments, paint } = options;
  const { plan, carrier, waits, due_at, note, run, failed } = facts;
  const isLive = run !== null && run.state !== "ended";
  const labelled = (label: string, text: string): string =>
    paint("dim", fitted(label.padEnd(LABEL_WIDTH) + harmlessLine(text), width));
  return [
    ...failedLines(facts, options),
    ...(waits.length > 0 ? [labelled("waits", waitsText(waits))] : []),
    ...(carrier === "nobody" && isLive ? [labelled("next", carryOnText(plan))] : []),
    ...(due_at !== null && run?.state !== "ended" ? [labelled("next", `due ${moments.until(due_at)}`)] : []),
    ...(failed !== null && failed.next !== null ? [labelled("next", failed.next)] : []),
    ...(note !== null ? [paint("yellow", fitted(harmlessLine(note), width))] : []),
  ];
}

function waitsText(waits: readonly WaitingTasks[]): string {
  return waits.map(({ count, at_least, why }) => `${count}${at_least ? "+" : ""} ${why}`).join("; ");
}
