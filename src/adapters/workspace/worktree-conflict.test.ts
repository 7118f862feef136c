import { rmSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import type { Workspace } from "../../ports/workspace.ts";
import {
  a1,
  a2,
  a3,
  ask,
  b1,
  c1,
  candidate,
  commitAll,
  git,
  gitAt,
  land,
  open,
  placeWith,
  readAt,
  root,
  writeAt,
} from "./worktree.fixture.ts";

const again = { resume: true, merge_target: true };
let place: Workspace;

/** Attempt a1 has changed `a.txt`, and so did b1, which has landed. */
beforeEach(async () => {
  place = placeWith();
  const { dir } = await open(place, a1);
  writeAt(dir, "a.txt", "A\n");
  writeAt(dir, "x", "1");
  await land(place, b1, (other) => writeAt(other, "a.txt", "B\n"));
});

const conflict = {
  code: "conflict",
  text: "lockstep/p and the work of p/a changed the same places: a.txt",
  files: ["a.txt"],
};

test("work that does not merge is refused with the files, and nothing of it is lost", async () => {
  expect(await ask(place, a1)).toEqual(conflict);
  expect(await place.save(a1)).toEqual({ saved: "refs/lockstep/saved/p/a/1" });
  expect(git("show", "lockstep-work/p/a:a.txt")).toBe("A");
});

describe("the next attempt after a conflict", () => {
  test("finds the target merged in and the markers left, and lands what it resolved", async () => {
    await ask(place, a1);
    await place.save(a1);
    const opened = await open(place, a2, again);
    expect(opened.conflicts).toEqual(["a.txt"]);
    const marked = "<<<<<<< HEAD\nA\n=======\nB\n>>>>>>> lockstep/p\n";
    expect(readAt(opened.dir, "a.txt")).toBe(marked);
    const text = "conflicts were left unresolved in: a.txt";
    expect(await ask(place, a2)).toEqual({ code: "markers", text, files: ["a.txt"] });
    writeAt(opened.dir, "a.txt", "A and B\n");
    const made = await candidate(place, a2);
    expect(made.changed).toEqual([
      { path: "a.txt", status: "modified" },
      { path: "x", status: "added" },
    ]);
    expect(await place.land(a2, made)).toEqual({ landed: true });
    expect(git("show", "lockstep/p:a.txt")).toBe("A and B");
    expect(gitAt((await open(place, c1)).dir, "status", "--porcelain")).toBe("");
  });

  test("may commit the resolution itself", async () => {
    await ask(place, a1);
    await place.save(a1);
    const { dir } = await open(place, a2, again);
    writeAt(dir, "a.txt", "A and B\n");
    commitAll(dir, "resolved");
    const made = await candidate(place, a2);
    expect(await place.land(a2, made)).toEqual({ landed: true });
    expect(git("log", "--format=%s", "--first-parent", "lockstep/p")).toBe("Work of a\nWork of b\nfirst");
  });

  test("that leaves the markers behind leaves them to the one after", async () => {
    await ask(place, a1);
    await place.save(a1);
    await open(place, a2, again);
    expect(await place.save(a2)).toEqual({ saved: "refs/lockstep/saved/p/a/2" });
    const opened = await open(place, a3, again);
    expect(opened.conflicts).toEqual(["a.txt"]);
    expect(await ask(place, a3)).toMatchObject({ code: "markers", files: ["a.txt"] });
    writeAt(opened.dir, "a.txt", "A and B\n");
    expect(await place.land(a3, await candidate(place, a3))).toEqual({ landed: true });
  });

  test("that throws the merge away is in conflict again", async () => {
    await ask(place, a1);
    await place.save(a1);
    const { dir } = await open(place, a2, again);
    gitAt(dir, "merge", "--abort");
    expect(await ask(place, a2)).toEqual(conflict);
  });

  test("has to decide about a file that one side deleted", async () => {
    writeAt(root, "d", "1");
    const other = placeWith({ target: "other/{plan}" });
    commitAll(root, "second");
    const target = "refs/heads/other/p";
    const { dir } = await open(other, { ...c1, n: 1 });
    writeAt(dir, "d", "changed");
    const deletes = { plan: "p", slug: "deletes", n: 1 };
    await land(other, deletes, (elsewhere) => rmSync(join(elsewhere, "d")));
    expect(await ask(other, c1)).toMatchObject({ code: "conflict", files: ["d"] });
    await other.save(c1);
    const next = { ...c1, n: 2 };
    const opened = await open(other, next, { ...again, target });
    expect(opened.conflicts).toEqual(["d"]);
    const text = "conflicts were left unresolved in: d";
    expect(await ask(other, next)).toEqual({ code: "markers", text, files: ["d"] });
    gitAt(opened.dir, "add", "d");
    expect(await ask(other, next)).toMatchObject({ changed: [{ path: "d", status: "added" }] });
  });
});

test("work that merges cleanly has the target merged in without conflicts", async () => {
  await land(place, c1, (dir) => writeAt(dir, "c", "1"));
  const { dir } = await open(place, { ...b1, n: 2 });
  writeAt(dir, "y", "1");
  await land(place, { ...c1, n: 2 }, (other) => writeAt(other, "c", "2"));
  await place.save({ ...b1, n: 2 });
  const opened = await open(place, { ...b1, n: 3 }, again);
  expect(opened.conflicts).toBeUndefined();
  expect(readAt(opened.dir, "c")).toBe("2");
  const made = await candidate(place, { ...b1, n: 3 });
  expect(made.changed).toEqual([{ path: "y", status: "added" }]);
});
