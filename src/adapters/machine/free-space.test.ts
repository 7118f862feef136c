import { mkdtempSync, rmSync, statfsSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { freeSpaceAt } from "./free-space.ts";

const here = mkdtempSync(join(tmpdir(), "lockstep space-"));
afterAll(() => rmSync(here, { recursive: true, force: true }));

const still = { monotonic: () => 0 };

test("the file system with least space counts, and is named", () => {
  // A pseudo file system has no space at all.
  expect(freeSpaceAt([here, "/proc"], still)()).toEqual({ bytes: 0, at: "/proc" });
  const { bavail, bsize } = statfsSync(here);
  const { bytes, at } = freeSpaceAt([here], still)()!;
  expect(at).toBe(here);
  expect(bytes / (bavail * bsize)).toBeCloseTo(1, 1);
});

test("a directory that does not exist yet counts as the one that it will lie in", () => {
  expect(freeSpaceAt([join(here, "a/b/c")], still)()!.at).toBe(here);
});

test("an answer is given again for two seconds", () => {
  let now = 0;
  const dirs = [here];
  const free = freeSpaceAt(dirs, { monotonic: () => now });
  free();
  dirs.push("/proc");
  now = 1_999;
  expect(free()!.at).toBe(here);
  now = 2_000;
  expect(free()!.at).toBe("/proc");
});
