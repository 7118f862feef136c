/** Something wrong at a place of a document, before its line and column are known. */

import { nearestTo } from "./nearest.ts";

/** Keys and indexes from the root of a document. */
export type DocumentPath = readonly (string | number)[];

export interface Finding {
  path: DocumentPath;
  /** The key itself rather than its value: for keys that should not be there. */
  atKey?: boolean;
  message: string;
}

/** Text of a message that is shown of a foreign value: enough to recognise it. */
const QUOTED_LENGTH_MAX = 80;

const PLAIN_KEY = /^[A-Za-z_$][\w$-]*$/;

/** A path as people read it: `tasks[3].depends_on[0]`, `scopes["a b"].paths`; the root is empty. */
export function formatPath(path: DocumentPath): string {
  let text = "";
  for (const step of path) {
    if (typeof step === "number") text += `[${step}]`;
    else if (PLAIN_KEY.test(step)) text += text === "" ? step : `.${step}`;
    else text += `[${JSON.stringify(step)}]`;
  }
  return text;
}

/** A foreign value in double quotes, shortened, with control characters escaped. */
export function quoted(text: string): string {
  const short = text.length > QUOTED_LENGTH_MAX ? `${text.slice(0, QUOTED_LENGTH_MAX)}…` : text;
  return JSON.stringify(short);
}

/** `unknown lane "buld": the nearest known one is "build"`. */
export function unknownName(kind: string, name: string, known: Iterable<string>): string {
  const nearest = nearestTo(name, known);
  return `unknown ${kind} ${quoted(name)}: ${nearest === null ? "none is known" : `the nearest known one is ${quoted(nearest)}`}`;
}

/** The message for a key that stands twice in one object. */
export function duplicateKey(key: string, firstLine: number): string {
  return `duplicate key ${quoted(key)}: it stands already on line ${firstLine}`;
}
