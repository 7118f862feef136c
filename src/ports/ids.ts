/** Randomness comes in here and nowhere else. */
export interface Ids {
  /** A new id that sorts by the time of its making (uuid v7). */
  next(): string;
}
