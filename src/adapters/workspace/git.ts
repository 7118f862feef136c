import { spawn } from "node:child_process";
import { statSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { MachineTrouble, type WorkspaceRefusal } from "../../ports/workspace.ts";
import { isLockFreed } from "./stale-lock.ts";

/** A list of a million files with long names; more is a mistake of ours. */
const OUTPUT_BYTES_MAX = 256 * 1024 * 1024;
const STDERR_BYTES_MAX = 64 * 1024;

/** A first `git add` of a large tree on a slow disk; whatever takes longer waits for something that never comes. */
const TIME_LIMIT_MS = 10 * 60_000;

/** Variables that would point git at another repository, index or configuration than the one named. */
const STRIPPED = [
  "GIT_ALTERNATE_OBJECT_DIRECTORIES",
  "GIT_CONFIG",
  "GIT_CONFIG_PARAMETERS",
  "GIT_CONFIG_COUNT",
  "GIT_OBJECT_DIRECTORY",
  "GIT_DIR",
  "GIT_WORK_TREE",
  "GIT_IMPLICIT_WORK_TREE",
  "GIT_GRAFT_FILE",
  "GIT_INDEX_FILE",
  "GIT_REPLACE_REF_BASE",
  "GIT_PREFIX",
  "GIT_SHALLOW_FILE",
  "GIT_COMMON_DIR",
  "GIT_NAMESPACE",
  "GIT_LITERAL_PATHSPECS",
];

/** No hook and no daemon of the user's runs, nothing is guessed, and what is written is on the disk. */
const SETTINGS = [
  "core.hooksPath=/dev/null",
  "core.fsmonitor=false",
  "core.fsync=committed,loose-object,reference",
  "core.quotePath=false",
  "add.ignoreErrors=false",
  "advice.addEmbeddedRepo=false",
  "user.useConfigOnly=true",
].flatMap((setting) => ["-c", setting]);

interface GitOptions {
  env?: Record<string, string>;
  input?: string | Buffer;
  /** Ends git when it takes longer; the time of the longest call unless given. */
  limitMs?: number;
}

export interface GitResult {
  code: number;
  stdout: Buffer;
  stderr: string;
}

/** Git in one directory, arguments never seen by a shell. */
export interface Git {
  /** Runs git and gives its end, whatever it is. Rejects with `GitFailure` only when git could not run to an end. */
  run(args: string[], options?: GitOptions): Promise<GitResult>;
  /** Standard output without its last line break; rejects with `GitFailure` when git fails. */
  text(args: string[], options?: GitOptions): Promise<string>;
  /** Output that ends every item with a NUL, as byte strings. */
  items(args: string[], options?: GitOptions): Promise<string[]>;
}

/** Git said no where it had to say yes: the repository is broken, the disk is full, git is missing. */
export class GitFailure extends Error {
  override name = "GitFailure";
}

/** Somebody ended a git in the middle of its work. */
export class GitKilled extends GitFailure {}

/** What is killed so often in a row has a reason that another try does not end. */
const KILLED_MAX = 3;

/** Does again what a killed git cut off: for what a crash may cut off anywhere, and so does no harm twice. */
export async function againIfKilled<T>(act: () => Promise<T>): Promise<T> {
  for (let killed = 1; ; killed += 1) {
    try {
      return await act();
    } catch (error) {
      if (!(error instanceof GitKilled) || killed === KILLED_MAX) throw error;
    }
  }
}

/** Locks that may be in the way of one command, one after the other: of the index, of HEAD, of a few refs. */
const LOCKS_MAX = 5;

/** Git at the top of a checkout. A repository further up is another's: it is never found in place of a broken one. */
export function gitIn(dir: string): Git {
  const run = async (args: string[], options: GitOptions = {}): Promise<GitResult> => {
    for (let locks = 0; ; locks += 1) {
      const result = await runGit(dir, args, options);
      if (result.code === 0 || locks === LOCKS_MAX || !(await isLockFreed(result.stderr, dir))) return result;
    }
  };
  const succeed = async (args: string[], options?: GitOptions): Promise<Buffer> => {
    const { code, stdout, stderr } = await run(args, options);
    if (code !== 0) throw failure(`git ${args[0]} failed in ${dir}: ${stderr.trim() || `exit ${code}`}`);
    return stdout;
  };
  return {
    run,
    text: async (args, options) => (await succeed(args, options)).toString("utf8").replace(/\n$/, ""),
    items: async (args, options) => (await succeed(args, options)).toString("latin1").split("\0").slice(0, -1),
  };
}

/** The same git with more in its environment; what a call brings itself comes first, `pinned` last. */
export function gitWith(git: Git, env: Record<string, string>, pinned: Record<string, string> = {}): Git {
  const add = (options: GitOptions = {}) => ({ ...options, env: { ...env, ...options.env, ...pinned } });
  return {
    run: (args, options) => git.run(args, add(options)),
    text: (args, options) => git.text(args, add(options)),
    items: (args, options) => git.items(args, add(options)),
  };
}

/** What the system says, by itself or through git, when it has no more to give. */
const TROUBLE =
  /\b(EMFILE|ENFILE|ENOSPC|EDQUOT|ENOMEM|EAGAIN)\b|No space left on device|Disk quota exceeded|Too many open files|Cannot allocate memory|Resource temporarily unavailable/;

/**
 * Turns a failure of git or of the file system into a refusal; anything else is our own bug and goes on. Throws
 * `MachineTrouble` for what is neither the repository's doing nor anybody's work.
 */
export function refusalOf(error: unknown): WorkspaceRefusal {
  const { syscall, message } = error as NodeJS.ErrnoException;
  if (error instanceof Error && syscall !== undefined && TROUBLE.test(message)) throw new MachineTrouble(message);
  if (error instanceof Error && syscall !== undefined) return { code: "unreadable", text: message };
  if (!(error instanceof GitFailure)) throw error;
  return { code: /not a git repository/.test(error.message) ? "missing" : "git", text: error.message };
}

function failure(text: string): GitFailure | MachineTrouble {
  return TROUBLE.test(text) ? new MachineTrouble(text) : new GitFailure(text);
}

function runGit(dir: string, args: string[], options: GitOptions): Promise<GitResult> {
  return new Promise((resolve, reject) => {
    const child = spawn("git", [...SETTINGS, ...args], {
      cwd: dir,
      env: { ...gitEnv(dir), ...options.env },
    });
    // Without a process there are no streams either, where the system had no more files to give.
    if (child.pid === undefined) {
      child.once("error", (error) => reject(failure(whyNot(dir, error))));
      return;
    }
    // Not the platform's own limit: its timer lives on when the program is missing, and the process with it.
    const limitMs = options.limitMs ?? TIME_LIMIT_MS;
    let isOver = false;
    const limit = setTimeout(() => {
      isOver = true;
      child.kill("SIGKILL");
    }, limitMs);
    const stdout: Buffer[] = [];
    let size = 0;
    let stderr = "";
    child.stdout.on("data", (chunk: Buffer) => {
      size += chunk.length;
      if (size > OUTPUT_BYTES_MAX) child.kill("SIGKILL");
      else stdout.push(chunk);
    });
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      if (stderr.length < STDERR_BYTES_MAX) stderr += text;
    });
    child.once("error", (error) => {
      clearTimeout(limit);
      reject(new GitFailure(`git ${args[0]} went out of hand in ${dir}: ${error.message}`));
    });
    // Git ends without reading its input only when it fails, and then its exit says so.
    child.stdin.on("error", () => child.stdin.destroy());
    child.stdin.end(options.input ?? "");
    child.once("close", (code, signal) => {
      clearTimeout(limit);
      if (isOver) reject(new GitFailure(`git ${args[0]} was not done after ${limitMs / 1_000} s in ${dir}`));
      else if (size > OUTPUT_BYTES_MAX) reject(new GitFailure(`git ${args[0]} printed too much in ${dir}`));
      else if (code === null) reject(new GitKilled(`git ${args[0]} was ended by ${signal} in ${dir}`));
      else resolve({ code, stdout: Buffer.concat(stdout), stderr });
    });
  });
}

function gitEnv(dir: string): NodeJS.ProcessEnv {
  const env: NodeJS.ProcessEnv = { ...process.env };
  for (const name of STRIPPED) delete env[name];
  // The list of ceilings knows no way to write a colon, so there the repository is named outright.
  const here = dir.includes(delimiter)
    ? { GIT_DIR: join(dir, ".git"), GIT_WORK_TREE: dir }
    : { GIT_CEILING_DIRECTORIES: dirname(dir) };
  return {
    ...env,
    ...here,
    LC_ALL: "C",
    GIT_TERMINAL_PROMPT: "0",
    GIT_NO_REPLACE_OBJECTS: "1",
    GIT_OPTIONAL_LOCKS: "0",
  };
}

function whyNot(dir: string, error: NodeJS.ErrnoException): string {
  if (error.code !== "ENOENT") return `git cannot be started: ${error.message}`;
  const exists = statSync(dir, { throwIfNoEntry: false }) !== undefined;
  return exists
    ? "git is not installed, or not on the PATH: install git 2.30 or later"
    : `the directory is gone: ${dir}`;
}
