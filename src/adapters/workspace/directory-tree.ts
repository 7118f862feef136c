import { createHash } from "node:crypto";
import { type Dirent, readdirSync, readFileSync } from "node:fs";
import { setImmediate as otherWork } from "node:timers/promises";
import { type BytePath, bytesBelow, readable } from "./byte-paths.ts";
import { type FileMemory, fileEntry, isClosed, isGone } from "./file-entry.ts";
import { type IgnoreRules, isIgnored, withRules } from "./ignore-rules.ts";

/** Path to what is there (see `fileEntry`), sorted. */
export type Manifest = Map<BytePath, string>;

export interface DirectoryTree {
  /** sha-256 over the manifest, in hex. */
  tree: string;
  files: Manifest;
}

/** A directory's files, with what is known of them from the last time. */
export interface DirectoryReader {
  /** Null when there are more files than can be dealt with. */
  read(): Promise<DirectoryTree | null>;
}

/** Beyond this the hash of a plain directory is the wrong tool: a repository keeps an index. */
export const FILES_MAX = 1_000_000;

/** Files or directories between two pauses in which the process does its other work; each takes some microseconds. */
const ITEMS_PER_TURN = 200;

/** Never part of the tree, at any depth. */
const LEFT_OUT = new Set([".git", ".lockstep"]);

/** Reads the tree of a plain directory: every file that no `.gitignore` names, links as links. */
export function directoryReader(root: string): DirectoryReader {
  let memory: FileMemory = new Map();
  return {
    read: async () => {
      const found = await listFiles(root);
      if (found === null) return null;
      const after: FileMemory = new Map();
      const files: Manifest = new Map();
      let items = 0;
      for (const { path, closed } of found.sort((a, b) => (a.path < b.path ? -1 : 1))) {
        const entry = closed ? "unreadable" : await fileEntry(bytesBelow(root, path), path, memory, after);
        if (entry !== null) files.set(path, entry);
        items += 1;
        if (items % ITEMS_PER_TURN === 0) await otherWork();
      }
      memory = after;
      return { tree: hashOf(files), files };
    },
  };
}

interface Found {
  path: string;
  /** A directory that may not be read. */
  closed: boolean;
}

async function listFiles(root: string): Promise<Found[] | null> {
  const found: Found[] = [];
  const waiting: { path: string; outer: IgnoreRules }[] = [{ path: "", outer: [] }];
  let directories = 0;
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const { path, outer } = next;
    const listed = list(root, path);
    if (listed === "closed") found.push({ path, closed: true });
    if (typeof listed === "string") continue;
    const rules = rulesAt(root, path, listed, outer);
    for (const item of listed) {
      const name = `${path}${item.name}${item.isDirectory() ? "/" : ""}`;
      if (LEFT_OUT.has(item.name) || (rules.length > 0 && isIgnored(rules, readable(name)))) continue;
      if (item.isDirectory()) waiting.push({ path: name, outer: rules });
      else found.push({ path: name, closed: false });
    }
    if (found.length > FILES_MAX) return null;
    directories += 1;
    if (directories % ITEMS_PER_TURN === 0) await otherWork();
  }
  return found;
}

function list(root: string, path: string): Dirent[] | "gone" | "closed" {
  try {
    return readdirSync(bytesBelow(root, path), { withFileTypes: true, encoding: "latin1" });
  } catch (error) {
    // The root itself has to be there.
    if (path !== "" && isGone(error)) return "gone";
    if (path !== "" && isClosed(error)) return "closed";
    throw error;
  }
}

function rulesAt(root: string, path: string, listed: Dirent[], outer: IgnoreRules): IgnoreRules {
  // Anything but a plain file under this name holds no rules, and a pipe would keep its reader waiting.
  if (!listed.some((item) => item.name === ".gitignore" && item.isFile())) return outer;
  try {
    return withRules(outer, readable(path), readFileSync(bytesBelow(root, `${path}.gitignore`), "utf8"));
  } catch (error) {
    if (isGone(error) || isClosed(error)) return outer;
    throw error;
  }
}

function hashOf(files: Manifest): string {
  const lines: string[] = [];
  for (const [path, entry] of files) lines.push(`${entry} ${path}\0`);
  return createHash("sha256").update(lines.join(""), "latin1").digest("hex");
}
