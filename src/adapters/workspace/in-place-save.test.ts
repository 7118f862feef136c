import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { a1, a2, b1, candidate, git, open, place, root, write } from "./in-place.fixture.ts";

describe("red work", () => {
  test("stays for the task that resumes, and is cleared for another", async () => {
    const { base } = await open(a1);
    write("a.txt", "red\n");
    write("b", "1");
    await candidate(a1, base);
    expect(await place.save(a1)).toEqual({ saved: "refs/lockstep/saved/p/a/1" });
    expect(readFileSync(join(root, "b"), "utf8")).toBe("1");
    expect(git("rev-parse", "main")).toBe(base);

    expect(await open(a2, true)).toMatchObject({ base });
    expect(readFileSync(join(root, "a.txt"), "utf8")).toBe("red\n");
    write("c", "1");
    expect(await place.save(a2)).toEqual({ saved: "refs/lockstep/saved/p/a/2" });

    await open(b1);
    expect(git("status", "--porcelain")).toBe("");
    expect(existsSync(join(root, "b"))).toBe(false);
    expect(git("show", "refs/lockstep/saved/p/a/2:c")).toBe("1");
    expect(git("rev-parse", "refs/lockstep/saved/p/a/2^")).toBe(base);
  });

  test("is cleared for the same task that starts afresh", async () => {
    await open(a1);
    write("b", "1");
    await place.save(a1);
    await open(a2, false);
    expect(existsSync(join(root, "b"))).toBe(false);
  });

  test("is saved once however often it is asked for, and beside itself when it has changed", async () => {
    await open(a1);
    write("b", "1");
    expect(await place.save(a1)).toEqual({ saved: "refs/lockstep/saved/p/a/1" });
    expect(await place.save(a1)).toEqual({ saved: "refs/lockstep/saved/p/a/1" });
    write("b", "2");
    expect(await place.save(a1)).toEqual({ saved: "refs/lockstep/saved/p/a/1-2" });
    expect(git("show", "refs/lockstep/saved/p/a/1:b")).toBe("1");
    expect(git("show", "refs/lockstep/saved/p/a/1-2:b")).toBe("2");
  });

  test("that a person changed since is not touched", async () => {
    await open(a1);
    write("b", "1");
    await place.save(a1);
    write("b", "a person's");
    expect(await place.open(b1, { resume: false })).toEqual({
      code: "not_clean",
      text: "the checkout has changes beside those that p/a#1 left: b; commit them, or put them away with `git stash -u`",
    });
    expect(await place.open(a2, { resume: true })).toMatchObject({ code: "not_clean" });
    expect(readFileSync(join(root, "b"), "utf8")).toBe("a person's");
  });

  test("whose saved ref somebody deleted is saved again before it is cleared", async () => {
    await open(a1);
    write("b", "1");
    await place.save(a1);
    git("update-ref", "-d", "refs/lockstep/saved/p/a/1");
    await open(b1);
    expect(git("show", "refs/lockstep/saved/p/a/1:b")).toBe("1");
  });

  test("that is staged and nowhere else is saved too", async () => {
    await open(a1);
    write("a.txt", "only staged\n");
    git("add", "a.txt");
    write("a.txt", "one\n");
    expect(await place.save(a1)).toEqual({ saved: "refs/lockstep/saved/p/a/1" });
    expect(git("show", "refs/lockstep/saved/p/a/1^2:a.txt")).toBe("only staged");
    await open(b1);
    expect(git("status", "--porcelain")).toBe("");
  });

  test("of nothing is no save", async () => {
    await open(a1);
    expect(await place.save(a1)).toEqual({ saved: null });
    expect(git("for-each-ref", "refs/lockstep")).toBe("");
  });
});

test("files that checks left behind are saved when the work lands, and cleared for the next task", async () => {
  const { base } = await open(a1);
  write("b", "1");
  const made = await candidate(a1, base);
  write("coverage.txt", "90 %");
  expect(await place.land(a1, made)).toEqual({ landed: true, left: "refs/lockstep/saved/p/a/1" });
  expect(git("status", "--porcelain")).toBe("?? coverage.txt");
  await open(b1);
  expect(git("status", "--porcelain")).toBe("");
  expect(git("show", "refs/lockstep/saved/p/a/1:coverage.txt")).toBe("90 %");
});
