/** Time comes in here and nowhere else. */
export interface Clock {
  /** Wall clock, milliseconds since 1970: for `due_at`, resets, deadlines and what people read. */
  now(): number;
  /** Milliseconds that never go back inside one boot: for leases and watchdogs. */
  monotonic(): number;
  /** Resolves after `ms`, or at once when `signal` aborts. Never rejects. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}
