import { existsSync, lstatSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Git, gitIn } from "./git.ts";
import { putAside } from "./shared-files.ts";
import { dropStaleLock } from "./stale-lock.ts";

/**
 * Settings that make git run a program, look elsewhere, or overlook files: as they were before an agent was let in they
 * are the user's wish. All others (branches, remotes, names) may change at any time.
 */
const GUARDED = [
  /^core\.(hookspath|fsmonitor|sshcommand|editor|pager|askpass|gitproxy|alternaterefscommand)$/,
  /^core\.(attributesfile|excludesfile|worktree|bare|filemode|ignorecase|symlinks|autocrlf|eol)$/,
  /^(include|includeif|filter|credential|gpg|alias|pager|submodule|difftool|mergetool|trailer|protocol|url)\./,
  /^merge\..+\.driver$/,
  /^diff\.(external|.+\.(command|textconv))$/,
  /^(sequence\.editor|interactive\.difffilter|uploadpack\.packobjectshook)$/,
  /^remote\..+\.(uploadpack|receivepack|vcs|promisor)$/,
  // That one only lets a worktree have settings of its own, which are looked at as well.
  /^extensions\.(?!worktreeconfig$)/,
];

/** A file of configuration as it was. */
export interface SharedConfig {
  /** Below the repository's directory. */
  path: string;
  /** The guarded settings, each `key`, a line break and its value. */
  settings: string[];
  /** The whole file in base64; null where there was none. */
  content: string | null;
}

export function stampOfConfig(file: string): string {
  const stat = lstatSync(file, { bigint: true, throwIfNoEntry: false });
  return stat === undefined ? "none" : `${stat.ino} ${stat.size} ${stat.mtimeNs} ${stat.ctimeNs}`;
}

/** The guarded settings of a file; null when git cannot read it. `folder` is any directory without a repository. */
export async function guardedSettings(folder: string, file: string): Promise<string[] | null> {
  if (!existsSync(file)) return [];
  const { code, stdout } = await listing(gitIn(folder), file);
  if (code !== 0) return null;
  return stdout
    .toString("utf8")
    .split("\0")
    .filter((setting) => GUARDED.some((guarded) => guarded.test(keyOf(setting))));
}

/** Puts guarded settings back as they were, and the whole file where git cannot read it. A sentence for each. */
export async function restoreConfig(
  { folder, dir }: { folder: string; dir: string },
  { path, settings, content }: SharedConfig,
): Promise<string[]> {
  const file = join(dir, path);
  const now = existsSync(file) || content === null ? await guardedSettings(folder, file) : null;
  if (now === null) return [restoreWhole({ folder, dir }, path, content)];
  dropStaleLock(`${file}.lock`);
  const git = gitIn(folder);
  const mended: string[] = [];
  for (const key of new Set([...now, ...settings].map(keyOf))) {
    const [is, was] = [valuesOf(now, key), valuesOf(settings, key)];
    if (is.join("\0") === was.join("\0")) continue;
    if (is.length > 0) await git.text(["config", "--file", file, "--unset-all", key]);
    for (const value of was) await git.text(["config", "--file", file, "--add", key, value]);
    mended.push(sentence(key, is, was));
  }
  return mended;
}

function listing(git: Git, file: string): ReturnType<Git["run"]> {
  return git.run(["config", "--file", file, "--list", "-z"]);
}

function keyOf(setting: string): string {
  return setting.split("\n", 1)[0]!;
}

/** One without a value says yes. */
function valuesOf(settings: string[], key: string): string[] {
  return settings
    .filter((setting) => keyOf(setting) === key)
    .map((setting) => (setting === key ? "true" : setting.slice(key.length + 1)));
}

function sentence(key: string, is: string[], was: string[]): string {
  const now = is.length === 0 ? "was taken out of the configuration" : `was set to ${JSON.stringify(is.join(", "))}`;
  const again = was.length === 0 ? "taken out again" : `${JSON.stringify(was.join(", "))} again`;
  return `the setting ${key} ${now}: it is ${again}`;
}

function restoreWhole({ folder, dir }: { folder: string; dir: string }, path: string, content: string | null): string {
  const aside = existsSync(join(dir, path)) ? `, and what it was is in ${putAside(dir, folder, path)}` : "";
  if (content !== null) writeFileSync(join(dir, path), Buffer.from(content, "base64"));
  return `the configuration ${path} could not be read any more: it is as before again${aside}`;
}
