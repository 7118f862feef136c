/** What is under way: a table of tasks, each with who works on it or what is done with it, and how far it is. */

import { fitted, harmlessLine, padded, textWidth } from "./cell-text.ts";
import type { FrameOptions } from "./frame-options.ts";
import { STATE_LOOKS } from "./paint.ts";
import type { ActiveTask, PlanFacts } from "./plan-facts.ts";

const GAP = "  ";
const INDENT = " ".repeat(4);

/** At most `room` lines: what agents say of themselves goes first where they do not fit, then the youngest tasks. */
export function activeLines({ active }: PlanFacts, options: FrameOptions, room: number): string[] {
  if (room === 0) return [];
  const shown = active.length <= room ? active : active.slice(0, room - 1);
  const table = tableLines(shown, options);
  let spare = room - active.length;
  const lines = shown.flatMap((task, row) => {
    const words = wordsOf(task, options).slice(0, Math.max(0, spare));
    spare -= words.length;
    return [table[row]!, ...words];
  });
  if (shown.length === active.length) return lines;
  return [...lines, fitted(`  and ${active.length - shown.length} more under way`, options.width)];
}

/** Of conflicts that are to come the first is shown. */
function wordsOf({ conflicts, progress }: ActiveTask, options: FrameOptions): string[] {
  const { width, paint } = options;
  const conflict = conflicts.slice(0, 1).map((text) => paint("yellow", fitted(INDENT + harmlessLine(text), width)));
  return [...conflict, ...(progress === null ? [] : [progressLine(progress, options)])];
}

function progressLine(progress: string, { width, paint }: FrameOptions): string {
  return paint("dim", fitted(INDENT + harmlessLine(progress), width));
}

/** Titles on the left, who and how long on the right; neither side takes the whole line from the other. */
function tableLines(tasks: readonly ActiveTask[], options: FrameOptions): string[] {
  const { width, paint } = options;
  const half = Math.floor(width / 2);
  const right = tasks.map((task) => rightText(task, options, half));
  const rightWidth = Math.max(0, ...right.map(textWidth));
  const left = tasks.map(({ id, title }) => `${harmlessLine(id)}${GAP}${harmlessLine(title)}`);
  const room = Math.max(0, width - rightWidth - GAP.length - 2);
  const leftWidth = Math.min(room, Math.max(0, ...left.map(textWidth)));
  return tasks.map(({ state }, row) => {
    const { sign, style } = STATE_LOOKS[state];
    return `${paint(style, sign)} ${padded(fitted(left[row]!, leftWidth), leftWidth)}${GAP}${right[row]!}`;
  });
}

/** The time stays whole: it shows that something moves. */
function rightText({ attempt, agent, doing, since }: ActiveTask, { moments }: FrameOptions, width: number): string {
  const by = agent === null ? "" : ` by ${harmlessLine(agent)}`;
  const what = doing === null ? `#${attempt}${by}` : harmlessLine(doing);
  const time = since === null ? "" : `${GAP}${moments.since(since)}`;
  return fitted(what, Math.max(0, width - textWidth(time))) + fitted(time, width);
}
