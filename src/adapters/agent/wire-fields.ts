/** Reads JSON that another program wrote, where nothing is sure to have its shape. Pure; nothing here throws for what it is given. */

export type Fields = Record<string, unknown>;

/** The object that a line holds; null where it holds none. */
export function fieldsOfLine(line: string): Fields | null {
  if (!line.startsWith("{")) return null;
  try {
    return JSON.parse(line) as Fields;
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}

/** What is no object is an empty one. */
export function object(value: unknown): Fields {
  return typeof value === "object" && value !== null ? (value as Fields) : {};
}

/** What is no list is an empty one. */
export function list(value: unknown): Fields[] {
  return Array.isArray(value) ? value.map(object) : [];
}

export function text(value: unknown): string | null {
  return typeof value === "string" ? value : null;
}

/** A finite number. */
export function number(value: unknown): number | null {
  return typeof value === "number" && Number.isFinite(value) ? value : null;
}
