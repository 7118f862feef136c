/** Sizes as people write them: `500MB`, `1GB`; the units are powers of 1024. */

export const BYTE_SIZE_PATTERN = /^(\d{1,6})(KB|MB|GB|TB)$/;

const POWERS: Record<string, number> = { KB: 1, MB: 2, GB: 3, TB: 4 };

/** Bytes of a written size, or null when it is not one. */
export function parseByteSize(text: string): number | null {
  const match = BYTE_SIZE_PATTERN.exec(text);
  return match === null ? null : Number(match[1]) * 1024 ** POWERS[match[2]!]!;
}
