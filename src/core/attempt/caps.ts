/** Bounds of what is nobody's fault, per round (spec, section 2). Past one of them a person is asked. */
export const SETBACKS_MAX = { conflicts: 5, lost: 3, rate_limited: 20, handoffs: 3, questions: 5 } as const;

export type Setback = keyof typeof SETBACKS_MAX;

/** How long what the machine refused a landing is waited for, one after the other, before a person is asked (spec, section 7). */
export const ENVIRONMENT_WAITS_MS = [60_000, 300_000, 900_000] as const;

/** Counters that begin anew with a round or a phase. */
export const FRESH_COUNTERS = {
  ...{ tries: 0, conflicts: 0, lost: 0, rate_limited: 0, handoffs: 0, questions: 0 },
  environment: 0,
} as const;
