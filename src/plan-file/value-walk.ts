/** One pass over a parsed value, before anything else trusts it. */

import { type DocumentPath, type Finding, quoted } from "./finding.ts";

/** Levels of lists and objects in a document. A plan needs 7; the walkers are recursive and must not overflow. */
export const DEPTH_MAX = 64;

/** Values in a document, aliases of YAML counted each time they are used: a 200 MB file of tasks holds fewer. */
const VALUES_MAX = 50_000_000;

/** Unusable texts that are reported; the walk then stops. */
const FINDINGS_MAX = 100;

/** NUL cannot be passed to a program; half a surrogate pair cannot be written as UTF-8. */
const UNUSABLE = /[\0]|\p{Surrogate}/u;

export interface Inspection {
  /** Keys of all objects together. */
  keys: number;
  /** True: the document holds more values than allowed, and the walk stopped there. */
  full: boolean;
  findings: Finding[];
}

interface Walk extends Inspection {
  values: number;
  valuesMax: number;
}

/** Counts keys and values and finds what no reader can use. */
export function inspectValue(value: unknown, valuesMax: number = VALUES_MAX): Inspection {
  const walk: Walk = { keys: 0, full: false, findings: [], values: 0, valuesMax };
  visit(walk, value, []);
  return walk;
}

function visit(walk: Walk, value: unknown, path: (string | number)[]): void {
  if (walk.full || walk.findings.length >= FINDINGS_MAX) return;
  walk.values++;
  walk.full = walk.values > walk.valuesMax;
  if (typeof value === "string") inspectText(walk, value, path, false);
  else if (typeof value === "object" && value !== null) visitEntries(walk, value, path);
}

function visitEntries(walk: Walk, value: object, path: (string | number)[]): void {
  if (path.length >= DEPTH_MAX) {
    walk.findings.push({ path: [...path], message: `nested more than ${DEPTH_MAX} levels deep` });
  } else if (Array.isArray(value)) {
    for (let index = 0; index < value.length; index++) descend(walk, value[index], path, index);
  } else {
    for (const key of Object.keys(value)) {
      walk.keys++;
      inspectText(walk, key, path, true);
      descend(walk, (value as Record<string, unknown>)[key], path, key);
    }
  }
}

function descend(walk: Walk, value: unknown, path: (string | number)[], step: string | number): void {
  path.push(step);
  visit(walk, value, path);
  path.pop();
}

function inspectText(walk: Walk, text: string, path: DocumentPath, isKey: boolean): void {
  const what = whyUnusable(text, isKey);
  if (what === null) return;
  const at = isKey ? { path: [...path, text], atKey: true } : { path: [...path] };
  walk.findings.push({ ...at, message: `${quoted(text)} ${what}` });
}

function whyUnusable(text: string, isKey: boolean): string | null {
  if (isKey && text === "__proto__") return "cannot be a key";
  if (!UNUSABLE.test(text)) return null;
  return text.includes("\0") ? "holds a NUL character" : "holds half of a surrogate pair, which is not a character";
}
