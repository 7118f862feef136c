/** What needs a person: each thing in two lines, the second the command that answers it. */

import { heldName } from "../core/schedule/holds.ts";
import { answerCommand } from "../core/task/item-words.ts";
import { fitted, harmlessLine } from "./cell-text.ts";
import type { FrameOptions } from "./frame-options.ts";
import { LABEL_WIDTH } from "./frame-options.ts";
import type { PlanFacts } from "./plan-facts.ts";

/** One thing, and the command that sees to it. */
interface Need {
  what: string;
  command: string;
}

const LINES_PER_NEED = 2;

/** At most `room` lines. What is held stands first: it keeps more than one task waiting. */
export function itemLines({ releases, items, open_items }: PlanFacts, options: FrameOptions, room: number): string[] {
  const needs = [...releases.map(releaseNeed), ...items.map((item) => itemNeed(item, options))];
  const all = releases.length + open_items;
  if (all === 0) return [];
  const isWhole = needs.length === all && needs.length * LINES_PER_NEED <= room;
  const shown = needs.slice(0, isWhole ? needs.length : Math.floor((room - 1) / LINES_PER_NEED));
  const lines = shown.flatMap(({ what, command }) => [
    label(true, what, options),
    fitted(" ".repeat(LABEL_WIDTH) + harmlessLine(command), options.width),
  ]);
  if (shown.length === all) return lines;
  const more = `${all - shown.length}${shown.length === 0 ? "" : " more"} in \`lockstep inbox\``;
  return [...lines, label(shown.length === 0, more, options)].slice(0, room);
}

function releaseNeed({ hold, agents, command }: PlanFacts["releases"][number]): Need {
  const what = `${heldName(hold)} is held (${agents.join(", ")}): ${hold.why}`;
  return { what: harmlessLine(what), command: `${command}, when that is mended` };
}

function itemNeed(item: PlanFacts["items"][number], { moments }: FrameOptions): Need {
  const { id, task, kind, text, default_option, deadline_at, wait } = item;
  const about = task === null ? id : `${id}  ${harmlessLine(task)}`;
  const otherwise = [
    ...(wait?.then === "refused" ? [`a no ${moments.until(wait.until)}`] : []),
    ...(default_option === null || deadline_at === null ? [] : [`${default_option} ${moments.until(deadline_at)}`]),
  ];
  const command = `${answerCommand(item)}${otherwise.length === 0 ? "" : `  (${otherwise.join("; ")})`}`;
  return { what: `${about}  ${kind}: ${harmlessLine(text)}`, command };
}

function label(isFirst: boolean, text: string, { width, paint }: FrameOptions): string {
  const before = isFirst ? "needs you  " : " ".repeat(LABEL_WIDTH);
  return paint("yellow", before) + fitted(text, Math.max(0, width - LABEL_WIDTH));
}
