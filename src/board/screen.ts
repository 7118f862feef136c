import type { Paint } from "./paint.ts";

/** A terminal on which something can be drawn in place. */
export interface Screen {
  /** Written at once and as it is. */
  write(text: string): void;
  size(): { columns: number; rows: number };
  /** Calls `resized` whenever the size has changed. Returns the way to stop. */
  onResize(resized: () => void): () => void;
  paint: Paint;
}
