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
  const head = [...headLines(facts, options), ...holdLines(facts, options)];
  const foot = footLines(facts, options);
  const room = Math.max(0, options.height - head.length - foot.length);
  const items = itemLines(facts, options, Math.max(ITEM_LINES_MIN, Math.floor(room / 2)));
  const active = activeLines(facts, options, Math.max(0, room - items.length));
  return [...head, ...items, ...active, ...foot].slice(0, options.height);
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
