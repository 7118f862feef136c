import { readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { Clash, Workspace, WorkspaceTask } from "../../ports/workspace.ts";
import {
  a1,
  b1,
  c1,
  commitAll,
  git,
  gitAt,
  land,
  mode,
  open,
  placeWith,
  root,
  TARGET,
  writeAt,
} from "./worktree.fixture.ts";

const LINES = "one\ntwo\nthree\nfour\nfive\n";
const changed = (line: string, to: string): string => LINES.replace(line, to);

async function foreseen(place: Workspace, works: readonly WorkspaceTask[]): Promise<Clash[] | null> {
  const clashes = await place.foresee(works);
  if (clashes !== null && "code" in clashes) throw new Error(clashes.text);
  return clashes;
}

/** All that a look could have written into the repository: objects, refs, and what is git's own of each worktree. */
function repository(): string[] {
  const files = readdirSync(join(root, ".git"), { recursive: true, withFileTypes: true });
  return files
    .filter((file) => file.isFile())
    .map((file) => join(file.parentPath, file.name))
    .map((path) => `${path} ${statSync(path, { bigint: true }).mtimeNs}`)
    .sort();
}

test("two that change one line clash, committed or not, and a third beside them does not", async () => {
  const place = placeWith();
  const [a, b, c] = [await open(place, a1), await open(place, b1), await open(place, c1)];
  writeAt(a.dir, "a.txt", changed("three", "from a"));
  writeAt(b.dir, "a.txt", changed("three", "from b"));
  commitAll(b.dir, "b");
  writeAt(c.dir, "a.txt", changed("five", "from c"));
  writeAt(c.dir, "new.txt", "c\n");
  expect(await foreseen(place, [a1, b1, c1])).toEqual([{ work: 0, other: 1, files: ["a.txt"], total: 1 }]);
});

test("a look touches neither the repository nor an agent's index, and one at nothing new says so", async () => {
  const place = placeWith();
  const [a, b] = [await open(place, a1), await open(place, b1)];
  writeAt(a.dir, "a.txt", changed("three", "from a"));
  writeAt(a.dir, "staged.txt", "half");
  gitAt(a.dir, "add", "staged.txt");
  writeAt(b.dir, "a.txt", changed("three", "from b"));
  // Git notes at an object that it is still wanted, when it would make it once more.
  const unnoted = (files: string[]): string[] => files.map((file) => file.replace(/(objects\/.*) \d+$/, "$1"));
  const before = repository();
  expect(await foreseen(place, [a1, b1])).toHaveLength(1);
  const looked = repository();
  expect(unnoted(looked)).toEqual(unnoted(before));
  expect(await foreseen(place, [a1, b1])).toBeNull();
  expect(repository()).toEqual(looked);
});

test("every change is seen: of a file in a new folder, of one that was changed before, of who is at work", async () => {
  const place = placeWith();
  const [a, b] = [await open(place, a1), await open(place, b1)];
  writeAt(a.dir, "new/x.txt", "a\n");
  writeAt(b.dir, "new/x.txt", "a\n");
  expect(await foreseen(place, [a1, b1])).toEqual([]);
  writeAt(b.dir, "new/x.txt", "b\n");
  expect(await foreseen(place, [a1, b1])).toEqual([{ work: 0, other: 1, files: ["new/x.txt"], total: 1 }]);
  expect(await foreseen(place, [b1])).toEqual([]);
  writeAt(b.dir, "new/x.txt", "a\n");
  expect(await foreseen(place, [a1, b1])).toEqual([]);
});

test("a file where the other has a folder is a clash, and so is one that the other removed", async () => {
  const place = placeWith();
  const [a, b] = [await open(place, a1), await open(place, b1)];
  writeAt(a.dir, "thing", "a\n");
  gitAt(a.dir, "rm", "-q", "a.txt");
  writeAt(b.dir, "thing/inside", "b\n");
  writeAt(b.dir, "a.txt", changed("three", "from b"));
  const [clash] = (await foreseen(place, [a1, b1]))!;
  expect(clash?.files.map((file) => file.replace(/~.*/, ""))).toEqual(["a.txt", "thing"]);
});

test("work clashes with what has landed since it began, until it has taken that in", async () => {
  const place = placeWith();
  const a = await open(place, a1);
  writeAt(a.dir, "a.txt", changed("three", "from a"));
  expect(await foreseen(place, [a1])).toEqual([]);
  await land(place, b1, (dir) => writeFileSync(join(dir, "a.txt"), changed("three", "from b")));
  expect(await foreseen(place, [a1])).toEqual([{ work: 0, other: null, files: ["a.txt"], total: 1 }]);
  commitAll(a.dir, "a");
  // A clone has the target as it was when the attempt began.
  if (mode === "clone") gitAt(a.dir, "fetch", "-q", root, `+${TARGET}:${TARGET}`);
  expect(() => gitAt(a.dir, "merge", "-q", TARGET)).toThrow();
  // Amid a merge of its own nothing can be told.
  expect(await foreseen(place, [a1])).toEqual([]);
  writeAt(a.dir, "a.txt", changed("three", "from both"));
  commitAll(a.dir, "merged");
  expect(await foreseen(place, [a1])).toEqual([]);
  const made = await place.candidate({ ...a1, base: null, message: "a" });
  expect("code" in made ? made : await place.land(a1, made)).toEqual({ landed: true });
  expect(git("show", `${TARGET}:a.txt`)).toContain("from both");
});

test("what is not open clashes with nothing, and an agent's own repository is not looked into", async () => {
  const place = placeWith();
  const [a, b] = [await open(place, a1), await open(place, b1)];
  writeAt(a.dir, "a.txt", changed("three", "from a"));
  writeAt(b.dir, "a.txt", changed("three", "from b"));
  expect(await foreseen(place, [a1, c1])).toEqual([]);
  rmSync(join(b.dir, ".git"), { recursive: true });
  writeAt(b.dir, ".git", `gitdir: ${join(root, "..", "elsewhere")}\n`);
  expect(await foreseen(place, [a1, b1])).toEqual([{ work: 0, other: 1, files: ["a.txt"], total: 1 }]);
});
