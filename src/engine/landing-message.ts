import type { TaskRow } from "../core/task/rows.ts";

const TRAILER = "Lockstep-Task: ";

/** What the commit says that lands a task. */
export function landingMessage({ id, title }: Pick<TaskRow, "id" | "title">): string {
  return `${title}\n\n${TRAILER}${id}\n`;
}

/** The task that a commit landed, or null where it says none: then it is not of lockstep's making. */
export function landedTask(message: string): string | null {
  const line = message.trimEnd().split("\n").at(-1) ?? "";
  return line.startsWith(TRAILER) ? line.slice(TRAILER.length) : null;
}
