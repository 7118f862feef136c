/** A real repository of many small files, worked on in worktrees, and bare commands beside it. */

import { execFileSync, spawn } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

const IDENTITY = ["-c", "user.name=Bench", "-c", "user.email=bench@localhost"];

/** Makes `dir` a repository with so many files in one commit. */
export function makeRepository(dir: string, files: number): void {
  for (let i = 0; i < files; i++) {
    const file = join(dir, `src/d${i % 50}/f${i}.txt`);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, `file ${i}\n${"line\n".repeat(20)}`);
  }
  git(dir, "init", "-q", "-b", "main");
  for (const setting of IDENTITY.filter((each) => each !== "-c")) git(dir, "config", ...setting.split("="));
  git(dir, "add", "-A");
  git(dir, "commit", "-q", "-m", "first");
}

export function git(dir: string, ...args: string[]): string {
  return execFileSync("git", [...IDENTITY, ...args], { cwd: dir, encoding: "utf8" }).trim();
}

/** Runs a program as the engine would: without blocking, its output read. */
export function bare(dir: string, program: string, ...args: string[]): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { cwd: dir, stdio: ["ignore", "pipe", "ignore"] });
    let text = "";
    child.stdout.setEncoding("utf8").on("data", (part: string) => {
      text += part;
    });
    child.on("error", reject).on("close", () => resolve(text.trim()));
  });
}

/** From a clean place to a moved branch by bare git, without a check: what no engine can do without. */
export async function bareLanding(work: string, main: string, file: string | null): Promise<void> {
  const tip = await bare(work, "git", "rev-parse", "refs/heads/bare");
  await bare(work, "git", "reset", "-q", "--hard", tip);
  await bare(work, "git", "clean", "-fdq");
  if (file !== null) writeFileSync(join(work, file), "changed\n");
  await bare(work, "git", "add", "-A");
  const tree = await bare(work, "git", "write-tree");
  if (file === null) return;
  const commit = await bare(work, "git", ...IDENTITY, "commit-tree", tree, "-p", tip, "-m", "work");
  await bare(main, "git", "update-ref", "refs/heads/bare", commit, tip);
}
