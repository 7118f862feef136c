/** Takes secrets out of text, whole or in the parts in which it comes. */

import { DECIDED_WITHIN, findSecret, LOOKS_BACK, type Secrets, skip } from "./secrets.ts";

/** What is written in a secret's place. It is a word of JSON strings too. */
export const REDACTED = "[redacted]";

/** What is known between two parts of a text. */
export interface Between {
  /** Characters that were decided on last, for patterns that look back. */
  before: string;
  /** Those that nothing was decided on yet; of these `done` belong to a secret already. */
  kept: string;
  done: number;
  /** How the secret goes on that reached to the very end. */
  goesOn: RegExp | null;
}

export const BEGINNING: Between = { before: "", kept: "", done: 0, goesOn: null };

/** The text with a word in the place of each secret. */
export function redactText(secrets: Secrets, text: string): string {
  return redactPart(secrets, BEGINNING, text, true).written;
}

/**
 * The same for the next part of a text: all parts together are written as the whole would be. Beginnings of what may be a
 * secret are kept back, at most `DECIDED_WITHIN` characters and none of a line that has ended.
 */
export function redactPart(
  secrets: Secrets,
  between: Between,
  part: string,
  isLast: boolean,
): { written: string; between: Between } {
  const text = between.before + between.kept + part;
  let scan = between.before.length;
  let at = scan + between.done;
  let goesOn = between.goesOn;
  if (goesOn !== null) at = skip(goesOn, text, at);
  const decided = isLast ? text.length : Math.max(scan, text.length - DECIDED_WITHIN, text.lastIndexOf("\n") + 1);
  let written = "";
  for (;;) {
    const found = findSecret(secrets, text, scan);
    if (found === null || found.told >= decided) break;
    if (found.from >= at) written += text.slice(at, found.from) + REDACTED;
    if (found.to > at) {
      at = found.to;
      goesOn = found.goesOn;
    }
    scan = found.told + 1;
  }
  const cut = Math.max(scan, decided);
  if (at < cut) {
    written += text.slice(at, cut);
    at = cut;
    goesOn = null;
  }
  const before = text.slice(Math.max(0, cut - LOOKS_BACK), cut);
  const rest = { before, kept: text.slice(cut), done: at - cut, goesOn: at === text.length ? goesOn : null };
  return { written, between: rest };
}

/** A value as JSON has them with every text in it redacted; keys stay. */
export function redactValue<T>(secrets: Secrets, value: T): T {
  if (typeof value === "string") return redactText(secrets, value) as T;
  if (Array.isArray(value)) return value.map((each) => redactValue(secrets, each)) as T;
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, redactValue(secrets, each)])) as T;
}
