import {
  chmodSync,
  cpSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { freeName } from "./kept-worktree.ts";

/** What git runs, or obeys, in every worktree of a repository, beside its configuration. */
const FILES = ["info/attributes", "info/exclude"];
const HOOKS = "hooks";

/** A hook is a script; what is larger is told of, but cannot be put back. */
const CONTENT_BYTES_MAX = 1024 * 1024;

/** One of these files as it was: enough to put it back. */
export interface SharedFile {
  path: string;
  kind: "file" | "link" | "other";
  mode: number;
  /** In base64: what a file holds, where a link points; "" where that is not kept. */
  content: string;
}

/** Changes with each of these files, at the cost of a few looks at the directory. */
export function stampOfShared(commonDir: string): string {
  return sharedPaths(commonDir)
    .map((path) => {
      const stat = lstatSync(join(commonDir, path), { bigint: true, throwIfNoEntry: false });
      return `${path} ${stat?.ino} ${stat?.size} ${stat?.mtimeNs} ${stat?.ctimeNs} ${stat?.mode}`;
    })
    .join("\n");
}

export function readShared(commonDir: string): SharedFile[] {
  return sharedPaths(commonDir).map((path) => readOne(commonDir, path));
}

/**
 * Puts these files back as they were; what stands there instead is put aside in `folder`. Gives a sentence for each that
 * was not as it was.
 */
export function restoreShared(commonDir: string, folder: string, before: SharedFile[]): string[] {
  const now = readShared(commonDir);
  const old = new Map(before.map((file) => [file.path, file]));
  const left = now.filter((file) => !isSame(file, old.get(file.path)));
  const mended = left.map((file) => {
    const aside = putAside(commonDir, folder, file.path);
    const how = old.has(file.path) ? "was changed: it is as before again" : "was added: it is taken away again";
    return `${file.path} ${how}, and what it was is in ${aside}`;
  });
  const present = new Set(now.map(({ path }) => path));
  for (const file of before) {
    const wasChanged = left.some(({ path }) => path === file.path);
    if (present.has(file.path) && !wasChanged) continue;
    writeOne(commonDir, file);
    if (!wasChanged) mended.push(`${file.path} was removed: it is there again`);
  }
  return mended;
}

/** A directory of hooks file by file; one that is a link is the link. */
function sharedPaths(commonDir: string): string[] {
  const exists = (path: string) => lstatSync(join(commonDir, path), { throwIfNoEntry: false });
  const hooks = exists(HOOKS);
  const inHooks = hooks?.isDirectory()
    ? readdirSync(join(commonDir, HOOKS))
        // Git never runs an example.
        .filter((name) => !name.endsWith(".sample"))
        .map((name) => `${HOOKS}/${name}`)
    : [HOOKS];
  return [...FILES, ...inHooks].filter(exists).sort();
}

function readOne(commonDir: string, path: string): SharedFile {
  const file = join(commonDir, path);
  const { mode, size, ...stat } = lstatOf(file);
  if (stat.isLink) return { path, kind: "link", mode: 0, content: readlinkSync(file, "buffer").toString("base64") };
  if (!stat.isFile || size > CONTENT_BYTES_MAX) return { path, kind: "other", mode, content: `${size}` };
  return { path, kind: "file", mode, content: readFileSync(file).toString("base64") };
}

function lstatOf(file: string): { mode: number; size: number; isLink: boolean; isFile: boolean } {
  const stat = lstatSync(file);
  return { mode: stat.mode, size: stat.size, isLink: stat.isSymbolicLink(), isFile: stat.isFile() };
}

function isSame(a: SharedFile, b: SharedFile | undefined): boolean {
  return b !== undefined && a.kind === b.kind && a.mode === b.mode && a.content === b.content;
}

/** Copied, since the folder may be on another disk. */
export function putAside(commonDir: string, folder: string, path: string): string {
  const aside = freeName(join(folder, `planted-${path.replaceAll("/", "-")}`));
  cpSync(join(commonDir, path), aside, { recursive: true, verbatimSymlinks: true });
  rmSync(join(commonDir, path), { recursive: true, force: true });
  return aside;
}

function writeOne(commonDir: string, { path, kind, mode, content }: SharedFile): void {
  const file = join(commonDir, path);
  const bytes = Buffer.from(content, "base64");
  if (kind === "other") return;
  mkdirSync(dirname(file), { recursive: true });
  if (kind === "link") symlinkSync(bytes, file);
  else {
    writeFileSync(file, bytes);
    chmodSync(file, mode & 0o777);
  }
}
