import { existsSync, lstatSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import {
  a1,
  a2,
  b1,
  candidate,
  commitAll,
  git,
  gitAt,
  land,
  open,
  placeWith,
  readAt,
  root,
  stateDir,
  TARGET,
  workInClones,
  writeAt,
} from "./worktree.fixture.ts";

beforeEach(workInClones);

test("nothing of a clone is a file of the repository", async () => {
  const { dir } = await open(placeWith(), a1);
  expect(gitAt(dir, "rev-parse", "--git-common-dir")).toBe(".git");
  const [object] = gitAt(dir, "rev-parse", "HEAD").match(/^../) ?? [];
  const name = join("objects", object!, gitAt(dir, "rev-parse", "HEAD").slice(2));
  expect(lstatSync(join(dir, ".git", name)).ino).not.toBe(lstatSync(join(root, ".git", name)).ino);
  expect(existsSync(join(dir, ".git/objects/info/alternates"))).toBe(false);
});

test("a checkout that is sparse and a history that is cut off do no harm", async () => {
  writeAt(root, "far/b.txt", "1");
  commitAll(root, "second");
  git("sparse-checkout", "set", "near");
  const cut = join(stateDir, "..", "cut off");
  git("clone", "-q", "--depth=1", `file://${root}`, cut);
  for (const top of [root, cut]) {
    const place = placeWith({ stateDir: `${stateDir} of ${top === root}` }, top);
    const { dir } = await open(place, a1);
    expect(readAt(dir, "far/b.txt")).toBe("1");
    writeAt(dir, "x", "1");
    const work = commitAll(dir, "by the agent");
    const made = await candidate(place, a1);
    expect(await place.land(a1, made)).toEqual({ landed: true });
    expect(gitAt(top, "log", "--format=%H", TARGET)).toContain(work);
  }
});

test("a repository that is a partial clone is refused", async () => {
  git("config", "remote.origin.promisor", "true");
  expect(await placeWith().inspect("p")).toEqual({
    code: "git",
    text: "the workspace mode clone needs every object, and this repository is a partial clone: use the mode worktree, or clone it anew without --filter",
  });
});

test("the pool serves either mode, and what one has saved the other finds", async () => {
  const clones = placeWith();
  const { dir } = await open(clones, a1);
  writeAt(dir, "x", "1");
  commitAll(dir, "by the agent");
  await clones.save(a1);
  const worktrees = placeWith({ mode: "worktree" });
  const again = await open(worktrees, a2, { resume: true });
  expect([again.dir, readAt(dir, "x"), lstatSync(join(dir, ".git")).isFile()]).toEqual([dir, "1", true]);
  await worktrees.save(a2);
  await land(clones, b1, (place) => writeAt(place, "b", "1"));
  expect(existsSync(join(dir, "..", "1.repository"))).toBe(false);
});

test("a place whose clone was taken over is freed, with what is noted of it", async () => {
  const place = placeWith();
  const { dir } = await open(place, a1);
  gitAt(dir, "switch", "-q", "-c", "mine");
  writeAt(dir, "x", "1");
  commitAll(dir, "by the agent");
  await place.save(a1);
  const freed = await place.reclaim({ dry_run: false, landedOn: async () => null });
  expect(freed).toMatchObject({ freed: [{ kind: "worktree", name: "1" }] });
  expect([existsSync(dir), existsSync(`${dir}.clone.json`)]).toEqual([false, false]);
});
