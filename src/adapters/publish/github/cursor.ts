/** What a look remembers for the next one. It goes through the caller's store as text. */

import { z } from "zod";

/** Each list is read to a thousand items, so that what is seen is never forgotten. */
const TOLD_MAX = 10_000;

const cursorSchema = z.object({
  version: z.literal(1),
  pages: z.record(z.string(), z.object({ etag: z.string(), items: z.number(), kept: z.unknown() })),
  told: z.array(z.string()),
});

/** An answer as it was when it had that ETag: how many items it listed, and what is needed of them again. */
export interface KeptPage {
  etag: string;
  items: number;
  kept: unknown;
}

/** One look's memory: what the last one left, and what this one leaves. */
export class LookMemory {
  readonly #pages: Record<string, KeptPage>;
  readonly #told: Set<string>;
  readonly #next: Record<string, KeptPage> = {};

  /** A cursor that is not understood, such as a later version's, begins anew. */
  constructor(cursor: string | null) {
    const read = cursor === null ? null : cursorSchema.safeParse(jsonOf(cursor));
    this.#pages = read?.success ? (read.data.pages as Record<string, KeptPage>) : {};
    this.#told = new Set(read?.success ? read.data.told : []);
  }

  page(path: string): KeptPage | null {
    return this.#pages[path] ?? null;
  }

  keep(path: string, page: KeptPage): void {
    this.#next[path] = page;
  }

  /** True the first time that something is to be told. */
  tellOnce(name: string): boolean {
    if (this.#told.has(name)) return false;
    this.#told.add(name);
    return true;
  }

  wasTold(name: string): boolean {
    return this.#told.has(name);
  }

  cursor(): string {
    return JSON.stringify({ version: 1, pages: this.#next, told: [...this.#told].slice(-TOLD_MAX) });
  }
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}
