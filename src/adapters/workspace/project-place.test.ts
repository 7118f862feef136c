import { execFileSync, spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, beforeEach, describe, expect, test } from "vitest";
import { claimProject, findProject, type ProjectPlace } from "./project-place.ts";

const parent = realpathSync(mkdtempSync(join(tmpdir(), "lockstep projects ")));
afterAll(() => rmSync(parent, { recursive: true, force: true }));

let made = 0;
let stateDir: string;
let root: string;

beforeEach(() => {
  made += 1;
  stateDir = join(parent, `state ${made}`);
  root = project(`project ${made}`);
});

function project(name: string): string {
  const dir = join(parent, name);
  mkdirSync(dir);
  writeFileSync(join(dir, "lockstep.yaml"), "");
  return dir;
}

function find(dir: string): ProjectPlace {
  const place = findProject(dir, stateDir);
  if ("code" in place) throw new Error(place.text);
  return place;
}

function claim(dir: string): ProjectPlace & { id: string } {
  const place = claimProject(find(dir), { stateDir, newId: randomUUID });
  if ("code" in place) throw new Error(place.text);
  return place;
}

function git(dir: string, ...args: string[]): void {
  execFileSync("git", ["-c", "user.name=x", "-c", "user.email=x@localhost", ...args], { cwd: dir, stdio: "ignore" });
}

test("a project is found from any directory below it, and looking leaves nothing behind", () => {
  mkdirSync(join(root, "a/b"), { recursive: true });
  expect(find(join(root, "a/b"))).toEqual({ root, kind: "directory", home: join(root, ".lockstep"), id: null });
  expect(readdirSync(root).sort()).toEqual(["a", "lockstep.yaml"]);
  expect(existsSync(stateDir)).toBe(false);
});

test("where there is none the refusal says how to make one", () => {
  const dir = join(parent, "nothing here");
  mkdirSync(dir);
  expect(findProject(dir, stateDir)).toEqual({
    code: "no_project",
    text: `no lockstep.yaml in ${dir} or above it: make one with \`lockstep init\``,
  });
});

test("a project keeps the id that it is given, and git never sees it", () => {
  const { id } = claim(root);
  expect(readFileSync(join(root, ".lockstep/id"), "utf8")).toBe(`${id}\n`);
  expect(readFileSync(join(root, ".lockstep/.gitignore"), "utf8")).toBe("*\n");
  expect(find(root).id).toBe(id);
  expect(claim(root).id).toBe(id);
  expect(JSON.parse(readFileSync(join(stateDir, "places", `${id}.json`), "utf8"))).toEqual({
    home: join(root, ".lockstep"),
    root,
  });
});

test("all work trees of a repository are one project", () => {
  git(root, "init", "-q");
  git(root, "add", "-A");
  git(root, "commit", "-q", "-m", "first");
  const linked = join(parent, `linked ${made}`);
  git(root, "worktree", "add", "-q", "-b", "linked", linked);
  const { id, home, kind } = claim(root);
  expect({ home, kind }).toEqual({ home: join(root, ".git/lockstep"), kind: "repository" });
  expect(claim(linked)).toEqual({ root: linked, kind: "repository", home, id });
});

test("a directory that becomes a repository stays the same project", () => {
  const { id } = claim(root);
  git(root, "init", "-q");
  expect(claim(root)).toEqual({ root, kind: "repository", home: join(root, ".git/lockstep"), id });
  rmSync(join(root, ".lockstep"), { recursive: true });
  expect(find(root).id).toBe(id);
});

describe("a copy", () => {
  test("is refused by name while the original lives, and becomes a project of its own without the id", () => {
    const { id } = claim(root);
    const copy = join(parent, `copy ${made}`);
    cpSync(root, copy, { recursive: true });
    expect(findProject(copy, stateDir)).toEqual({
      code: "duplicate_project",
      text: `${copy} is a copy of the project at ${root}: both have the id ${id}. To make it a project of its own, remove ${copy}/.lockstep/id`,
    });
    rmSync(join(copy, ".lockstep/id"));
    expect(claim(copy).id).not.toBe(id);
    expect(claim(root).id).toBe(id);
  });

  test("is a move when the original is gone", () => {
    const { id } = claim(root);
    const moved = join(parent, `moved ${made}`);
    renameSync(root, moved);
    expect(claim(moved).id).toBe(id);
    cpSync(moved, root, { recursive: true });
    expect(findProject(root, stateDir)).toMatchObject({ code: "duplicate_project" });
  });

  test("is none when it is the same place by another path", () => {
    const { id } = claim(root);
    const link = join(parent, `link ${made}`);
    symlinkSync(root, link);
    expect(claim(link).id).toBe(id);
  });
});

test("an id file that holds no id is refused", () => {
  mkdirSync(join(root, ".lockstep"));
  writeFileSync(join(root, ".lockstep/id"), "../../etc\n");
  expect(findProject(root, stateDir)).toEqual({
    code: "broken_project_id",
    text: `${root}/.lockstep/id holds no id: remove it, or put back what it held`,
  });
});

test("a place that cannot be written to is refused", () => {
  writeFileSync(join(root, ".lockstep"), "in the way");
  expect(claimProject(find(root), { stateDir, newId: randomUUID })).toMatchObject({
    code: "unwritable",
    text: expect.stringContaining(`lockstep cannot keep its files for ${root}: EEXIST`),
  });
});

test("processes that claim a project at once agree on its id", async () => {
  const script = join(parent, "claims.mjs");
  writeFileSync(
    script,
    `import { randomUUID } from "node:crypto";
     import { claimProject, findProject } from ${JSON.stringify(pathToFileURL(join(import.meta.dirname, "project-place.ts")).href)};
     process.stdin.once("data", () => {
       const place = claimProject(findProject(process.argv[2], process.argv[3]), { stateDir: process.argv[3], newId: randomUUID });
       process.stdout.write(place.id, () => process.exit());
     });
     process.stderr.write("ready");`,
  );
  const children = Array.from({ length: 4 }, () =>
    spawn(process.execPath, ["--import", import.meta.resolve("tsx"), script, root, stateDir]),
  );
  await Promise.all(children.map((child) => once(child.stderr, "data")));
  const ids = children.map(async (child) => String((await once(child.stdout, "data"))[0]));
  for (const child of children) child.stdin.write("go");
  expect(new Set(await Promise.all(ids)).size).toBe(1);
  expect(readdirSync(join(root, ".lockstep")).sort()).toEqual([".gitignore", "id"]);
});
