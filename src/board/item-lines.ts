/** What needs a person: each open item in two lines, the second the command that answers it. */

import { fitted, harmlessLine } from "./cell-text.ts";
import type { FrameOptions } from "./frame-options.ts";
import { LABEL_WIDTH } from "./frame-options.ts";
import type { PlanFacts } from "./plan-facts.ts";

const LINES_PER_ITEM = 2;

/** At most `room` lines. */
export function itemLines(facts: PlanFacts, options: FrameOptions, room: number): string[] {
  const { open_items, items } = facts;
  if (open_items === 0) return [];
  const isWhole = items.length === open_items && items.length * LINES_PER_ITEM <= room;
  const shown = items.slice(0, isWhole ? items.length : Math.floor((room - 1) / LINES_PER_ITEM));
  const lines = shown.flatMap((item) => linesOf(item, options));
  if (shown.length === open_items) return lines;
  const more = `${open_items - shown.length}${shown.length === 0 ? "" : " more"} in \`lockstep inbox\``;
  return [...lines, label(shown.length === 0, more, options)].slice(0, room);
}

function linesOf(item: PlanFacts["items"][number], options: FrameOptions): string[] {
  const { id, task, kind, text, options: choices, default_option, deadline_at } = item;
  const { width, moments } = options;
  const about = task === null ? id : `${id}  ${harmlessLine(task)}`;
  const otherwise =
    default_option === null || deadline_at === null ? "" : `  (${default_option} ${moments.until(deadline_at)})`;
  const answer = `lockstep answer ${id} ${choices.map(({ name }) => name).join(" | ")}${otherwise}`;
  return [
    label(true, `${about}  ${kind}: ${harmlessLine(text)}`, options),
    fitted(" ".repeat(LABEL_WIDTH) + harmlessLine(answer), width),
  ];
}

function label(isFirst: boolean, text: string, { width, paint }: FrameOptions): string {
  const before = isFirst ? "needs you  " : " ".repeat(LABEL_WIDTH);
  return paint("yellow", before) + fitted(text, Math.max(0, width - LABEL_WIDTH));
}
