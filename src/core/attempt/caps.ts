/** Bounds of what is nobody's fault, per round (spec, section 2). Past one of them a person is asked. */
export const SETBACKS_MAX = { conflicts: 5, lost: 3, rate_limited: 20, handoffs: 3, questions: 5 } as const;

export type Setback = keyof typeof SETBACKS_MAX;

/** Counters that begin anew with a round or a phase. */
export const FRESH_COUNTERS = { tries: 0, conflicts: 0, lost: 0, rate_limited: 0, handoffs: 0, questions: 0 } as const;
