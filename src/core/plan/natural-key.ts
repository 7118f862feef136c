import { invariant } from "../assert.ts";

/** Digits of the length that stands before each number; ids are at most 300 characters long. */
const LENGTH_DIGITS = 3;

/** Comes before every character that an id may have. */
const SEPARATOR = "\u0001";

/**
 * A key whose order byte by byte is a person's order of ids: F-2 before F-10. Each number is written without leading
 * zeros and after its length, `F-0012` and `F-00210`; an id that had leading zeros follows its key, so that F-02 comes
 * right after F-2 and no two ids have the same key. Ids hold no control characters (see `taskIdProblem`).
 */
export function naturalKey(id: string): string {
  let hasLeadingZeros = false;
  const key = id.replace(/[0-9]+/g, (run) => {
    const digits = run.replace(/^0+(?=[0-9])/, "");
    if (digits.length < run.length) hasLeadingZeros = true;
    invariant(digits.length < 10 ** LENGTH_DIGITS, `an id has a number of ${digits.length} digits`);
    return String(digits.length).padStart(LENGTH_DIGITS, "0") + digits;
  });
  return hasLeadingZeros ? key + SEPARATOR + id : key;
}
