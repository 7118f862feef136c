/** What is said of an item wherever it is shown: how it is answered, and what comes without an answer. */

import type { ItemRow } from "./rows.ts";

/** The one option of a question that is answered in words. */
export const FREE_ANSWER = "answer";

/** `lockstep answer i1 yes | no`. */
export function answerCommand({ id, options }: Pick<ItemRow, "id" | "options">): string {
  const names = options.map(({ name }) => name);
  const words = names.length === 1 && names[0] === FREE_ANSWER ? ` -m "..."` : "";
  return `lockstep answer ${id} ${names.join(" | ")}${words}`;
}

/** An agent at work does nothing else before this is answered, or its wait is over. */
export function isWaitedFor({ wait, state }: ItemRow, now: number): boolean {
  return state === "open" && wait !== null && wait.until > now;
}

/** What comes when the agent has waited in vain. */
export function afterWait({ wait }: Pick<ItemRow, "wait">): string {
  if (wait?.then === "refused") return "it is a no";
  return "its attempt ends, and the answer goes to the next one";
}

/** What is made of an answer that comes later than that. */
export function lateAnswer({ wait }: Pick<ItemRow, "wait">): string {
  if (wait?.then === "refused") return "it was taken for a no: an answer counts when it asks for the same again";
  return "an answer goes to the next attempt";
}

/** In one line. */
export function itemLine({ text }: Pick<ItemRow, "text">): string {
  return text.trim().replace(/\s*\n\s*/g, " ");
}
