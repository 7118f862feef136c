/** Conflicts to come, in words: for the agent whose work it is, and for people. */

import type { ForeseenConflict, TaskRow } from "../task/rows.ts";

/** Files that are named; the rest is counted. */
const NAMED_MAX = 5;

/** What the agent is told: of other tasks it hears no more than that they are there. */
export function noticeOf(
  { with: other, files, total }: ForeseenConflict,
  { target, mode }: Pick<TaskRow, "target" | "mode">,
): string {
  const where = filesText(files, total);
  if (other !== null)
    return `Other work that is under way, and was begun before yours, changes the same places as you do in ${where}. It will most likely land first. Leave those places as they are where your task allows it, keep your changes there small where it does not, and go on.`;
  const branch = target.replace(/^refs\/heads\//, "");
  if (mode === "clone")
    return `What has landed on ${branch} since you began conflicts with your work in ${where}. Your repository does not have it: keep your changes there small, and go on.`;
  return `What has landed on ${branch} since you began conflicts with your work in ${where}. Take it in now, while you know what you meant: commit your work, \`git merge ${branch}\`, resolve the conflicts, commit, and go on.`;
}

/** `will conflict with F-2 in src/a.ts, which started first`: the task that started later stands before it. */
export function foreseenText({ with: other, files, total }: ForeseenConflict): string {
  const where = filesText(files, total);
  return other === null
    ? `will conflict with what its target has by now in ${where}`
    : `will conflict with ${other} in ${where}, which started first`;
}

/** The same of the task that started first; `later` is the other. */
export function foreseenWithText(later: string, { files, total }: ForeseenConflict): string {
  return `${later} will conflict with it in ${filesText(files, total)}, and started later`;
}

function filesText(files: readonly string[], total: number): string {
  const named = files.slice(0, NAMED_MAX);
  const more = total - named.length;
  return more > 0 ? `${named.join(", ")} and ${more} more` : named.join(", ");
}
