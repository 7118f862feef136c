import { expect, test } from "vitest";
import { a1, a2, b1, commitAll, git, land, open, placeWith, readAt, TARGET, writeAt } from "./worktree.fixture.ts";

test("work that is discarded is kept, and the next attempt starts from the target", async () => {
  const place = placeWith();
  writeAt((await open(place, a1)).dir, "a.txt", "rubbish\n");
  expect(await place.discard(a1, TARGET)).toEqual({ saved: "refs/lockstep/saved/p/a/1" });
  expect(await place.occupied()).toEqual([]);
  expect(git("show", "refs/lockstep/saved/p/a/1:a.txt")).toBe("rubbish");
  const { dir } = await open(place, a2);
  expect(readAt(dir, "a.txt")).toBe("one\ntwo\nthree\nfour\nfive\n");
});

test("work of earlier attempts counts, and saying it again names the same", async () => {
  const place = placeWith();
  writeAt((await open(place, a1)).dir, "early", "1");
  await place.save(a1);
  await open(place, a2, { resume: true });
  const kept = await place.discard(a2, TARGET);
  expect(kept).toEqual({ saved: "refs/lockstep/saved/p/a/2" });
  expect(git("show", "refs/lockstep/saved/p/a/2:early")).toBe("1");
  expect(await place.discard(a2, TARGET)).toEqual(kept);
});

test("the work of an attempt that has begun since is left alone", async () => {
  const place = placeWith();
  writeAt((await open(place, a1)).dir, "early", "1");
  await place.save(a1);
  const { dir } = await open(place, a2);
  writeAt(dir, "late", "2");
  commitAll(dir, "late");
  expect(await place.discard(a1, TARGET)).toEqual({ saved: "refs/lockstep/saved/p/a/1" });
  expect(readAt(dir, "late")).toBe("2");
  expect(await place.occupied()).toEqual([a2]);
});

test("where there is no work there is nothing to keep", async () => {
  const place = placeWith();
  await land(place, b1, (dir) => writeAt(dir, "b", "1"));
  await open(place, a1);
  expect(await place.discard(a1, TARGET)).toEqual({ saved: null });
});
