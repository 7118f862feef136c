/** What the errors of SQLite and of the file system mean for whoever wanted the store. */

import type { StoreFailureCode } from "../../../ports/store.ts";
import { StoreUnavailable } from "../../../ports/store.ts";

/** Primary result codes of SQLite (https://www.sqlite.org/rescode.html) that are the machine's doing. */
const CODES: Readonly<Record<number, string>> = {
  3: "SQLITE_PERM",
  5: "SQLITE_BUSY",
  6: "SQLITE_LOCKED",
  8: "SQLITE_READONLY",
  10: "SQLITE_IOERR",
  11: "SQLITE_CORRUPT",
  13: "SQLITE_FULL",
  14: "SQLITE_CANTOPEN",
  15: "SQLITE_PROTOCOL",
  23: "SQLITE_AUTH",
  26: "SQLITE_NOTADB",
};

interface Failure {
  code: StoreFailureCode;
  what: string;
  hint: string;
}

const READ_ONLY: Failure = {
  code: "read_only",
  what: "cannot be written",
  hint: "Check the permissions of the file and its folder, and whether the file system is mounted read-only.",
};
const FULL: Failure = { code: "full", what: "is on a full disk", hint: "Free some space; nothing was changed." };
const IO: Failure = {
  code: "io",
  what: "cannot be read or written",
  hint: "Check the disk and the folder; keep the store on a local file system.",
};
const CORRUPT: Failure = {
  code: "corrupt",
  what: "is damaged",
  hint: "Bring it back from a backup, or move it away: a new store is made, and plans can be loaded again.",
};
const NOT_A_STORE: Failure = {
  code: "not_a_store",
  what: "is not a store of lockstep",
  hint: "Name another file with --store, or move this one away.",
};

const FAILURES: Readonly<Record<string, Failure>> = {
  SQLITE_PERM: READ_ONLY,
  SQLITE_READONLY: READ_ONLY,
  SQLITE_AUTH: READ_ONLY,
  SQLITE_CANTOPEN: IO,
  SQLITE_IOERR: IO,
  SQLITE_PROTOCOL: IO,
  SQLITE_FULL: FULL,
  // The shared memory of the log could not be made as long as it must be: the disk has no room for it.
  SQLITE_IOERR_SHMSIZE: FULL,
  SQLITE_CORRUPT: CORRUPT,
  SQLITE_NOTADB: NOT_A_STORE,
  EACCES: READ_ONLY,
  EPERM: READ_ONLY,
  EROFS: READ_ONLY,
  ENOSPC: FULL,
  EDQUOT: FULL,
};

/** The error as `StoreUnavailable` about `what` where it is the machine's doing; any other comes back as it is. */
export function asUnavailable(error: unknown, what: string): unknown {
  if (error instanceof StoreUnavailable) return error;
  const code = codeOf(error);
  if (code === null) return error;
  const failure = FAILURES[extendedCodeOf(error) ?? code] ?? FAILURES[code] ?? (code.startsWith("SQLITE_") ? null : IO);
  if (!failure) return error;
  const message = `${what} ${failure.what} (${code}: ${(error as Error).message})`;
  return new StoreUnavailable(failure.code, message, failure.hint, { cause: error });
}

/** True when another connection holds what this one needs: the same may succeed a moment later. */
export function isBusy(error: unknown): boolean {
  const code = codeOf(error);
  return code === "SQLITE_BUSY" || code === "SQLITE_LOCKED" || code === "SQLITE_PROTOCOL";
}

/** The store is not one of ours: its tables or its marks are somebody else's. */
export function notAStore(file: string): StoreUnavailable {
  return new StoreUnavailable("not_a_store", `the store ${file} ${NOT_A_STORE.what}`, NOT_A_STORE.hint);
}

/** What SQLite says more exactly than by its primary code, where that makes a difference here. */
function extendedCodeOf(error: unknown): string | null {
  const { code, errcode } = error as { code?: unknown; errcode?: unknown };
  if (errcode === IOERR_SHMSIZE) return "SQLITE_IOERR_SHMSIZE";
  return typeof code === "string" && code.startsWith("SQLITE_") ? code : null;
}

/** SQLITE_IOERR_SHMSIZE, as `node:sqlite` gives it. */
const IOERR_SHMSIZE = 4874;

/** The primary code of an error of either driver or of the file system; null for any other error. */
function codeOf(error: unknown): string | null {
  if (!(error instanceof Error)) return null;
  const { code, errcode, syscall } = error as { code?: unknown; errcode?: unknown; syscall?: unknown };
  if (typeof errcode === "number") return CODES[errcode & 0xff] ?? null;
  if (typeof code !== "string") return null;
  if (code.startsWith("SQLITE_")) return code.split("_", 2).join("_");
  return typeof syscall === "string" ? code : null;
}
