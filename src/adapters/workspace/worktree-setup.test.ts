import { readdirSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import type { Workspace } from "../../ports/workspace.ts";
import { localProcesses } from "../processes/local-processes.ts";
import {
  a1,
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
  stateDir,
  writeAt,
} from "./worktree.fixture.ts";

let logs = 0;

function placeThat(commands: string[], copy: string[] = [], timeoutMs = 20_000): Workspace {
  const env = { PATH: process.env["PATH"] ?? "" };
  const logFile = async () => {
    logs += 1;
    return join(stateDir, `setup-${logs}.log`);
  };
  return placeWith({ processes: localProcesses(), copy, setup: { commands, timeoutMs, env, logFile } });
}

beforeEach(() => {
  logs = 0;
});

function runs(dir: string): string {
  return readAt(dir, "node_modules/runs");
}

const install = "mkdir -p node_modules && echo ran >> node_modules/runs";

test("setup runs once in a worktree and in the one where checks run, and again when a lock file changed", async () => {
  writeAt(root, "web/package-lock.json", "1");
  commitAll(root, "locked");
  const place = placeThat([install]);
  const first = await open(place, a1);
  expect(runs(first.dir)).toBe("ran\n");
  writeAt(first.dir, "x", "1");
  const made = await candidate(place, a1);
  expect(runs(made.dir)).toBe("ran\n");
  expect(await place.land(a1, made)).toEqual({ landed: true });

  const { dir } = await open(place, b1);
  expect(dir).toBe(first.dir);
  expect(runs(dir)).toBe("ran\n");
  writeAt(dir, "web/package-lock.json", "2");
  const changed = await candidate(place, b1);
  expect(runs(changed.dir)).toBe("ran\nran\n");
  expect(await place.land(b1, changed)).toEqual({ landed: true });
  expect(runs((await open(place, c1)).dir)).toBe("ran\nran\n");
});

test("a setup that fails refuses the place, gives it back, and is tried again", async () => {
  const place = placeThat(["echo first", "echo no network; exit 7"]);
  const text = 'the setup command "echo no network; exit 7" ended with exit code 7: no network';
  expect(await place.open(a1, { resume: false })).toEqual({ code: "setup", text });
  expect(await place.occupied()).toEqual([]);
  const logged = readdirSync(stateDir).filter((name) => name.startsWith("setup-"));
  expect(logged.map((name) => readAt(stateDir, name))).toEqual(["first\n", "no network\n"]);
  expect(await open(placeThat(["true"]), a1)).toMatchObject({ dir: join(stateDir, "worktrees", "1") });
});

test("a setup that takes too long is ended", async () => {
  const place = placeThat(["sleep 60"], [], 200);
  const text = 'the setup command "sleep 60" was not done after 0.2 s: ';
  expect(await place.open(a1, { resume: false })).toEqual({ code: "setup", text });
});

test("files that git does not know are copied, and are never part of the work", async () => {
  writeAt(root, ".env", "SECRET=1");
  writeAt(root, "config/my local.json", "{}");
  writeAt(root, "node_modules/.env", "not this one");
  const place = placeThat([], [".env", "config/*.json"]);
  const { dir } = await open(place, a1);
  expect(readAt(dir, ".env")).toBe("SECRET=1");
  expect(readAt(dir, "config/my local.json")).toBe("{}");
  expect(readdirSync(dir)).not.toContain("node_modules");
  writeAt(dir, "x", "1");
  const made = await candidate(place, a1);
  expect(made.changed).toEqual([{ path: "x", status: "added" }]);
  expect(readAt(made.dir, ".env")).toBe("SECRET=1");
  expect(await place.save(a1)).toEqual({ saved: "refs/lockstep/saved/p/a/1" });
  expect(git("ls-tree", "-r", "--name-only", "refs/lockstep/saved/p/a/1")).toBe(".gitignore\na.txt\nx");
});

test("a copied file alone is no work", async () => {
  writeAt(root, ".env", "SECRET=1");
  const place = placeThat([], [".env"]);
  const { base } = await open(place, a1);
  expect(await candidate(place, a1)).toMatchObject({ commit: base, changed: [] });
  expect(git("rev-parse", "lockstep-work/p/a")).toBe(base);
  expect(await place.save(a1)).toEqual({ saved: null });
});

test("a copied file that the agent committed does not reach the target's history", async () => {
  writeAt(root, ".env", "SECRET=1");
  const place = placeThat([], [".env"]);
  await land(place, a1, (dir) => {
    writeAt(dir, "x", "1");
    commitAll(dir, "all of it");
  });
  expect(git("log", "--format=%s", "lockstep/p", "--", ".env")).toBe("");
  expect(git("log", "--format=%s", "lockstep/p")).toBe("Work of a\nfirst");
});

test("a pattern that finds a folder of dependencies is refused", async () => {
  for (let index = 0; index <= 1_000; index += 1) writeAt(root, `node_modules/${index}`, "");
  const place = placeThat([], ["node_modules/**"]);
  const text = "workspace.copy names 1001 files, more than 1000: name fewer, and let setup install the rest";
  expect(await place.open(a1, { resume: false })).toEqual({ code: "too_large", text });
  expect(await ask(place, a1)).toMatchObject({ code: "too_large" });
  expect(gitAt(root, "status", "--porcelain")).toBe("");
});

test("a setup that an engine left running when it died is ended before the worktree is used again", async () => {
  const processes = localProcesses();
  const place = placeThat([]);
  await open(place, a1);
  await place.save(a1);
  const env = { PATH: process.env["PATH"] ?? "" };
  const logFile = join(stateDir, "left.log");
  const left = await processes.holdCheck({ command: "sleep 60", cwd: root, timeoutMs: 60_000, env, logFile });
  const ended = left.release();
  const note = JSON.parse(readAt(stateDir, "worktrees/1.json")) as object;
  writeAt(stateDir, "worktrees/1.json", JSON.stringify({ ...note, setup_process: left.process }));
  await open(place, b1);
  expect(await ended).toMatchObject({ outcome: "red" });
  expect(processes.alive(left.process!)).toBe(false);
});
