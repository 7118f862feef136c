/** Rows that something outside lockstep has broken: each is told by its place, and none keeps the others from being read. */

import type { SqlRow } from "./driver.ts";

/** Whose row it is. */
export interface Place {
  plan: string | null;
  task: string | null;
  /** The row itself in words, where it is not the task's own: `attempt 2`. */
  row: string | null;
}

/** A column does not hold what alone it can. `Database` makes a `RowUnreadable` of it. */
export class UnreadableColumn extends Error {
  override name = "UnreadableColumn";
  readonly place: Place;

  constructor(place: Place, column: string, value: unknown, wanted: string) {
    super(`column ${column} holds ${shown(value)}, which is no ${wanted}`);
    this.place = place;
  }
}

/** The object or list that a column holds as JSON; null where it holds nothing. */
export function parseColumn(text: unknown, column: string, place: () => Place): object | null {
  if (text === null || text === undefined) return null;
  const value = parsed(text);
  if (typeof value !== "object" || value === null) throw new UnreadableColumn(place(), column, text, "JSON of ours");
  return value;
}

/** The value, when it is one of those that the column can hold. */
export function oneOf<T extends string>(values: readonly T[], value: unknown, column: string, place: () => Place): T {
  const found = values.find((known) => known === value);
  if (found === undefined) throw new UnreadableColumn(place(), column, value, column);
  return found;
}

/** What a row of a table says of whose it is. */
export function placeOf(table: string, { plan, task, id, n, target, name }: SqlRow): Place {
  const text = (value: unknown): string | null => (typeof value === "string" ? value : null);
  if (table === "tasks") return { plan: text(plan), task: text(id), row: null };
  if (table === "plans") return { plan: text(id), task: null, row: `plan ${name}` };
  const which = n ?? id ?? target ?? null;
  const row = `${table.replace(/s$/, "")}${which === null ? "" : ` ${which}`}`;
  return { plan: text(plan), task: text(task), row };
}

/** As much of a broken value as shows what happened to it. */
const SHOWN_CHARACTERS = 40;

function shown(value: unknown): string {
  const text = JSON.stringify(value) ?? String(value);
  return text.length > SHOWN_CHARACTERS ? `${text.slice(0, SHOWN_CHARACTERS - 1)}…` : text;
}

function parsed(text: unknown): unknown {
  try {
    return JSON.parse(String(text));
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
