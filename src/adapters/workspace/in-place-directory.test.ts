import { execFileSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeEach, describe, expect, test } from "vitest";
import type { Workspace, WorkspaceTask } from "../../ports/workspace.ts";
import { directoryReader } from "./directory-tree.ts";
import { inPlaceDirectory } from "./in-place-directory.ts";
import { saveCopy } from "./saved-copy.ts";

const parent = mkdtempSync(join(tmpdir(), "lockstep 'plain' "));
afterAll(() => rmSync(parent, { recursive: true, force: true }));

const task: WorkspaceTask = { plan: "p", slug: "a", n: 1 };
const next: WorkspaceTask = { plan: "p", slug: "a", n: 2 };
let made = 0;
let root: string;
let stateDir: string;
let place: Workspace;

beforeEach(() => {
  made += 1;
  root = join(parent, `directory ${made}`);
  stateDir = join(parent, `state ${made}`);
  mkdirSync(root);
  write("a.txt", "one");
  place = inPlaceDirectory(root, { stateDir });
});

function write(name: string, text: string): void {
  writeFileSync(join(root, name), text);
}

/** The tree as a reader sees it that knows nothing from before. */
async function tree(): Promise<string> {
  return (await directoryReader(root).read())!.tree;
}

async function paths(): Promise<string[]> {
  return [...(await directoryReader(root).read())!.files.keys()];
}

async function base(of: WorkspaceTask = task): Promise<string> {
  const opened = await place.open(of, { resume: false });
  if ("code" in opened) throw new Error(opened.text);
  return opened.base!;
}

function linkInstead(): void {
  rmSync(join(root, "a.txt"));
  symlinkSync("one", join(root, "a.txt"));
}

describe("the tree changes with", () => {
  test.each<[string, () => void]>([
    ["a file's content", () => write("a.txt", "two")],
    ["a new file, even an empty one", () => write("b", "")],
    ["a file that is gone", () => rmSync(join(root, "a.txt"))],
    ["the executable bit", () => chmodSync(join(root, "a.txt"), 0o755)],
    ["a link in a file's place", linkInstead],
  ])("%s", async (_, change) => {
    const before = await tree();
    expect(await tree()).toBe(before);
    change();
    expect(await tree()).not.toBe(before);
  });

  test("where a link points, not with what is there", async () => {
    const outside = join(parent, `outside ${made}`);
    writeFileSync(outside, "1");
    symlinkSync(outside, join(root, "link"));
    symlinkSync(".", join(root, "loop"));
    const before = await tree();
    writeFileSync(outside, "2");
    expect(await tree()).toBe(before);
    rmSync(join(root, "link"));
    symlinkSync("/elsewhere", join(root, "link"));
    expect(await tree()).not.toBe(before);
  });
});

test("times, other permissions and lockstep's own files are no part of the tree", async () => {
  const before = await tree();
  utimesSync(join(root, "a.txt"), 1, 1);
  chmodSync(join(root, "a.txt"), 0o600);
  for (const name of [".lockstep", ".git", "sub", "sub/.git"]) mkdirSync(join(root, name));
  write(".lockstep/id", "x");
  write("sub/.git/x", "x");
  expect(await tree()).toBe(before);
});

test("what `.gitignore` files name is left out as git does it, nested ones too", async () => {
  for (const name of ["sub", "sub/deep", "build", "logs"]) mkdirSync(join(root, name));
  write(".gitignore", "*.log\n/build/\n!keep.log\nlogs/\n# comment\n");
  write("sub/.gitignore", "*.tmp\n!special.log\n/here\n");
  for (const name of ["x.log", "keep.log", "build/x", "logs/keep.log", "é.log"]) write(name, "");
  for (const name of [
    "x.log",
    "special.log",
    "x.tmp",
    "here",
    "deep/here",
    "deep/x.tmp",
    "deep/keep.log",
    "deep/special.log",
  ])
    write(`sub/${name}`, "");
  execFileSync("git", ["init", "-q"], { cwd: root });
  const listed = execFileSync("git", ["ls-files", "-z", "--others", "--exclude-standard"], {
    cwd: root,
    encoding: "latin1",
  });
  expect(await paths()).toEqual(listed.split("\0").slice(0, -1).sort());
});

test("names of any bytes are told apart, and pipes and closed files do not hang the reader", async () => {
  for (const name of [Buffer.from([0xff]), Buffer.from([0xfe]), Buffer.from("a\nb")])
    writeFileSync(Buffer.concat([Buffer.from(`${root}/`), name]), "");
  execFileSync("mkfifo", [join(root, "pipe")]);
  execFileSync("mkfifo", [join(root, ".gitignore")]);
  mkdirSync(join(root, "sub"));
  const { files } = (await directoryReader(root).read())!;
  expect([...files.keys()]).toEqual([".gitignore", "a\nb", "a.txt", "pipe", "\xfe", "\xff"]);
  expect(files.get("pipe")).toBe("special");
});

