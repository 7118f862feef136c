import type { Blobs } from "../ports/blobs.ts";
import { TAIL_CHARACTERS } from "../ports/processes.ts";
import type { RecordedCheck } from "../ports/store.ts";

/** No character of UTF-8 is longer. */
const BYTES_PER_CHARACTER = 4;

const decoder = new TextDecoder("utf-8", { fatal: false, ignoreBOM: true });

/** What is wrong with the output of a check, or null: it must be there and end as its row says. */
export async function logProblem(blobs: Blobs, { command, log, tail }: RecordedCheck): Promise<string | null> {
  const bytes = await blobs.end(log, TAIL_CHARACTERS * BYTES_PER_CHARACTER);
  if (bytes === null) return `the output of \`${command}\` is not on this machine: ${log}`;
  // As in the row, which holds no NUL.
  const text = decoder.decode(bytes).replaceAll("\0", "\ufffd");
  // A tail may be one character short of the bound, where that one was half a pair.
  const isSame = tail.length < TAIL_CHARACTERS - 1 ? text === tail : text.endsWith(tail);
  return isSame ? null : `the output of \`${command}\` is not what its row says: ${log}`;
}
