import { copyFileSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { Candidate, WorkspaceTask } from "../../ports/workspace.ts";
import { checkoutAt } from "./checkout.ts";
import {
  a1,
  a2,
  b1,
  candidate,
  commit,
  git,
  land,
  locks,
  MAIN,
  open,
  parent,
  place,
  repositories,
  root,
  setPlace,
  setRoot,
  write,
} from "./in-place.fixture.ts";
import { moveTarget } from "./in-place-land.ts";
import { inPlaceRepository } from "./in-place-repository.ts";

describe("a place that cannot be used is refused, and stays as it is", () => {
  test("a repository without a commit", async () => {
    rmSync(join(root, ".git"), { recursive: true });
    git("init", "-q");
    const refusal = {
      code: "no_commits",
      text: "the repository has no commit yet: work starts from one; make it with `git commit`",
    };
    expect(await place.inspect()).toEqual(refusal);
    expect(await place.open(a1, { resume: false })).toEqual(refusal);
  });

  test("a bare repository", async () => {
    const bare = join(parent, `bare ${repositories}`);
    git("clone", "-q", "--bare", root, bare);
    const refusal = {
      code: "bare_repository",
      text: "the repository is bare: lockstep needs a checkout to work in; clone it and run there",
    };
    const workspace = inPlaceRepository(bare, { locks });
    expect(await workspace.inspect()).toEqual(refusal);
    expect(await workspace.open(a1, { resume: false })).toEqual(refusal);
  });

  test("a detached HEAD", async () => {
    git("checkout", "-q", "--detach");
    const refusal = {
      code: "detached_head",
      text: "HEAD is detached: work lands on a branch; switch to one with `git switch BRANCH`",
    };
    expect(await place.inspect()).toEqual(refusal);
    expect(await place.open(a1, { resume: false })).toEqual(refusal);
  });

  test("a directory without a repository, and one that is gone", async () => {
    rmSync(join(root, ".git"), { recursive: true });
    const refusal = {
      code: "missing",
      text: `no git repository at ${root}: its .git is gone or broken; restore it, or run \`git init\``,
    };
    expect(await place.inspect()).toEqual(refusal);
    expect(await place.open(a1, { resume: false })).toEqual(refusal);
    rmSync(root, { recursive: true });
    expect(await place.inspect()).toEqual({ code: "git", text: `the directory is gone: ${root}` });
  });

  test("another branch than the one that the plan lands on", async () => {
    expect(await place.open(a1, { resume: false, target: "refs/heads/other" })).toEqual({
      code: "wrong_branch",
      text: "the plan lands on other, but main is checked out: `git switch other`",
    });
    expect(await place.open(a1, { resume: false, target: MAIN })).toMatchObject({ target: MAIN });
  });

  test("a checkout that is not clean: at most five files are named", async () => {
    expect(await place.inspect()).toEqual({ target: MAIN });
    write("a.txt", "changed\n");
    for (const name of ["b", "c d", "e\nf", "g", "h"]) write(name, "");
    write("ignored", "");
    expect(await place.open(a1, { resume: false })).toEqual({
      code: "not_clean",
      text: "the checkout has changes that lockstep did not make: a.txt, b, c d, e\\nf, g and 1 more; commit them, or put them away with `git stash -u`",
    });
    expect(git("status", "--porcelain", "-z").split("\0")).toHaveLength(7);
    expect(await place.inspect()).toEqual({ target: MAIN });
  });

  test("a lock that another process keeps", async () => {
    const busy = inPlaceRepository(root, { locks: { acquire: async () => null } });
    expect(await busy.open(a1, { resume: false })).toMatchObject({ code: "busy" });
    expect(
      await busy.land(a1, { dir: root, target: MAIN, tip: "x", commit: "y", tree: "z", changed: [] }),
    ).toMatchObject({
      landed: false,
      reason: "busy",
    });
  });

  test("no git", async () => {
    const path = process.env["PATH"];
    process.env["PATH"] = parent;
    try {
      expect(await place.inspect()).toEqual({
        code: "git",
        text: "git is not installed, or not on the PATH: install git 2.30 or later",
      });
    } finally {
      process.env["PATH"] = path;
    }
  });
});

test("looking says what opening would, and changes nothing", async () => {
  const look = (of: WorkspaceTask, resume = false) => place.probe(of, { resume });
  const before = git("rev-parse", "main", "main^{tree}").split("\n");
  const clean = { dir: root, target: MAIN, base: before[0], tree: before[1] };
  expect(await look(a1)).toEqual(clean);
  expect(await place.opened()).toBeNull();
  expect(existsSync(join(root, ".git/lockstep"))).toBe(false);

  const { base } = await open(a1);
  expect(await place.opened()).toEqual(a1);
  write("b", "1");
  expect(await look(b1)).toMatchObject({ code: "not_clean" });
  const made = await candidate(a1, base);
  expect(await place.opened()).toEqual(a1);
  await place.save(a1);
  expect(await place.opened()).toBeNull();
  expect(await look(a2, true)).toEqual(clean);
  expect(await look(b1)).toEqual(clean);
  expect(readFileSync(join(root, "b"), "utf8")).toBe("1");

  await open(a2, true);
  await moveTarget(checkoutAt(root)!, a2, made);
  expect(await place.opened()).toEqual(a2);
  expect(await look(b1)).toMatchObject({ target: MAIN, base: made.commit });
  expect(git("status", "--porcelain")).not.toBe("");
  expect(await place.save(a2)).toEqual({ saved: null });
  expect(git("status", "--porcelain")).toBe("");
  expect(await place.opened()).toBeNull();
});

test("a colon in the path is no hindrance", async () => {
  setRoot(join(parent, `with:colon ${repositories}`));
  mkdirSync(root);
  git("init", "-q", "-b", "main");
  write("x", "");
  commit("first");
  setPlace(inPlaceRepository(root, { locks }));
  await land(a1, () => write("b", "1"));
  expect(git("show", "HEAD:b")).toBe("1");
});

test("a linked work tree is a checkout like any other, with a record of its own", async () => {
  const linked = join(parent, `linked ${repositories}`);
  git("worktree", "add", "-q", "-b", "side", linked);
  const side = inPlaceRepository(linked, { locks });
  const opened = await side.open(b1, { resume: false });
  expect(opened).toMatchObject({ dir: linked, target: "refs/heads/side" });
  await open(a1);
  writeFileSync(join(linked, "b"), "1");
  const made = await side.candidate({ ...b1, base: null, message: "m" });
  expect(made).toMatchObject({ target: "refs/heads/side", changed: [{ path: "b", status: "added" }] });
  expect(await side.land(b1, made as Candidate)).toEqual({ landed: true });
  copyFileSync(join(linked, "b"), join(root, "c"));
  renameSync(join(root, "c"), join(root, "b"));
  expect(await place.save(a1)).toEqual({ saved: "refs/lockstep/saved/p/a/1" });
});
