import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { ChangedFile } from "../../ports/workspace.ts";
import type { Manifest } from "./directory-tree.ts";

/** Manifests that are kept, the youngest ones: each is what some attempt started from. */
const MANIFESTS_MAX = 256;

/** Keeps a manifest under the hash of its tree. The same tree is written once. */
export function keepManifest(folder: string, tree: string, files: Manifest): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const file = join(folder, tree);
  if (statSync(file, { throwIfNoEntry: false }) !== undefined) return;
  writeFileSync(`${file}.${process.pid}`, JSON.stringify([...files]), { mode: 0o600 });
  renameSync(`${file}.${process.pid}`, file);
  const names = readdirSync(folder);
  if (names.length <= MANIFESTS_MAX) return;
  const aged = names.map((name) => ({
    name,
    at: statSync(join(folder, name), { throwIfNoEntry: false })?.mtimeMs ?? 0,
  }));
  aged.sort((a, b) => a.at - b.at);
  for (const { name } of aged.slice(0, names.length - MANIFESTS_MAX)) rmSync(join(folder, name), { force: true });
}

/** The manifest of a tree, or an empty one when it is not kept (any more): then every file counts as new. */
export function loadManifest(folder: string, tree: string): Manifest {
  try {
    return new Map(JSON.parse(readFileSync(join(folder, tree), "utf8")) as [string, string][]);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return new Map();
    throw error;
  }
}

/** A changed file, its path a byte string as in a manifest. */
export interface ManifestChange {
  path: string;
  status: ChangedFile["status"];
}

/** What differs between two manifests. */
export function diffManifests(from: Manifest, to: Manifest): ManifestChange[] {
  const changes: ManifestChange[] = [];
  for (const [path, entry] of to) {
    const before = from.get(path);
    if (before === undefined) changes.push({ path, status: "added" });
    else if (before !== entry)
      changes.push({ path, status: kind(before) === kind(entry) ? "modified" : "type_changed" });
  }
  for (const path of from.keys()) if (!to.has(path)) changes.push({ path, status: "deleted" });
  return changes.sort((a, b) => (a.path < b.path ? -1 : 1));
}

/** The executable bit is a change of a file, not of its kind. */
function kind(entry: string): string {
  const word = entry.split(" ", 1)[0] ?? "";
  return word === "executable" ? "file" : word;
}
