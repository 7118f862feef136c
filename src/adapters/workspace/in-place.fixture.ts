/** A real repository for each test, and what a person, an agent and the engine do in it. */

import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeEach, expect } from "vitest";
import type { Locks } from "../../ports/locks.ts";
import type { Candidate, OpenedWorkspace, Workspace, WorkspaceTask } from "../../ports/workspace.ts";
import { inPlaceRepository } from "./in-place-repository.ts";

export const MAIN = "refs/heads/main";
export const parent = realpathSync(mkdtempSync(join(tmpdir(), `lockstep "in place" it's `)));
afterAll(() => rmSync(parent, { recursive: true, force: true }));

let held = 0;
export const locks: Locks = {
  acquire: async (file) => {
    expect(file.endsWith("/.git/lockstep/git-serial.db")).toBe(true);
    expect(held).toBe(0);
    held += 1;
    return () => {
      held -= 1;
    };
  },
};

export const a1: WorkspaceTask = { plan: "p", slug: "a", n: 1 };
export const a2: WorkspaceTask = { plan: "p", slug: "a", n: 2 };
export const b1: WorkspaceTask = { plan: "p", slug: "b", n: 1 };
export let repositories = 0;
export let root: string;
export let place: Workspace;

/** Tests that work somewhere else say so. */
export function setRoot(dir: string): void {
  root = dir;
}

export function setPlace(workspace: Workspace): void {
  place = workspace;
}

export function git(...args: string[]): string {
  const identity = ["-c", "user.name=A Person", "-c", "user.email=person@localhost"];
  return execFileSync("git", [...identity, ...args], {
    cwd: root,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "pipe"],
  }).trimEnd();
}

export function write(name: string | Buffer, text: string): void {
  writeFileSync(typeof name === "string" ? join(root, name) : Buffer.concat([Buffer.from(`${root}/`), name]), text);
}

export function commit(message: string): string {
  git("add", "-A");
  git("commit", "-q", "-m", message);
  return git("rev-parse", "HEAD");
}

export async function open(task: WorkspaceTask, resume = false): Promise<OpenedWorkspace> {
  const opened = await place.open(task, { resume });
  if ("code" in opened) throw new Error(opened.text);
  return opened;
}

export async function candidate(task: WorkspaceTask, base: string | null): Promise<Candidate> {
  const made = await place.candidate({ ...task, base, message: `Work of ${task.slug}` });
  if ("code" in made) throw new Error(made.text);
  return made;
}

/** An attempt that does something and is green. */
export async function land(task: WorkspaceTask, work: () => void): Promise<Candidate> {
  const { base } = await open(task);
  work();
  const made = await candidate(task, base);
  expect(await place.land(task, made)).toEqual({ landed: true });
  return made;
}

beforeEach(() => {
  repositories += 1;
  root = join(parent, `repository ${repositories}`);
  mkdirSync(root);
  git("init", "-q", "-b", "main");
  write(".gitignore", "ignored\n");
  write("a.txt", "one\n");
  commit("first");
  place = inPlaceRepository(root, { locks });
});
