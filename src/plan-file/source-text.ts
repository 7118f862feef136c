/** Bytes of a plan or configuration file -> text, or the one reason why they are none. */

import { isUtf8 } from "node:buffer";
import { createHash } from "node:crypto";
import { constants } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";

const MEGABYTE = 1024 * 1024;

/** Largest files that are read (spec, section 10): the YAML parser needs about 60 bytes of memory for each byte. */
const JSON_BYTES_MAX = 200 * MEGABYTE;
const YAML_BYTES_MAX = 20 * MEGABYTE;

export type SourceFormat = "json" | "yaml";

export interface SourceText {
  /** Without a byte order mark. */
  text: string;
  format: SourceFormat;
  /** SHA-256 of the bytes, hexadecimal. They are not kept: a large plan would stand in memory twice. */
  hash: string;
}

export type SourceTextResult =
  | { ok: true; source: SourceText }
  | { ok: false; reason: "missing" | "unreadable" | "content"; message: string };

const UNREADABLE: Record<string, string> = {
  EISDIR: "this is a directory, not a file",
  EACCES: "no permission to read this file",
  ELOOP: "too many symbolic links on the way to this file",
  ENAMETOOLONG: "the name of this file is too long",
};

const MISSING = new Set(["ENOENT", "ENOTDIR"]);

/** Reads one file. What is wrong with it comes back as one message; nothing is thrown for what a person can mend. */
export async function readSourceText(path: string): Promise<SourceTextResult> {
  let handle: FileHandle;
  try {
    // Without O_NONBLOCK the opening of a pipe that nobody writes to would wait for ever.
    handle = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
  } catch (error) {
    return unreadable(error);
  }
  try {
    return await readHandle(handle, path);
  } catch (error) {
    return unreadable(error);
  } finally {
    await handle.close();
  }
}

/** Checks bytes that are already here, in the way of `readSourceText`; the name tells the format. */
export function sourceOfBytes(bytes: Buffer, name: string): SourceTextResult {
  const content = (message: string): SourceTextResult => ({ ok: false, reason: "content", message });
  if (bytes.length === 0) return content("the file is empty");
  if (bytes.length > JSON_BYTES_MAX) return content(tooLarge(bytes.length, "json"));
  const nul = bytes.indexOf(0);
  if (nul !== -1) {
    const utf16 = (bytes[0] === 0xff && bytes[1] === 0xfe) || (bytes[0] === 0xfe && bytes[1] === 0xff);
    return content(
      utf16
        ? "the file is UTF-16, not UTF-8: save it as UTF-8"
        : `the file is binary, not text: a NUL byte stands at byte ${nul}`,
    );
  }
  if (!isUtf8(bytes)) return content(`the file is not UTF-8: byte ${firstInvalidByte(bytes)} does not belong there`);
  const format = formatOf(name, bytes);
  if (format === "yaml" && bytes.length > YAML_BYTES_MAX) return content(tooLarge(bytes.length, "yaml"));
  const hash = createHash("sha256").update(bytes).digest("hex");
  return { ok: true, source: { text: bytes.toString("utf8").replace(/^\uFEFF/, ""), format, hash } };
}

async function readHandle(handle: FileHandle, path: string): Promise<SourceTextResult> {
  const found = await handle.stat();
  if (found.isDirectory()) return { ok: false, reason: "unreadable", message: UNREADABLE["EISDIR"]! };
  if (!found.isFile()) return { ok: false, reason: "unreadable", message: "this is not a regular file" };
  const format = /\.ya?ml$/i.test(path) ? "yaml" : "json";
  const bytesMax = format === "yaml" ? YAML_BYTES_MAX : JSON_BYTES_MAX;
  if (found.size > bytesMax) return { ok: false, reason: "content", message: tooLarge(found.size, format) };
  return sourceOfBytes(await readBytes(handle, found.size), path);
}

/** `readFile` of a handle would hold all pieces and their sum at once. A file that grows meanwhile is cut off. */
async function readBytes(handle: FileHandle, size: number): Promise<Buffer> {
  const bytes = Buffer.allocUnsafeSlow(size);
  let length = 0;
  while (length < size) {
    const { bytesRead } = await handle.read(bytes, length, size - length, length);
    if (bytesRead === 0) break;
    length += bytesRead;
  }
  return bytes.subarray(0, length);
}

function formatOf(name: string, bytes: Buffer): SourceFormat {
  if (/\.json$/i.test(name)) return "json";
  if (/\.ya?ml$/i.test(name)) return "yaml";
  const SNIFFED_BYTES = 1024;
  return /^\uFEFF?\s*\{/.test(bytes.toString("utf8", 0, SNIFFED_BYTES)) ? "json" : "yaml";
}

function tooLarge(bytes: number, format: SourceFormat): string {
  const size = `the file is too large: ${Math.ceil(bytes / MEGABYTE)} MB`;
  return format === "json"
    ? `${size}, and at most ${JSON_BYTES_MAX / MEGABYTE} MB are read`
    : `${size}, and YAML is read up to ${YAML_BYTES_MAX / MEGABYTE} MB: write it as JSON (up to ${JSON_BYTES_MAX / MEGABYTE} MB)`;
}

function unreadable(error: unknown): SourceTextResult {
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  if (MISSING.has(code)) return { ok: false, reason: "missing", message: "there is no such file" };
  if (code === "ERR_INVALID_ARG_VALUE")
    return { ok: false, reason: "unreadable", message: "the file's name holds a NUL character" };
  if (code === "") throw error;
  return { ok: false, reason: "unreadable", message: UNREADABLE[code] ?? `the file cannot be read (${code})` };
}

/** Offset of the first sequence that is not UTF-8. Only for bytes that hold one. */
function firstInvalidByte(bytes: Buffer): number {
  let offset = 0;
  while (offset < bytes.length) {
    const lead = bytes[offset]!;
    const length = lead < 0xc0 ? 1 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
    if (lead >= 0x80 && !isUtf8(bytes.subarray(offset, offset + length))) return offset;
    offset += length;
  }
  return offset;
}
