import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { gitPlaces } from "./git-places.ts";

test("a worktree needs itself and what all worktrees share, but neither hooks nor settings of that to write", () => {
  const base = realpathSync(mkdtempSync(join(tmpdir(), "lockstep-git-")));
  onTestFinished(() => rmSync(base, { recursive: true, force: true }));
  const git = (...args: string[]): void => void execFileSync("git", ["-C", join(base, "main"), ...args]);
  mkdirSync(join(base, "main"));
  git("init", "--quiet");
  git("-c", "user.name=A", "-c", "user.email=a@b", "commit", "--quiet", "--allow-empty", "-m", "begin");
  git("worktree", "add", "--quiet", join(base, "tree"));
  mkdirSync(join(base, "tree/below"));
  const common = join(base, "main/.git");
  const readable = [join(common, "hooks"), join(common, "config")];
  expect(gitPlaces(join(base, "tree/below"))).toEqual({ writable: [join(base, "tree"), common], readable });
  expect(gitPlaces(join(base, "main"))).toEqual({ writable: [join(base, "main"), common], readable });
  expect(gitPlaces(base)).toEqual({ writable: [], readable: [] });
});
