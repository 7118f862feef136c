import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { type Git, gitIn } from "./git.ts";
import { readRefs } from "./read-refs.ts";
import { git, root } from "./worktree.fixture.ts";

/** What git sees of a work tree in the moment in which another process makes it. */
function halfMade(): string {
  const dir = join(root, ".git/worktrees/half");
  mkdirSync(dir, { recursive: true });
  writeFileSync(join(dir, "gitdir"), `${join(root, "elsewhere/.git")}\n`);
  writeFileSync(join(dir, "HEAD"), "ref: refs/heads/main\n");
  writeFileSync(join(dir, "commondir"), "");
  return dir;
}

test("a work tree that another process makes just now is waited for", async () => {
  const dir = halfMade();
  const real = gitIn(root);
  const failures: string[] = [];
  const watched: Git = {
    ...real,
    text: (args, options) =>
      real.text(args, options).catch((error: Error) => {
        failures.push(error.message);
        rmSync(dir, { recursive: true });
        throw error;
      }),
  };
  const refs = await readRefs(watched, ["refs/heads/main"]);
  expect(refs.get("refs/heads/main")?.commit).toBe(git("rev-parse", "main"));
  expect(failures).toEqual([expect.stringContaining("worktrees/half/commondir")]);
});

test("a work tree that stays half made is told as it is", async () => {
  halfMade();
  await expect(readRefs(gitIn(root), ["refs/heads/main"])).rejects.toThrow("worktrees/half/commondir");
});
