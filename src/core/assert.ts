/** Our own bug: an invariant that does not hold. The process that sees one closes with the store intact. */
export class InvariantViolation extends Error {
  override name = "InvariantViolation";
}

/** Throws when `condition` does not hold. For mistakes of this program only; bad input is a rejection. */
export function invariant(condition: unknown, message: string): asserts condition {
  if (!condition) throw new InvariantViolation(message);
}
