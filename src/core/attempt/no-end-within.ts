/** Why an attempt timed out, for people. */
export function noEndWithin(ms: number): string {
  return `no end within ${ms / 1_000} s`;
}
