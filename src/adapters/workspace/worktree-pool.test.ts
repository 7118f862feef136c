import { existsSync, mkdirSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import {
  a1,
  a2,
  a3,
  b1,
  c1,
  candidate,
  commitAll,
  git,
  gitAt,
  land,
  mode,
  open,
  placeWith,
  processesOf,
  readAt,
  root,
  stateDir,
  TARGET,
  writeAt,
} from "./worktree.fixture.ts";

function slot(name: string): string {
  return join(stateDir, "worktrees", name);
}

describe("a worktree that was used before", () => {
  test("is reset and not made again: ignored files stay, all else goes", async () => {
    const place = placeWith();
    await land(place, a1, (dir) => {
      writeAt(dir, "node_modules/x", "1");
      writeAt(dir, "a.txt", "changed");
    });
    const inode = statSync(slot("1")).ino;
    writeAt(slot("1"), "stray", "1");
    const { dir } = await open(place, b1);
    expect(dir).toBe(slot("1"));
    expect(statSync(dir).ino).toBe(inode);
    expect(readAt(dir, "node_modules/x")).toBe("1");
    expect(readAt(dir, "a.txt")).toBe("changed");
    expect(existsSync(join(dir, "stray"))).toBe(false);
  });

  test("is preferred for the task that had it", async () => {
    const place = placeWith();
    await open(place, a1);
    await open(place, b1);
    await place.save(a1);
    await place.save(b1);
    expect((await open(place, { ...b1, n: 2 })).dir).toBe(slot("2"));
  });
});

test("no more attempts work at once than there are slots", async () => {
  const place = placeWith({ slots: 2 });
  await open(place, a1);
  await open(place, b1);
  const refusal = { code: "no_slot", text: "all 2 worktrees are in use (p/a#1, p/b#1): wait until one of these ends" };
  expect(await place.open(c1, { resume: false })).toEqual(refusal);
  expect(await place.probe(c1, { resume: false })).toEqual(refusal);
  await place.save(a1);
  expect((await open(place, c1)).dir).toBe(slot("1"));
});

test("fewer slots than attempts at work let nobody else in", async () => {
  const place = placeWith();
  await open(place, a1);
  await open(place, b1);
  await place.save(a1);
  expect(await placeWith({ slots: 1 }).open(c1, { resume: false })).toMatchObject({ code: "no_slot" });
});

test("eight attempts that start at the same moment have eight places", async () => {
  const place = placeWith({ slots: 8 });
  const tasks = Array.from({ length: 8 }, (_, index) => ({ plan: "p", slug: `t${index}`, n: 1 }));
  const opened = await Promise.all(tasks.map((task) => open(place, task)));
  expect(new Set(opened.map(({ dir }) => dir)).size).toBe(8);
  for (const { dir } of opened) expect(gitAt(dir, "status", "--porcelain")).toBe("");
});

test("looking changes nothing", async () => {
  const place = placeWith();
  const base = git("rev-parse", "main");
  const tree = git("rev-parse", "main^{tree}");
  expect(await place.probe(a1, { resume: false })).toEqual({ dir: slot("1"), target: TARGET, base, tree });
  expect(git("for-each-ref", "--format=%(refname)")).toBe("refs/heads/main");
  expect(await place.occupied()).toEqual([]);
  expect(existsSync(stateDir)).toBe(false);
});

test("an attempt that is opened twice keeps its place and its files", async () => {
  const place = placeWith();
  const first = await open(place, a1);
  writeAt(first.dir, "x", "1");
  expect(await open(place, a1)).toEqual(first);
  expect(readAt(first.dir, "x")).toBe("1");
});

describe("the next attempt of a task", () => {
  test("that goes on finds the earlier work uncommitted, and it lands as one commit", async () => {
    const place = placeWith();
    const { dir, base } = await open(place, a1);
    writeAt(dir, "x", "1");
    expect(await place.save(a1)).toEqual({ saved: "refs/lockstep/saved/p/a/1" });
    await land(place, b1, (other) => writeAt(other, "b", "1"));
    const again = await open(place, a2, { resume: true });
    expect(again).toMatchObject({ base, target: TARGET });
    expect(gitAt(again.dir, "status", "--porcelain")).toBe("A  x");
    writeAt(again.dir, "y", "1");
    const made = await candidate(place, a2);
    expect(await place.save(a2)).toEqual({ saved: "refs/lockstep/saved/p/a/2" });
    const third = await open(place, a3, { resume: true });
    expect(gitAt(third.dir, "status", "--porcelain")).toBe("A  x\nA  y");
    expect(await candidate(place, a3)).toMatchObject({ tree: made.tree });
    expect(git("log", "--format=%s", `main..lockstep-work/p/a`)).toBe("Work of a");
  });

  test("that starts afresh finds none of it, and it is kept", async () => {
    const place = placeWith();
    const { dir } = await open(place, a1);
    writeAt(dir, "x", "1");
    await place.save(a1);
    const again = await open(place, a2);
    expect(existsSync(join(again.dir, "x"))).toBe(false);
    expect(git("show", "refs/lockstep/saved/p/a/1:x")).toBe("1");
  });

  test("saves what an attempt left that nobody ended", async () => {
    const place = placeWith();
    const { dir } = await open(place, a1);
    writeAt(dir, "x", "1");
    const again = await open(place, a2, { resume: true });
    expect(await place.occupied()).toEqual([a2]);
    expect(git("show", "refs/lockstep/saved/p/a/1:x")).toBe("1");
    expect(readAt(again.dir, "x")).toBe("1");
  });

  test("keeps work whose only name is the work branch before it starts afresh", async () => {
    const place = placeWith();
    const { dir } = await open(place, a1);
    writeAt(dir, "x", "1");
    const { commit } = await candidate(place, a1);
    rmSync(join(stateDir, "worktrees", "1.taken.json"));
    await open(place, a2);
    expect(git("rev-parse", "refs/lockstep/saved/p/a/1")).toBe(commit);
  });
});

test("an attempt that did nothing leaves nothing", async () => {
  const place = placeWith();
  await open(place, a1);
  expect(await place.save(a1)).toEqual({ saved: null });
  expect(await place.save(a1)).toEqual({ saved: null });
  expect(git("for-each-ref", "refs/lockstep")).toBe("");
});

test("work that was given back is checked from its branch", async () => {
  const place = placeWith();
  const { dir } = await open(place, a1);
  writeAt(dir, "x", "1");
  await place.save(a1);
  const made = await candidate(place, a1);
  expect(made.changed).toEqual([{ path: "x", status: "added" }]);
  expect(readAt(made.dir, "x")).toBe("1");
});

describe("after a crash", () => {
  test("a worktree that is half made is made anew", async () => {
    mkdirSync(join(slot("1"), "half"), { recursive: true });
    const note = { git_name: null, setup_key: null, setup_process: null, last: null };
    writeFileSync(`${slot("1")}.json`, JSON.stringify(note));
    const { dir } = await open(placeWith(), a1);
    expect(dir).toBe(slot("1"));
    expect(gitAt(dir, "status", "--porcelain")).toBe("");
  });

  test("a worktree whose folder is gone is made anew, and the user's other worktrees stay listed", async () => {
    const place = placeWith();
    await open(place, a1);
    await place.save(a1);
    const users = join(stateDir, "users");
    git("worktree", "add", "-q", "--detach", users);
    rmSync(users, { recursive: true });
    rmSync(slot("1"), { recursive: true });
    await open(place, b1);
    expect(git("worktree", "list", "--porcelain")).toContain(users);
    expect(git("worktree", "list", "--porcelain")).toContain(slot("1"));
  });

  test("an opening that was cut off gives its slot and the earlier work back", async () => {
    const dying = placeWith({ slots: 1, processes: processesOf(1) });
    const { dir } = await open(dying, a1);
    writeAt(dir, "x", "1");
    await dying.save(a1);
    const saved = git("rev-parse", "refs/lockstep/saved/p/a/1");
    await open(dying, a2, { resume: true });
    const file = join(stateDir, "worktrees", "1.taken.json");
    const marker = JSON.parse(readAt(stateDir, "worktrees/1.taken.json")) as object;
    writeFileSync(file, JSON.stringify({ ...marker, state: "preparing" }));
    const place = placeWith({ slots: 1 });
    await open(place, b1);
    expect(await place.occupied()).toEqual([b1]);
    expect(git("rev-parse", "lockstep-work/p/a")).toBe(saved);
  });

  test("a directory in the way that is not lockstep's is left alone", async () => {
    writeAt(slot("1"), "x", "a person's");
    expect((await open(placeWith(), a1)).dir).toBe(slot("2"));
    expect(readAt(slot("1"), "x")).toBe("a person's");
    await placeWith({ slots: 2 }).save(a1);
    rmSync(slot("2"), { recursive: true });
    const text = `${slot("1")} is in the way: lockstep did not make it; move it elsewhere`;
    expect(await placeWith({ slots: 1 }).open(a1, { resume: false })).toEqual({ code: "not_clean", text });
  });

  test("the worktrees of a repository that was moved work on", async () => {
    const place = placeWith();
    await land(place, a1, (dir) => writeAt(dir, "x", "1"));
    const moved = `${root} moved`;
    renameSync(root, moved);
    const { dir } = await open(placeWith({}, moved), b1);
    expect(dir).toBe(slot("1"));
    expect(readAt(dir, "x")).toBe("1");
    expect(gitAt(dir, "rev-parse", "--git-common-dir")).toBe(mode === "clone" ? ".git" : join(moved, ".git"));
  });
});

describe("a repository that cannot be used", () => {
  test.each([
    [
      "without the branch to start from",
      { base: "develop" },
      (): string => "",
      {
        code: "missing_base",
        text: "there is no branch develop: name the branch to start from in lockstep.yaml (land: {base: BRANCH})",
      },
    ],
    [
      "with a detached HEAD",
      {},
      (): string => git("checkout", "-q", "--detach"),
      {
        code: "detached_head",
        text: "HEAD is detached: work lands on a branch; switch to one with `git switch BRANCH`",
      },
    ],
    [
      "with a branch in the way",
      {},
      (): string => git("branch", "lockstep"),
      {
        code: "branch_in_the_way",
        text: "a branch lockstep is in the way of lockstep/p: rename it with `git branch -m lockstep OTHER`",
      },
    ],
    [
      "without a commit",
      {},
      (): string => git("update-ref", "-d", "refs/heads/main"),
      {
        code: "no_commits",
        text: "the repository has no commit yet: work starts from one; make it with `git commit`",
      },
    ],
  ] as const)("%s is refused", async (_, options, spoil, refusal) => {
    spoil();
    expect(await placeWith(options).inspect("p")).toEqual(refusal);
    expect(git("for-each-ref", "refs/heads/lockstep/p")).toBe("");
  });

  test("does not hinder a plan that names its base", async () => {
    git("checkout", "-q", "--detach");
    const place = placeWith({ base: "main" });
    expect(await place.inspect("p")).toEqual({ target: TARGET, base: "refs/heads/main" });
    expect(await open(place, a1)).toMatchObject({ base: git("rev-parse", "main") });
  });
});

test("the target starts at the base that the plan was loaded with, not at what is checked out now", async () => {
  git("switch", "-q", "-c", "other");
  writeAt(root, "other", "1");
  commitAll(root, "other");
  const { dir } = await open(placeWith(), a1, { base: "refs/heads/main", target: TARGET });
  expect(existsSync(join(dir, "other"))).toBe(false);
});

test("a disk that refuses is a refusal, and the slot is free again", async () => {
  const place = placeWith();
  git("config", "filter.broken.smudge", "exit 1");
  git("config", "filter.broken.clean", "cat");
  git("config", "filter.broken.required", "true");
  writeAt(root, ".gitattributes", "b.txt filter=broken");
  writeAt(root, "b.txt", "1");
  commitAll(root, "unreadable");
  expect(await place.open(a1, { resume: false })).toMatchObject({ code: "git" });
  expect(await place.occupied()).toEqual([]);
  rmSync(stateDir, { recursive: true });
  writeFileSync(stateDir, "a file is in the way");
  expect(await place.open(a1, { resume: false })).toMatchObject({ code: "unreadable" });
});
