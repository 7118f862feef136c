import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { a1, b1, git, MAIN, open, place, root, write } from "./in-place.fixture.ts";

const read = (name: string): string => readFileSync(join(root, name), "utf8");

test("work that is discarded is kept, and the checkout is as the branch again", async () => {
  await open(a1);
  write("a.txt", "rubbish\n");
  write("new", "1");
  expect(await place.discard(a1, MAIN)).toEqual({ saved: "refs/lockstep/saved/p/a/1" });
  expect([read("a.txt"), existsSync(join(root, "new"))]).toEqual(["one\n", false]);
  expect(git("show", "refs/lockstep/saved/p/a/1:new")).toBe("1");
  expect(await place.opened()).toBeNull();
});

test("what a person changed beside it stays, and that is said", async () => {
  await open(a1);
  write("a.txt", "rubbish\n");
  await place.save(a1);
  write("mine", "a person's");
  expect(await place.discard(a1, MAIN)).toMatchObject({
    code: "not_clean",
    text: expect.stringContaining("the checkout has changes beside those that p/a#1 left"),
  });
  expect([read("a.txt"), read("mine")]).toEqual(["rubbish\n", "a person's"]);
});

test("another task's files stay as they are", async () => {
  await open(a1);
  write("a.txt", "rubbish\n");
  await place.save(a1);
  await open(b1);
  write("b", "1");
  expect(await place.discard(a1, MAIN)).toEqual({ saved: "refs/lockstep/saved/p/a/1" });
  expect([read("a.txt"), read("b")]).toEqual(["one\n", "1"]);
  expect(await place.opened()).toMatchObject({ slug: "b" });
});
