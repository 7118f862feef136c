/**
 * File names need not be UTF-8. A byte string is a path with one character (latin1) for each byte: it can be compared,
 * sorted and cut like any string, and no byte is lost.
 */
export type BytePath = string;

/** A byte string as text for people, for rules and for the scope's sweep; bytes that are no UTF-8 are replaced. */
export function readable(path: BytePath): string {
  return Buffer.from(path, "latin1").toString("utf8");
}

/** A byte string below a directory, for the file system. */
export function bytesBelow(root: string, path: BytePath): Buffer {
  return Buffer.concat([Buffer.from(`${root}/`), Buffer.from(path, "latin1")]);
}
