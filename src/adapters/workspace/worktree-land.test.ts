import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import {
  a1,
  ask,
  b1,
  c1,
  candidate,
  checkoutOf,
  commitAll,
  git,
  gitAt,
  land,
  messageOf,
  open,
  placeWith,
  readAt,
  root,
  stateDir,
  TARGET,
  writeAt,
} from "./worktree.fixture.ts";

test("work lands on the plan's branch, and the user's checkout stays as it was to the byte", async () => {
  writeAt(root, "a.txt", "a person is at work\n");
  writeAt(root, "notes", "untracked");
  git("add", "a.txt");
  const before = checkoutOf(root);
  const place = placeWith();
  const base = git("rev-parse", "main");
  expect(await place.inspect("p")).toEqual({ target: TARGET, base: "refs/heads/main" });
  const opened = await open(place, a1);
  const tree = git("rev-parse", "main^{tree}");
  expect(opened).toEqual({ dir: join(stateDir, "worktrees", "1"), target: TARGET, base, tree });
  expect(readAt(opened.dir, "a.txt")).toBe("one\ntwo\nthree\nfour\nfive\n");
  expect(gitAt(opened.dir, "symbolic-ref", "HEAD")).toBe("refs/heads/lockstep-work/p/a");
  expect(await place.occupied()).toEqual([a1]);

  writeAt(opened.dir, `a "new" 文件.txt`, "1");
  writeAt(opened.dir, "ignored", "left");
  const made = await candidate(place, a1);
  expect(made).toMatchObject({ target: TARGET, tip: base, changed: [{ path: `a "new" 文件.txt`, status: "added" }] });
  expect(readAt(made.dir, `a "new" 文件.txt`)).toBe("1");
  expect(existsSync(join(made.dir, "ignored"))).toBe(false);
  expect(git("rev-parse", TARGET)).toBe(base);
  expect(git("rev-parse", "lockstep-work/p/a")).toBe(made.commit);

  expect(await place.land(a1, made)).toEqual({ landed: true });
  expect(await place.land(a1, made)).toEqual({ landed: true });
  expect(git("rev-parse", TARGET)).toBe(made.commit);
  expect(git("log", "-1", "--format=%B", TARGET)).toBe(messageOf(a1).trimEnd());
  expect(git("rev-parse", `${TARGET}^`)).toBe(base);
  expect(await place.holds(TARGET, made.commit!)).toBe(true);
  expect(await place.occupied()).toEqual([]);
  expect(checkoutOf(root)).toEqual(before);
});

test("two tasks work at once, and the second joins what the first landed by a merge", async () => {
  const place = placeWith();
  const [first, second] = await Promise.all([open(place, a1), open(place, b1)]);
  expect(new Set([first.dir, second.dir]).size).toBe(2);
  writeAt(first.dir, "a.txt", "ONE\ntwo\nthree\nfour\nfive\n");
  writeAt(second.dir, "a.txt", "one\ntwo\nthree\nfour\nFIVE\n");
  const [one, two] = [await candidate(place, a1), await candidate(place, b1)];
  expect(await place.land(a1, one)).toEqual({ landed: true });
  expect(await place.land(b1, two)).toEqual({
    landed: false,
    reason: "target_moved",
    text: `${TARGET} moved while the checks ran: they count for the old tip only`,
  });
  const again = await candidate(place, b1);
  expect(again).toMatchObject({ tip: one.commit, changed: [{ path: "a.txt", status: "modified" }] });
  expect(readAt(again.dir, "a.txt")).toBe("ONE\ntwo\nthree\nfour\nFIVE\n");
  expect(await place.land(b1, again)).toEqual({ landed: true });
  expect(git("rev-parse", `${TARGET}^1`, `${TARGET}^2`)).toBe(`${one.commit}\n${two.commit}`);
  expect(git("log", "-1", "--format=%s", TARGET)).toBe("Work of b");
});

test("checks of two candidates never share a place, and one that is done with is used again", async () => {
  const place = placeWith();
  const [first, second] = await Promise.all([open(place, a1), open(place, b1)]);
  writeAt(first.dir, "x", "a");
  writeAt(second.dir, "x", "b");
  const [one, two] = [await candidate(place, a1), await candidate(place, b1)];
  expect([readAt(one.dir, "x"), readAt(two.dir, "x")]).toEqual(["a", "b"]);
  expect((await candidate(place, a1)).dir).toBe(one.dir);
  expect(await place.land(a1, one)).toEqual({ landed: true });
  await open(place, c1);
  expect((await candidate(place, c1)).dir).toBe(one.dir);
  await place.save(c1);
  await place.save(b1);
  expect((await candidate(place, c1)).dir).toBe(one.dir);
});

