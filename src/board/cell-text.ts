/** Text as a terminal shows it: how many cells it takes, cut to fit, with nothing in it that a terminal would obey. */

/** Nothing that is shown in one line is read further than this; no terminal is so wide. */
const READ_MAX = 1_000;

const PLAIN = /^[\x20-\x7e]*$/;

/** Characters that move nothing on: marks, joiners, variation selectors. */
const WITHOUT_WIDTH = /[\p{M}\p{Cf}\u1160-\u11ff]/gu;

/** A picture, by itself or asked for by its variation selector: two cells. */
const PICTURE = /\p{Emoji_Presentation}|\p{Emoji}\ufe0f/u;

/** East Asian Wide and Fullwidth, which the platform's expressions have no name for. */
const WIDE =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\u4dbf\u4e00-\ua4cf\ua960-\ua97f\uac00-\ud7a3\uf900-\ufaff\ufe10-\ufe19\ufe30-\ufe6f\uff01-\uff60\uffe0-\uffe6\u{16fe0}-\u{18aff}\u{1b000}-\u{1b2ff}\u{1f200}-\u{1f251}\u{20000}-\u{3fffd}]/u;

/** Cells that the text takes. */
export function textWidth(text: string): number {
  if (PLAIN.test(text)) return text.length;
  let width = 0;
  for (const { segment } of clustersOf(text)) width += clusterWidth(segment);
  return width;
}

/** The text, cut so that it takes at most `width` cells; what was cut ends with an ellipsis. */
export function fitted(text: string, width: number): string {
  if (textWidth(text) <= width) return text;
  let kept = "";
  let used = 1;
  for (const { segment } of clustersOf(text)) {
    used += clusterWidth(segment);
    if (used > width) break;
    kept += segment;
  }
  return width < 1 ? "" : `${kept}…`;
}

/** Filled up with blanks to `width` cells. */
export function padded(text: string, width: number): string {
  return text + " ".repeat(Math.max(0, width - textWidth(text)));
}

const BREAKS = /[\t\n\v\f\r\u0085\u2028\u2029]+/g;

/** Control characters, halves of characters, and what would show a text in another order. */
const POWERFUL = /[\p{Cc}\p{Cs}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu;

/** Foreign text as one line that is only shown. */
export function harmlessLine(text: string): string {
  return text.slice(0, READ_MAX).replace(BREAKS, " ").replace(POWERFUL, "\ufffd");
}

let segmenter: Intl.Segmenter | undefined;

/** What people take for one character each. What knows them is made late: it takes as long as half a start of a command. */
function clustersOf(text: string): Intl.Segments {
  segmenter ??= new Intl.Segmenter("en", { granularity: "grapheme" });
  return segmenter.segment(text);
}

function clusterWidth(cluster: string): number {
  if (PICTURE.test(cluster)) return 2;
  let width = 0;
  for (const character of cluster.replace(WITHOUT_WIDTH, "")) width += WIDE.test(character) ? 2 : 1;
  return width;
}
