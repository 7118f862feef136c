/** The home directory of an agent: its own, with what its user shares. */

import { randomUUID } from "node:crypto";
import {
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import type { HomeShare, OwnHome } from "../../ports/runner.ts";

/** The PATH that the agent was given, for its login shells. */
export const PATH_VARIABLE = "LOCKSTEP_PATH";

/** Codex runs each command in a login shell, and the system's own files for those begin PATH anew. */
const LOGIN_FILES = [".bash_profile", ".profile", ".zprofile"];
const LOGIN_SHELL = `if [ -n "$${PATH_VARIABLE}" ]; then PATH=$${PATH_VARIABLE}; export PATH; fi\n`;

/** Makes the home, or makes the one of an earlier attempt fit again. Gives what could not be shared, for people. */
export function prepareHome({ dir, shares, git }: OwnHome): string[] {
  mkdirSync(dir, { recursive: true, mode: 0o700 });
  const problems = shares.flatMap((share) => unlessUnreadable(share, () => place(dir, share)));
  writeFileSync(join(dir, ".gitconfig"), gitSettings(git), { mode: 0o600 });
  const own = LOGIN_FILES.filter((name) => shares.every(({ to }) => to !== name && to !== join(dir, name)));
  for (const name of own) writeFileSync(join(dir, name), LOGIN_SHELL, { mode: 0o600 });
  return problems;
}

/**
 * A program that renews a shared log-in may write a new file in the place of the link: then that becomes the user's own
 * file, and the link is made again, so that all agents have the new one. Gives what could not be taken back, for people.
 */
export function takeBack({ dir, shares }: OwnHome): string[] {
  const links = shares.filter(({ how }) => how === "link");
  return links.flatMap((share) => unlessUnreadable(share, () => takeBackOne(dir, share)));
}

function place(dir: string, share: HomeShare): void {
  const to = join(dir, share.to);
  if (share.how === "link") takeBackOne(dir, share);
  if (!existsSync(share.from)) return;
  mkdirSync(dirname(to), { recursive: true, mode: 0o700 });
  if (share.how === "link") link(share.from, to);
  else if (share.how === "fields") mergeFields(share.from, to, share.fields);
  else copy(share.from, to);
}

function copy(from: string, to: string): void {
  rmSync(to, { recursive: true, force: true });
  cpSync(from, to, { recursive: true, dereference: true });
}

function link(from: string, to: string): void {
  rmSync(to, { recursive: true, force: true });
  symlinkSync(realpathSync(from), to);
}

/** Only a file that is newer than the user's; anything else in the place of a link is the agent's own affair. */
function takeBackOne(dir: string, { from, to }: HomeShare): void {
  const file = join(dir, to);
  const found = lstatSync(file, { throwIfNoEntry: false });
  if (found === undefined || !found.isFile()) return;
  const target = existsSync(from) ? realpathSync(from) : from;
  const known = lstatSync(target, { throwIfNoEntry: false });
  if (known === undefined || known.mtimeMs <= found.mtimeMs) replace(target, readFileSync(file));
  link(target, file);
}

/** Whole for whoever reads it meanwhile. */
function replace(file: string, bytes: Buffer): void {
  const half = `${file}.${randomUUID()}`;
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  try {
    writeFileSync(half, bytes, { mode: 0o600, flag: "wx" });
    renameSync(half, file);
  } finally {
    rmSync(half, { force: true });
  }
}

/** Other keys are the agent's own, from an earlier attempt. */
function mergeFields(from: string, to: string, fields: readonly string[]): void {
  const given = objectIn(from);
  const own = existsSync(to) ? objectIn(to) : {};
  const taken = fields.filter((name) => Object.hasOwn(given, name)).map((name) => [name, given[name]]);
  const merged = { ...own, ...Object.fromEntries(taken) };
  if (!isDeepStrictEqual(merged, own)) writeFileSync(to, JSON.stringify(merged), { mode: 0o600 });
}

/** Nothing of a file that is no object: it is another program's, and may be half written. */
function objectIn(file: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(readFileSync(file, "utf8"));
    return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
  } catch (error) {
    if (error instanceof SyntaxError) return {};
    throw error;
  }
}

/** The user's settings in their own places, and no signatures: the keys are in the home that the agent does not have. */
function gitSettings(files: readonly string[]): string {
  const includes = files.map((file) => `\tpath = ${JSON.stringify(file)}\n`).join("");
  return `[include]\n${includes}[commit]\n\tgpgSign = false\n[tag]\n\tgpgSign = false\n`;
}

/** What the system says against one file keeps nobody from working: the agent may do without it. */
function unlessUnreadable({ from }: HomeShare, act: () => void): string[] {
  try {
    act();
    return [];
  } catch (error) {
    const { syscall, message } = error as NodeJS.ErrnoException;
    if (syscall === undefined) throw error;
    return [`${from} could not be shared: ${message}`];
  }
}
