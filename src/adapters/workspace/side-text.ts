/** Texts of changed files, bounded: what is larger is data, and whoever reads it holds up every other landing. */

/** Sources that people write are smaller. */
export const SIDE_BYTES_MAX = 256 * 1024;

/** Of both sides of all files together: more takes seconds to judge. */
export const SIDES_BYTES_MAX = 8 * 1024 * 1024;

/** Where git looks for a NUL to tell data from text. */
const HEAD_BYTES = 8_000;

/** Null for what is no text; bytes that are no UTF-8 are replaced. */
export function textOf(bytes: Buffer): string | null {
  return bytes.subarray(0, HEAD_BYTES).includes(0) ? null : bytes.toString("utf8");
}
