import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import {
  a1,
  a2,
  ask,
  b1,
  candidate,
  checkoutOf,
  commitAll,
  git,
  gitAt,
  land,
  mode,
  open,
  placeWith,
  readAt,
  root,
  stateDir,
  TARGET,
  writeAt,
} from "./worktree.fixture.ts";

function filesOf(commit: string | null): string {
  return git("ls-tree", "-r", "--name-only", commit!);
}

describe("an agent that", () => {
  test("leaves the index dirty loses nothing", async () => {
    const place = placeWith();
    const { dir } = await open(place, a1);
    writeAt(dir, "staged", "1");
    gitAt(dir, "add", "staged");
    gitAt(dir, "rm", "-q", "--cached", "a.txt");
    writeAt(root, ".git/worktrees/1/index.lock", "");
    const made = await candidate(place, a1);
    expect(filesOf(made.commit)).toBe(".gitignore\na.txt\nstaged");
  });

  test("switches to a branch of its own and commits there has worked", async () => {
    const place = placeWith();
    const { dir } = await open(place, a1);
    gitAt(dir, "switch", "-q", "-c", "mine");
    writeAt(dir, "x", "1");
    const mine = commitAll(dir, "mine");
    writeAt(dir, "y", "1");
    const made = await candidate(place, a1);
    expect(filesOf(made.commit)).toBe(".gitignore\na.txt\nx\ny");
    expect(git("rev-parse", mode === "clone" ? "refs/lockstep/branches/p/a/1/mine" : "mine")).toBe(mine);
    const head = mode === "clone" ? "mine" : "lockstep-work/p/a";
    expect(gitAt(dir, "symbolic-ref", "--short", "HEAD")).toBe(head);
    expect(await place.land(a1, made)).toEqual({ landed: true });
  });

  test("leaves a detached HEAD has worked", async () => {
    const place = placeWith();
    const { dir } = await open(place, a1);
    gitAt(dir, "checkout", "-q", "--detach");
    writeAt(dir, "x", "1");
    commitAll(dir, "mine");
    writeAt(root, ".git/worktrees/1/HEAD.lock", "");
    expect(filesOf((await candidate(place, a1)).commit)).toBe(".gitignore\na.txt\nx");
  });

  test("commits and goes away to another branch has worked", async () => {
    git("branch", "other");
    const place = placeWith();
    await land(place, b1, (dir) => writeAt(dir, "b", "1"));
    const { dir } = await open(place, a1);
    writeAt(dir, "x", "1");
    commitAll(dir, "mine");
    gitAt(dir, "switch", "-q", "other");
    const made = await candidate(place, a1);
    expect(filesOf(made.commit)).toBe(".gitignore\na.txt\nb\nx");
    expect(await candidate(place, a1)).toMatchObject({ tree: made.tree });
    git("switch", "-q", "other");
  });

  test("works on an unrelated branch is refused, and its work is kept", async () => {
    git("switch", "-q", "-c", "other");
    writeAt(root, "other", "1");
    const other = commitAll(root, "other");
    git("switch", "-q", "main");
    const place = placeWith();
    const { dir, base } = await open(place, a1);
    gitAt(dir, "reset", "-q", "--hard", base!);
    await land(place, b1, (elsewhere) => writeAt(elsewhere, "b", "1"));
    await place.save(a1);
    const again = await open(place, a2);
    gitAt(again.dir, "switch", "-q", "other");
    writeAt(again.dir, "x", "1");
    expect(await ask(place, a2)).toEqual({
      code: "wrong_branch",
      text: `the agent left lockstep-work/p/a for commit ${other.slice(0, 12)}, which does not build on what it was given, and changed files there: p/a#2 has to stay on its branch`,
    });
    expect(await place.save(a2)).toEqual({ saved: "refs/lockstep/saved/p/a/2" });
    expect(git("show", "refs/lockstep/saved/p/a/2:x")).toBe("1");
    expect(git("rev-parse", "other")).toBe(other);
    git("switch", "-q", "other");
  });

  test("resets its branch to an older commit takes back nobody's work", async () => {
    const place = placeWith();
    await land(place, b1, (dir) => writeAt(dir, "b", "1"));
    const { dir } = await open(place, a1);
    gitAt(dir, "reset", "-q", "--hard", "HEAD^");
    writeAt(dir, "x", "1");
    const made = await candidate(place, a1);
    expect(made.changed).toEqual([{ path: "x", status: "added" }]);
    expect(filesOf(made.commit)).toBe(".gitignore\na.txt\nb\nx");
  });

  test("amends the commit that it was given has worked, and the target's history stays", async () => {
    const place = placeWith();
    const { commit } = await land(place, b1, (dir) => writeAt(dir, "b", "1"));
    const { dir } = await open(place, a1);
    writeAt(dir, "x", "1");
    gitAt(dir, "add", "-A");
    gitAt(dir, "commit", "-q", "--amend", "-m", "amended");
    const made = await candidate(place, a1);
    expect(made.changed).toEqual([{ path: "x", status: "added" }]);
    expect(git("log", "--format=%P %s", "-1", made.commit!)).toBe(`${commit} Work of a`);
  });

  test.each([
    ["deletes .git", (dir: string) => rmSync(join(dir, ".git"), { recursive: true })],
    [
      "makes a repository in place of .git",
      (dir: string) => {
        rmSync(join(dir, ".git"), { recursive: true });
        gitAt(dir, "init", "-q");
        commitAll(dir, "a new life");
      },
    ],
    [
      "deletes what the repository knows of the worktree",
      () => rmSync(join(root, ".git", "worktrees", "1"), { recursive: true }),
    ],
    ["deletes its branch", (dir: string) => gitAt(dir, "update-ref", "-d", "refs/heads/lockstep-work/p/a")],
    ["breaks the index", () => truncateSync(join(root, ".git", "worktrees", "1", "index"), 20)],
  ])("%s has worked all the same", async (_, misbehave) => {
    const place = placeWith();
    const { dir } = await open(place, a1);
    writeAt(dir, "x", "1");
    misbehave(dir);
    const made = await candidate(place, a1);
    expect(filesOf(made.commit)).toBe(".gitignore\na.txt\nx");
    expect(await place.land(a1, made)).toEqual({ landed: true });
    expect(gitAt((await open(place, b1)).dir, "status", "--porcelain")).toBe("");
  });

  test("makes a repository inside is refused by name, and the files are kept", async () => {
    const place = placeWith();
    const { dir } = await open(place, a1);
    writeAt(dir, "x/y", "1");
    gitAt(join(dir, "x"), "init", "-q");
    const text = '"x" is a repository of its own, whose files git would leave out: remove its .git, or ignore it';
    expect(await ask(place, a1)).toEqual({ code: "nested_repository", text });
    commitAll(join(dir, "x"), "inside");
    expect(await ask(place, a1)).toEqual({ code: "nested_repository", text });
    expect(await place.save(a1)).toEqual({ saved: "refs/lockstep/saved/p/a/1" });
    expect(git("show", "refs/lockstep/saved/p/a/1:x/y")).toBe("1");
    expect(existsSync(join(stateDir, "worktrees", "1.repository-x_", "HEAD"))).toBe(true);
  });

  test.each(["--assume-unchanged", "--skip-worktree"])(
    "hides a file from git by %s hides it from no next attempt",
    async (how) => {
      const place = placeWith();
      const { dir } = await open(place, a1);
      gitAt(dir, "update-index", how, "a.txt");
      writeAt(dir, "a.txt", "hidden");
      await place.save(a1);
      await open(place, b1);
      expect(readAt(dir, "a.txt")).toBe("one\ntwo\nthree\nfour\nfive\n");
      writeAt(dir, "a.txt", "seen");
      expect((await candidate(place, b1)).changed).toEqual([{ path: "a.txt", status: "modified" }]);
    },
  );

  test("leaves a merge half done without resolving it is told where", async () => {
    git("switch", "-q", "-c", "other");
    writeAt(root, "a.txt", "other\n");
    commitAll(root, "other");
    git("switch", "-q", "main");
    const place = placeWith();
    const { dir } = await open(place, a1);
    writeAt(dir, "a.txt", "mine\n");
    commitAll(dir, "mine");
    expect(() => gitAt(dir, "merge", "-q", "other")).toThrow();
    const text = "conflicts were left unresolved in: a.txt";
    expect(await ask(place, a1)).toEqual({ code: "markers", text, files: ["a.txt"] });
  });

  test("makes a file of 200 MB is only slow", async () => {
    const place = placeWith();
    const { dir } = await open(place, a1);
    writeFileSync(join(dir, "big"), "");
    truncateSync(join(dir, "big"), 200 * 1024 * 1024);
    const made = await candidate(place, a1);
    expect(made.changed).toEqual([{ path: "big", status: "added" }]);
    expect(await place.land(a1, made)).toEqual({ landed: true });
  });

  test("writes into the user's checkout touches nothing that lands", async () => {
    const place = placeWith();
    await open(place, a1);
    const before = checkoutOf(root);
    writeAt(root, "a.txt", "an agent was here\n");
    const made = await candidate(place, a1);
    expect(made.changed).toEqual([]);
    writeAt(root, "a.txt", "one\ntwo\nthree\nfour\nfive\n");
    expect(checkoutOf(root)).toEqual(before);
  });
});

