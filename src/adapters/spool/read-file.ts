/** Reads a file of a spool that may be missing, broken, or another's, without ever taking the reader down. */

import { closeSync, fstatSync, openSync, readSync } from "node:fs";

export type FileRead =
  | { found: "text"; text: string }
  | { found: "nothing" }
  /** It is there, and its text cannot be had. `passing`: by a shortage of the machine that may be over soon. */
  | { found: "unreadable"; why: string; passing: boolean };

/** What the machine lacks for a while: it says nothing about the file. */
const SHORTAGES: ReadonlySet<string> = new Set(["EMFILE", "ENFILE", "ENOMEM", "EAGAIN", "EINTR", "EBUSY"]);

/** The text of a file of at most `bytesMax` bytes; bytes that are no UTF-8 become replacement characters. */
export function readFileOf(file: string, bytesMax: number): FileRead {
  try {
    return withFile(file, (descriptor) => {
      const { size } = fstatSync(descriptor);
      if (size > bytesMax) return unreadable(`it has ${size} bytes, more than ${bytesMax}`);
      return { found: "text", text: textAt(descriptor, 0, size) };
    });
  } catch (error) {
    return unread(error);
  }
}

/** The beginning of a file, however long it is. */
export function readStartOf(file: string, bytesMax: number): FileRead {
  try {
    return withFile(file, (descriptor) => ({ found: "text", text: textAt(descriptor, 0, bytesMax) }));
  } catch (error) {
    return unread(error);
  }
}

/** The end of a file, however long it is. */
export function readEndOf(file: string, bytesMax: number): FileRead {
  try {
    return withFile(file, (descriptor) => {
      const from = Math.max(0, fstatSync(descriptor).size - bytesMax);
      return { found: "text", text: textAt(descriptor, from, bytesMax) };
    });
  } catch (error) {
    return unread(error);
  }
}

/** True for what the system says of a file that is gone, or that nobody here may use: no other try will do better. */
export function isOutOfReach(error: unknown): boolean {
  return ["ENOENT", "ENOTDIR", "EISDIR", "EEXIST", "ELOOP", "EACCES", "EPERM"].includes(codeOf(error) ?? "");
}

function withFile(file: string, read: (descriptor: number) => FileRead): FileRead {
  const descriptor = openSync(file, "r");
  try {
    return read(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

function textAt(descriptor: number, from: number, bytesMax: number): string {
  const bytes = Buffer.alloc(bytesMax);
  return bytes.toString("utf8", 0, readSync(descriptor, bytes, 0, bytesMax, from));
}

function unread(error: unknown): FileRead {
  const code = codeOf(error);
  if (code === undefined) throw error;
  if (code === "ENOENT" || code === "ENOTDIR") return { found: "nothing" };
  return { ...unreadable(code), passing: SHORTAGES.has(code) };
}

function unreadable(why: string): Extract<FileRead, { found: "unreadable" }> {
  return { found: "unreadable", why, passing: false };
}

/** Undefined for what no system call said. */
function codeOf(error: unknown): string | undefined {
  const { syscall, code } = error as NodeJS.ErrnoException;
  return syscall === undefined ? undefined : code;
}
