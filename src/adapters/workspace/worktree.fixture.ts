/** A real repository for each test, its attempts in worktrees outside of it. */

import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeEach, expect } from "vitest";
import type { Locks } from "../../ports/locks.ts";
import type { Processes } from "../../ports/processes.ts";
import type { Candidate, OpenedWorkspace, OpenOptions, Workspace, WorkspaceTask } from "../../ports/workspace.ts";
import { worktreeWorkspace } from "./worktree.ts";
import type { WorktreeOptions } from "./worktree-settings.ts";

export const TARGET = "refs/heads/lockstep/p";
export const a1: WorkspaceTask = { plan: "p", slug: "a", n: 1 };
export const a2: WorkspaceTask = { plan: "p", slug: "a", n: 2 };
export const a3: WorkspaceTask = { plan: "p", slug: "a", n: 3 };
export const b1: WorkspaceTask = { plan: "p", slug: "b", n: 1 };
export const c1: WorkspaceTask = { plan: "p", slug: "c", n: 1 };

const parent = realpathSync(mkdtempSync(join(tmpdir(), `lockstep "worktree" it's 工作 `)));
/** A hundred repositories with their clones are many files for a busy disk. */
const REMOVAL_MS = 120_000;
afterAll(() => rmSync(parent, { recursive: true, force: true }), REMOVAL_MS);

/** Where the attempts of `placeWith` work. */
export let mode: "worktree" | "clone" = "worktree";

/** Call it in a file that imports tests of worktrees: there they are tests of clones. */
export function workInClones(): void {
  mode = "clone";
}

let repositories = 0;
/** The user's checkout. */
export let root: string;
export let stateDir: string;

/** One at a time, in the order of asking. */
function queue(): Locks {
  let last: Promise<void> = Promise.resolve();
  return {
    acquire: async (file) => {
      expect(file.endsWith("/.git/lockstep/git-serial.db")).toBe(true);
      const before = last;
      let release = (): void => undefined;
      last = new Promise((resolve) => {
        release = resolve;
      });
      await before;
      return release;
    },
  };
}

/** Only these are asked for where no setup runs. */
export function processesOf(pid: number): Processes {
  const identity = { node: "n", boot: "b", pid, start: "s" };
  return { self: () => identity, alive: (other) => other.pid === process.pid } as Partial<Processes> as Processes;
}

export function placeWith(options: Partial<WorktreeOptions> = {}, dir = root): Workspace {
  const rest = { mode, slots: 3, landMode: "merge", ...options } as const;
  return worktreeWorkspace(dir, { locks: queue(), processes: processesOf(process.pid), stateDir, ...rest });
}

export function gitAt(dir: string, ...args: string[]): string {
  const identity = ["-c", "user.name=A Person", "-c", "user.email=person@localhost"];
  return execFileSync("git", [...identity, ...args], {
    cwd: dir,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "pipe"],
  }).trimEnd();
}

export function git(...args: string[]): string {
  return gitAt(root, ...args);
}

export function writeAt(dir: string, name: string, text: string): void {
  mkdirSync(join(dir, name, ".."), { recursive: true });
  writeFileSync(join(dir, name), text);
}

export function readAt(dir: string, name: string): string {
  return readFileSync(join(dir, name), "utf8");
}

export function commitAll(dir: string, message: string): string {
  gitAt(dir, "add", "-A");
  gitAt(dir, "commit", "-q", "-m", message);
  return gitAt(dir, "rev-parse", "HEAD");
}

export async function open(
  place: Workspace,
  task: WorkspaceTask,
  options: Partial<OpenOptions> = {},
): Promise<OpenedWorkspace> {
  const opened = await place.open(task, { resume: false, ...options });
  if ("code" in opened) throw new Error(opened.text);
  return opened;
}

export function messageOf(task: WorkspaceTask): string {
  return `Work of ${task.slug}\n\nLockstep-Task: ${task.slug}\n`;
}

export function ask(place: Workspace, task: WorkspaceTask, protect: string[] = []): ReturnType<Workspace["candidate"]> {
  return place.candidate({ ...task, base: null, message: messageOf(task), protect });
}

export async function candidate(place: Workspace, task: WorkspaceTask): Promise<Candidate> {
  const made = await ask(place, task);
  if ("code" in made) throw new Error(made.text);
  return made;
}

/** An attempt that does something and is green. */
export async function land(place: Workspace, task: WorkspaceTask, work: (dir: string) => void): Promise<Candidate> {
  work((await open(place, task)).dir);
  const made = await candidate(place, task);
  expect(await place.land(task, made)).toEqual({ landed: true });
  return made;
}

/** All that must not change in the user's checkout. */
export function checkoutOf(dir: string): unknown {
  const index = statSync(join(dir, ".git", "index"), { bigint: true });
  const head = readFileSync(join(dir, ".git", "HEAD"), "utf8");
  const config = readFileSync(join(dir, ".git", "config"), "utf8");
  const exclude = readFileSync(join(dir, ".git", "info", "exclude"), "utf8");
  const status = gitAt(dir, "--no-optional-locks", "status", "--porcelain=v2", "--ignored");
  const main = gitAt(dir, "rev-parse", "main");
  return { index: [index.ino, index.mtimeNs, index.size], head, config, exclude, status, main };
}

beforeEach(() => {
  repositories += 1;
  root = join(parent, `repository ${repositories}`);
  stateDir = join(parent, `state ${repositories}`);
  mkdirSync(root);
  git("init", "-q", "-b", "main");
  writeAt(root, ".gitignore", "ignored\nnode_modules\n");
  writeAt(root, "a.txt", "one\ntwo\nthree\nfour\nfive\n");
  commitAll(root, "first");
});
