import { chmodSync, mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { Candidate, CandidateSides, Workspace } from "../../ports/workspace.ts";
import { inPlaceDirectory } from "./in-place-directory.ts";
import { inPlaceRepository } from "./in-place-repository.ts";
import { SIDE_BYTES_MAX, SIDES_BYTES_MAX } from "./side-text.ts";
import { a1, candidate, commitAll, open, placeWith, root, stateDir, writeAt } from "./worktree.fixture.ts";

async function sidesOf(place: Workspace, made: Candidate, at_tip: string[] = []): Promise<CandidateSides> {
  const sides = await place.sides(made, { paths: made.changed.map(({ path }) => path), at_tip });
  if (sides === null || "code" in sides) throw new Error(sides?.text ?? "no sides");
  return sides;
}

const LINES = Array.from({ length: 20 }, (_, index) => `line ${index}\n`).join("");

function work(dir: string): void {
  renameSync(join(dir, "old name.txt"), join(dir, "näw\nname.txt"));
  chmodSync(join(dir, "tool.sh"), 0o755);
  rmSync(join(dir, "gone.txt"));
  writeAt(dir, "a.txt", "other\n");
  writeAt(dir, "data.bin", "a\0b");
  writeAt(dir, "large.txt", "x".repeat(SIDE_BYTES_MAX + 1));
}

const FILE = { old_path: null, mode_before: "100644", mode_after: "100644", too_large: false };
const WORKED = [
  { ...FILE, path: "a.txt", kind: "modified", before: "one\ntwo\nthree\nfour\nfive\n", after: "other\n" },
  { ...FILE, path: "data.bin", kind: "added", before: null, after: null, mode_before: null },
  { ...FILE, path: "gone.txt", kind: "deleted", before: "gone\n", after: null, mode_after: null },
  { ...FILE, path: "large.txt", kind: "added", before: null, after: null, mode_before: null, too_large: true },
  { ...FILE, path: "näw\nname.txt", old_path: "old name.txt", kind: "renamed", before: LINES, after: LINES },
  { ...FILE, path: "tool.sh", kind: "mode", before: "true\n", after: "true\n", mode_after: "100755" },
];

function prepare(): void {
  writeAt(root, "old name.txt", LINES);
  writeAt(root, "tool.sh", "true\n");
  writeAt(root, "gone.txt", "gone\n");
  commitAll(root, "more");
}

test("gives both texts of what a worktree's candidate changed; renamed, of other mode, gone, binary and too large files too", async () => {
  prepare();
  const place = placeWith();
  work((await open(place, a1)).dir);
  const sides = await sidesOf(place, await candidate(place, a1), ["tool.sh", "a.txt", "none", "two\nlines"]);
  expect(sides.files).toEqual(WORKED);
  expect([...sides.tip]).toEqual([
    ["tool.sh", "true\n"],
    ["a.txt", "one\ntwo\nthree\nfour\nfive\n"],
  ]);
});

test("gives the same in place, and nothing of what was not asked for", async () => {
  prepare();
  const locks = { acquire: async () => () => undefined };
  const place = inPlaceRepository(root, { locks });
  await open(place, a1);
  work(root);
  const made = await candidate(place, a1);
  expect((await sidesOf(place, made)).files).toEqual(WORKED);
  expect(await place.sides(made, { paths: ["old name.txt", "unchanged"], at_tip: [] })).toEqual({
    files: [WORKED[4]],
    tip: new Map(),
  });
});

test("finds a check's files below the project's own directory", async () => {
  writeAt(root, "app/check.sh", "true\n");
  commitAll(root, "app");
  const place = placeWith({}, join(root, "app"));
  writeAt((await open(place, a1)).dir, "new.txt", "x\n");
  const sides = await sidesOf(place, await candidate(place, a1), ["check.sh", "../a.txt"]);
  expect([...sides.tip.keys()]).toEqual(["check.sh", "../a.txt"]);
});

test("reads the first of many files until there is no room for more", async () => {
  const place = placeWith();
  const { dir } = await open(place, a1);
  const fit = SIDES_BYTES_MAX / SIDE_BYTES_MAX;
  for (let index = 0; index <= fit; index++) writeAt(dir, `f-${10 + index}`, `${index}`.padEnd(SIDE_BYTES_MAX, "x"));
  const { files } = await sidesOf(place, await candidate(place, a1));
  expect(files.map(({ too_large }) => too_large)).toEqual([...Array(fit).fill(false), true]);
});

test("knows only the added files of a plain directory", async () => {
  const dir = join(stateDir, "plain");
  mkdirSync(dir, { recursive: true });
  for (const name of ["changed", "gone"]) writeFileSync(join(dir, name), "before\n");
  const place = inPlaceDirectory(dir, { stateDir: join(stateDir, "state") });
  const { base } = await open(place, a1);
  rmSync(join(dir, "gone"));
  for (const name of ["changed", "added"]) writeFileSync(join(dir, name), "after\n");
  writeFileSync(join(dir, "large"), "x".repeat(SIDE_BYTES_MAX + 1));
  const made = await place.candidate({ ...a1, message: "", base });
  if ("code" in made) throw new Error(made.text);
  const added = { old_path: null, kind: "added", before: null, mode_before: null, mode_after: null };
  expect((await sidesOf(place, made)).files).toEqual([
    { ...added, path: "added", after: "after\n", too_large: false },
    { ...added, path: "large", after: null, too_large: true },
  ]);
});
