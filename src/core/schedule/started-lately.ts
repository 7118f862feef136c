/** Attempts of runs that began within the last hour. */
export interface StartedLately {
  count: number;
  /** When the first of them began, milliseconds since 1970; null: there is none. */
  first_at: number | null;
}

export const NONE_STARTED: StartedLately = { count: 0, first_at: null };
