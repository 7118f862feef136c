import type { Paint } from "./paint.ts";
import type { Moments } from "./time-text.ts";

export interface FrameOptions {
  /** Cells of a line, at most. */
  width: number;
  /** Lines, at most. */
  height: number;
  moments: Moments;
  paint: Paint;
}

/** The words before what needs a person, waits, or is next: as wide as those of the lines that a run prints. */
export const LABEL_WIDTH = 11;