test("what checks left in their place is gone for the next ones, ignored files aside", async () => {
  const place = placeWith();
  const { dir } = await land(place, a1, (work) => writeAt(work, "x", "1"));
  writeAt(dir, "coverage", "1");
  writeAt(dir, "a.txt", "changed");
  writeAt(dir, "node_modules/cache", "1");
  await open(place, b1);
  const made = await candidate(place, b1);
  expect(made.dir).toBe(dir);
  expect(gitAt(dir, "status", "--porcelain", "--ignored")).toBe("!! node_modules/");
});

test("a squashed landing is one commit on the tip, whatever the agent committed", async () => {
  const place = placeWith({ landMode: "squash" });
  await land(place, b1, (dir) => writeAt(dir, "b", "1"));
  const { dir } = await open(place, a1);
  await land(place, c1, (other) => writeAt(other, "c", "1"));
  writeAt(dir, "x", "1");
  commitAll(dir, "mine");
  writeAt(dir, "y", "1");
  const made = await candidate(place, a1);
  expect(await place.land(a1, made)).toEqual({ landed: true });
  expect(git("log", "--format=%s", TARGET)).toBe("Work of a\nWork of c\nWork of b\nfirst");
  expect(git("diff", "--name-only", `${TARGET}^`, TARGET)).toBe("x\ny");
});

test("an agent's own commits land below a merge that says what the task was", async () => {
  const place = placeWith();
  await land(place, a1, (dir) => {
    writeAt(dir, "x", "1");
    commitAll(dir, "mine");
  });
  expect(git("log", "--format=%s", "--first-parent", TARGET)).toBe("Work of a\nfirst");
  expect(git("log", "-1", "--format=%s", `${TARGET}^2`)).toBe("mine");
});

test("work that changes nothing is the tip itself", async () => {
  const place = placeWith();
  const { base, tree } = await open(place, a1);
  const made = await candidate(place, a1);
  expect(made).toMatchObject({ tip: base, commit: base, tree, changed: [] });
  expect(await place.land(a1, made)).toEqual({ landed: true });
});

test("the same work asked for twice is the same candidate", async () => {
  const place = placeWith();
  const { dir } = await open(place, a1);
  writeAt(dir, "x", "1");
  const made = await candidate(place, a1);
  expect(await candidate(place, a1)).toEqual(made);
});

test("protected files are in the candidate as they are on the target", async () => {
  const place = placeWith();
  const { dir } = await open(place, a1);
  writeAt(dir, "a.txt", "weakened");
  writeAt(dir, "test/new.ts", "new");
  writeAt(dir, "x", "1");
  const made = await ask(place, a1, ["a.*", "test/**"]);
  expect(made).toMatchObject({
    changed: [{ path: "x", status: "added" }],
    restored: [
      { path: "a.txt", status: "modified" },
      { path: "test/new.ts", status: "added" },
    ],
  });
  const { commit } = made as { commit: string };
  expect(git("ls-tree", "-r", "--name-only", commit)).toBe(".gitignore\na.txt\nx");
  expect(git("show", `${commit}:a.txt`)).toBe("one\ntwo\nthree\nfour\nfive");
});

describe("a target that a person has checked out", () => {
  test("is not moved", async () => {
    const place = placeWith();
    const { dir } = await open(place, a1);
    writeAt(dir, "x", "1");
    const made = await candidate(place, a1);
    git("switch", "-q", "lockstep/p");
    const text = `lockstep/p is checked out in ${root}, and landing would move it: switch to another branch there`;
    expect(await place.land(a1, made)).toEqual({ landed: false, reason: "target_checked_out", text });
    expect(await place.open(b1, { resume: false })).toEqual({ code: "target_checked_out", text });
    expect(await place.inspect("p")).toEqual({ code: "target_checked_out", text });
    expect(await ask(place, a1)).toEqual({ code: "target_checked_out", text });
    git("switch", "-q", "main");
    expect(await place.land(a1, made)).toEqual({ landed: true });
  });
});

test("a project below the top of its repository works and is checked there", async () => {
  writeAt(root, "packages/one/x", "1");
  commitAll(root, "second");
  const place = placeWith({}, join(root, "packages/one"));
  const { dir } = await open(place, a1);
  expect(dir).toBe(join(stateDir, "worktrees", "1", "packages", "one"));
  writeAt(dir, "x", "2");
  const made = await candidate(place, a1);
  expect(readAt(made.dir, "x")).toBe("2");
  expect(made.changed).toEqual([{ path: "packages/one/x", status: "modified" }]);
});

test("an attempt that has landed is pinned", async () => {
  const place = placeWith();
  const made = await land(place, a1, (dir) => writeAt(dir, "x", "1"));
  expect(await place.pin(a1, made.commit!)).toBeNull();
  expect(git("rev-parse", "refs/lockstep/attempts/p/a/1")).toBe(made.commit);
});
