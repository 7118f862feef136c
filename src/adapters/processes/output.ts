import { fstatSync, readSync, writeSync } from "node:fs";
import { readFile, rename, writeFile } from "node:fs/promises";
import { redactText } from "../../core/policy/redact.ts";
import { secretsOf } from "../../core/policy/secrets.ts";
import { TAIL_CHARACTERS } from "../../ports/processes.ts";

/** What is kept of an output that grew beyond both together: where it began and where it ended. */
const HEAD_KEPT_BYTES = 1024 * 1024;
const TAIL_KEPT_BYTES = 8 * 1024 * 1024;

/** No character of UTF-8 is longer. */
const BYTES_PER_CHARACTER = 4;

const decoder = new TextDecoder("utf-8", { fatal: false, ignoreBOM: true });

/** The end of an output, decoded leniently: at most 4,000 characters, no half character at its start, no NUL. */
export function readTail(descriptor: number): string {
  const size = sizeOf(descriptor);
  const bytes = Buffer.alloc(Math.min(size, TAIL_CHARACTERS * BYTES_PER_CHARACTER));
  const read = readSync(descriptor, bytes, 0, bytes.length, size - bytes.length);
  return tailOf(bytes.subarray(0, read), bytes.length < size);
}

/** `cut`: the bytes start in the middle of something longer, perhaps inside a character. */
export function tailOf(bytes: Uint8Array, cut: boolean): string {
  let from = 0;
  while (cut && from < BYTES_PER_CHARACTER - 1 && ((bytes[from] ?? 0) & 0xc0) === 0x80) from += 1;
  const text = decoder.decode(bytes.subarray(from)).slice(-TAIL_CHARACTERS);
  const whole = /^[\udc00-\udfff]/.test(text) ? text.slice(1) : text;
  // Databases refuse a NUL inside a text.
  return whole.replaceAll("\0", "\ufffd");
}

/** Adds a line of lockstep's own to the end of an output. */
export function appendNote(descriptor: number, note: string): void {
  writeSync(descriptor, `\n[lockstep: ${note}]\n`);
}

/** Size in bytes. */
export function sizeOf(descriptor: number): number {
  return fstatSync(descriptor).size;
}

/** Replaces an output above 9 MiB by its first 1 MiB, a line that says how much was cut, and its last 8 MiB. */
export async function cutMiddle(descriptor: number, file: string): Promise<void> {
  const size = sizeOf(descriptor);
  const cut = size - HEAD_KEPT_BYTES - TAIL_KEPT_BYTES;
  if (cut <= 0) return;
  const kept = `${file}.cut`;
  await writeFile(
    kept,
    Buffer.concat([
      readAt(descriptor, 0, HEAD_KEPT_BYTES),
      Buffer.from(`\n[lockstep: ${cut} bytes cut here]\n`),
      readAt(descriptor, size - TAIL_KEPT_BYTES, TAIL_KEPT_BYTES),
    ]),
    { mode: 0o600 },
  );
  await rename(kept, file);
}

const WELL_KNOWN = secretsOf([]);

/**
 * Takes well-known secrets out of an output that the kernel wrote, which is no longer than what is kept of one. Gives its
 * new tail; null where there was none in it.
 */
export async function redactFile(descriptor: number, file: string): Promise<string | null> {
  const size = sizeOf(descriptor);
  const isCut = size > HEAD_KEPT_BYTES + TAIL_KEPT_BYTES;
  const bytes = isCut ? await readFile(file) : readAt(descriptor, 0, size);
  const text = bytes.toString("latin1");
  const redacted = redactText(WELL_KNOWN, text);
  if (redacted === text) return null;
  const written = Buffer.from(redacted, "latin1");
  const kept = `${file}.cut`;
  await writeFile(kept, written, { mode: 0o600 });
  await rename(kept, file);
  const end = written.subarray(-TAIL_CHARACTERS * BYTES_PER_CHARACTER);
  return tailOf(end, end.length < written.length);
}

function readAt(descriptor: number, position: number, length: number): Buffer {
  const bytes = Buffer.alloc(length);
  return bytes.subarray(0, readSync(descriptor, bytes, 0, length, position));
}
