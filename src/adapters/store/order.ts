/** The order in which tasks are started and listed (spec, section 5). */

import type { TaskRow } from "../../core/task/rows.ts";

/** Priority, wave, longest path to the end first, natural id. */
export function inOrder(a: TaskRow, b: TaskRow): number {
  return (
    a.priority - b.priority ||
    a.wave - b.wave ||
    b.path - a.path ||
    byCodePoint(a.natural_key, b.natural_key) ||
    byCodePoint(a.id, b.id)
  );
}

/** As SQLite compares text: by bytes of UTF-8, which is by code points and not by the UTF-16 units of JavaScript. */
export function byCodePoint(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  for (let i = 0; i < length; i++) {
    if (a.charCodeAt(i) === b.charCodeAt(i)) continue;
    return weight(a.charCodeAt(i)) - weight(b.charCodeAt(i));
  }
  return a.length - b.length;
}

/** Units of surrogate pairs stand for the highest code points, above the units from U+E000 on. */
function weight(unit: number): number {
  return unit >= 0xd800 && unit < 0xe000 ? unit + 0x10000 : unit;
}