test("hooks of the repository run at none of lockstep's commits, checkouts and merges", async () => {
  for (const hook of ["pre-commit", "post-checkout", "post-commit", "reference-transaction", "post-merge"]) {
    writeFileSync(join(root, ".git", "hooks", hook), `#!/bin/sh\necho ${hook} >> "${root}/ignored"\nexit 1\n`, {
      mode: 0o755,
    });
  }
  const place = placeWith();
  await land(place, a1, (dir) => writeAt(dir, "x", "1"));
  expect(existsSync(join(root, "ignored"))).toBe(false);
  expect(git("log", "-1", "--format=%s", TARGET)).toBe("Work of a");
});

test("nobody needs to be configured to commit", async () => {
  const home = join(stateDir, "home");
  const { HOME, XDG_CONFIG_HOME } = process.env;
  Object.assign(process.env, { HOME: home, XDG_CONFIG_HOME: home });
  try {
    const place = placeWith();
    const { dir } = await open(place, a1);
    writeAt(dir, "x", "1");
    await place.save(a1);
    expect(await open(place, a2, { resume: true, merge_target: true })).toBeDefined();
    expect(readFileSync(join(dir, "x"), "utf8")).toBe("1");
    expect(execFileSync("git", ["log", "-1", "--format=%an", "lockstep-work/p/a"], { cwd: root }).toString()).toBe(
      "lockstep\n",
    );
  } finally {
    Object.assign(process.env, { HOME, XDG_CONFIG_HOME });
    if (XDG_CONFIG_HOME === undefined) delete process.env["XDG_CONFIG_HOME"];
  }
});