test("a reader that remembers sees what one sees that does not, however fast a file changes", async () => {
  const reader = directoryReader(root);
  for (let round = 0; round < 50; round += 1) {
    write("a.txt", String(round % 2));
    utimesSync(join(root, "a.txt"), 1, 1);
    expect((await reader.read())!.tree).toBe(await tree());
  }
});

test("a large file is hashed whole", async () => {
  const bytes = Buffer.alloc(20 * 1024 * 1024, 7);
  writeFileSync(join(root, "large"), bytes);
  const before = await tree();
  bytes[bytes.length - 1] = 8;
  writeFileSync(join(root, "large"), bytes);
  expect(await tree()).not.toBe(before);
});

test("an attempt's changes are told against what it started from, also by another process", async () => {
  write("gone", "x");
  write("kind", "x");
  const from = await base();
  expect(await place.opened()).toEqual(task);
  write("a.txt", "two");
  write("new", "x");
  rmSync(join(root, "gone"));
  rmSync(join(root, "kind"));
  symlinkSync("x", join(root, "kind"));
  const other = inPlaceDirectory(root, { stateDir });
  const candidate = await other.candidate({ ...task, base: from, message: "" });
  expect(candidate).toEqual({
    dir: root,
    target: null,
    tip: null,
    commit: null,
    tree: await tree(),
    changed: [
      { path: "a.txt", status: "modified" },
      { path: "gone", status: "deleted" },
      { path: "kind", status: "type_changed" },
      { path: "new", status: "added" },
    ],
  });
  expect(await other.land(task, candidate as never)).toEqual({ landed: true });
  expect(await place.opened()).toBeNull();
});

test("looking changes nothing", async () => {
  expect(await place.inspect()).toEqual({ target: null });
  expect(await place.probe(task, { resume: false })).toEqual({
    dir: root,
    target: null,
    base: await tree(),
    tree: await tree(),
  });
  expect(await place.opened()).toBeNull();
  expect(existsSync(stateDir)).toBe(false);
});

test("a directory that is gone is refused", async () => {
  rmSync(root, { recursive: true });
  const refusal = { code: "missing", text: `the directory is gone: ${root}` };
  expect(await place.inspect()).toEqual(refusal);
  expect(await place.open(task, { resume: false })).toEqual(refusal);
  expect(await place.candidate({ ...task, base: null, message: "" })).toEqual(refusal);
});

describe("saving", () => {
  test("copies what the attempt changed, and leaves the files as they are", async () => {
    write("same", "x");
    write("gone", "x");
    await base();
    mkdirSync(join(root, "sub"));
    write("sub/run.sh", "x");
    chmodSync(join(root, "sub/run.sh"), 0o755);
    symlinkSync("nowhere", join(root, "link"));
    rmSync(join(root, "gone"));
    execFileSync("mkfifo", [join(root, "pipe")]);
    expect(await place.save(task)).toEqual({ saved: "saved/p/a/1" });
    const saved = join(stateDir, "saved/p/a/1");
    expect(readdirSync(join(saved, "files")).sort()).toEqual(["link", "sub"]);
    expect(statSync(join(saved, "files/sub/run.sh")).mode & 0o777).toBe(0o755);
    expect(readlinkSync(join(saved, "files/link"))).toBe("nowhere");
    expect(JSON.parse(readFileSync(join(saved, "saved.json"), "utf8"))).toEqual({
      tree: await tree(),
      deleted: ["gone"],
      skipped: ["pipe"],
    });
    expect(lstatSync(join(root, "sub/run.sh")).isFile()).toBe(true);
    expect(await place.opened()).toBeNull();
  });

  test("of the same tree is done once, of another beside it", async () => {
    for (const [text, name] of [
      ["1", "saved/p/a/1"],
      ["1", "saved/p/a/1"],
      ["2", "saved/p/a/1-2"],
    ] as const) {
      rmSync(join(root, "b"), { force: true });
      await base();
      write("b", text);
      expect(await place.save(task)).toEqual({ saved: name });
    }
  });

  test("asked for twice at the same moment is done once", async () => {
    await base();
    for (let file = 0; file < 50; file++) write(`f${file}`, "x");
    const answers = await Promise.all([place.save(task), place.save(task), place.save(task)]);
    expect(answers).toEqual([{ saved: "saved/p/a/1" }, { saved: null }, { saved: null }]);
    expect(readdirSync(join(stateDir, "saved/p/a"))).toEqual(["1"]);
  });

  test("of nothing is no save", async () => {
    await base();
    expect(await place.save(task)).toEqual({ saved: null });
    write("b", "a person's");
    expect(await place.save(next)).toEqual({ saved: null });
    expect(existsSync(join(stateDir, "saved"))).toBe(false);
  });

  test("more than the bound is refused", async () => {
    write("b", "x".repeat(3 * 1024 * 1024));
    const changes = [{ path: "b", status: "added" }] as const;
    expect(await saveCopy({ root, stateDir, task, tree: "t", changes: [...changes], bytesMax: 1024 * 1024 })).toEqual({
      code: "too_large",
      text: "3 MiB of changed files cannot be saved, 1 MiB can: name data in .gitignore, or make it a git repository",
    });
  });
});
