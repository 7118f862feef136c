/** What a pull request says of the work, in a section that is replaced in place. */

import type { PublishReport } from "../../../ports/publisher.ts";
import { type Marker, withoutHidden } from "./marker.ts";

/** GitHub refuses more. */
export const BODY_LENGTH_MAX = 65_536;

/** More rows are nothing that anybody reads. */
const CHECKS_MAX = 100;
const CELL_LENGTH_MAX = 200;

/** What is left of a cut text at least; with less there is no use in a section. */
const SUMMARY_LENGTH_MIN = 200;

/**
 * The body with the section in it: in its old place, or after what a person wrote, which stays as it is. Null when that
 * leaves no room.
 */
export function bodyWith(body: string, marker: Marker, report: PublishReport): string | null {
  const from = body.indexOf(marker.begin);
  const end = from === -1 ? -1 : body.indexOf(marker.end, from);
  // Where a person deleted the end only the first line is lockstep's for sure.
  const to = end === -1 ? from + marker.begin.length : end + marker.end.length;
  const before = from === -1 ? (body.trim() === "" ? "" : `${body.trimEnd()}\n\n`) : body.slice(0, from);
  const after = from === -1 ? "" : body.slice(to);
  const section = sectionOf(marker, report, BODY_LENGTH_MAX - before.length - after.length);
  return section === null ? null : before + section + after;
}

/** The one comment. */
export function commentOf(marker: Marker, note: string): string {
  const room = BODY_LENGTH_MAX - marker.begin.length - 1;
  return `${marker.begin}\n${cut(withoutHidden(note), room)}`;
}

function sectionOf(marker: Marker, report: PublishReport, room: number): string | null {
  const rest = [...checksOf(report), ...factsOf(report)].join("\n");
  const frame = `${marker.begin}\n\n${rest === "" ? "" : `\n\n${rest}`}\n${marker.end}`;
  const left = room - frame.length;
  if (left < SUMMARY_LENGTH_MIN) return null;
  const summary = cut(withoutHidden(report.summary.trim()), left);
  return `${marker.begin}\n${summary}\n${rest === "" ? "" : `\n${rest}\n`}${marker.end}`;
}

function checksOf({ checks }: PublishReport): string[] {
  if (checks.length === 0) return [];
  const rows = checks.slice(0, CHECKS_MAX).map(({ name, command, passed, duration_ms }) => {
    return `| ${cell(name)} | ${code(command)} | ${passed ? "passed" : "failed"} | ${(duration_ms / 1_000).toFixed(1)} s |`;
  });
  const more = checks.length - rows.length;
  const left = more > 0 ? ["", `${more} more checks are not listed.`] : [];
  return [
    "**Checks**, run by lockstep on this very tree:",
    "",
    "| check | command | result | time |",
    "|---|---|---|---|",
    ...rows,
    ...left,
    "",
  ];
}

function factsOf({ cost_usd, issue }: PublishReport): string[] {
  const cost = `**Cost:** ${cost_usd === null ? "unknown" : `$${cost_usd.toFixed(2)}`}`;
  return issue === null ? [cost] : [cost, "", `**Issue:** ${withoutHidden(issue).slice(0, CELL_LENGTH_MAX)}`];
}

function cell(text: string): string {
  return withoutHidden(shortened(text)).replaceAll("|", "\\|");
}

function code(text: string): string {
  return `\`${shortened(text).replaceAll("`", "'").replaceAll("|", "\\|")}\``;
}

/** On one line. */
function shortened(text: string): string {
  const line = text.replaceAll(/\s+/g, " ").trim();
  return line.length <= CELL_LENGTH_MAX ? line : `${line.slice(0, CELL_LENGTH_MAX - 1)}…`;
}

/** The beginning of a text that is too long, and a word on what is missing; a block of code that was open is closed. */
function cut(text: string, room: number): string {
  if (closed(text).length <= room) return closed(text);
  const note = (missing: number): string =>
    `\n\n_Cut here: ${missing} more characters do not fit into GitHub's bound._`;
  const space = room - note(text.length).length - CLOSING.length;
  const beginning = text.slice(0, space).replace(/[\uD800-\uDBFF]$/, "");
  return closed(beginning) + note(text.length - beginning.length);
}

const CLOSING = "\n```";

function closed(text: string): string {
  const fences = text.match(/^ {0,3}```/gm)?.length ?? 0;
  return fences % 2 === 0 ? text : text + CLOSING;
}
