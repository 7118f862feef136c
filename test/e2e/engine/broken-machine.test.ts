/** A machine that fails under a live engine: clear errors, nothing lost or doubled, and the next engine finishes the plan. */

import { spawnSync } from "node:child_process";
import {
  closeSync,
  copyFileSync,
  existsSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import {
  attemptsOf,
  eventsIn,
  gitIn,
  type Lab,
  landedTasks,
  makeLab,
  openLab,
  runLab,
  statesIn,
} from "../../fixtures/lab.ts";
import { leftProcesses, startProcess } from "../../fixtures/lab-process.ts";
import { storeFile } from "../../fixtures/lab-store.ts";

const TASKS = [
  { id: "A", verify: "test -f A.txt" },
  { id: "B", depends_on: ["A"], verify: "test -f B.txt" },
];
const AGENT = 'echo done > "$LOCKSTEP_TASK_ID.txt"';
/** Says that it is at work, and does it once it may. */
const PATIENT = `touch "$ASIDE/at-work"; until [ -e "$ASIDE/go" ]; do sleep 0.05; done; ${AGENT}`;

const SCRIPT = fileURLToPath(new URL("../../fixtures/lab-engine.ts", import.meta.url));

/** A shell in which `engine` runs the lab's plan and prints its outcome, or the error that ended it. */
function inShell(lab: Lab, script: string, wrapper: readonly string[] = []): { status: number | null; stdout: string } {
  const ORDER = JSON.stringify({ root: lab.root, act: { run: true }, point: null });
  const env = { ...lab.env, NODE: process.execPath, TSX: import.meta.resolve("tsx"), SCRIPT, ORDER };
  const engine = 'engine() { "$NODE" --import "$TSX" "$SCRIPT" "$ORDER" 2>&1; }';
  const [program, ...argv] = [...wrapper, "bash", "-euc", `${engine}\n${script}`];
  return spawnSync(program!, argv, { env, encoding: "utf8", timeout: 50_000, killSignal: "SIGKILL" });
}

async function closedLab(agent: string, mode: "in_place" | "worktree" = "in_place"): Promise<Lab> {
  const lab = await makeLab({
    kind: "repository",
    agent,
    tasks: TASKS,
    config: { workspace: { mode }, limits: { disk_floor: "0KB" } },
  });
  await lab.project.close();
  return lab;
}

/** Another engine finds the cause gone, and the plan is finished: each task once. */
async function finishes(lab: Lab): Promise<void> {
  const next = { ...lab, ...(await openLab(lab)) };
  expect((await runLab(next)).outcome).toBe("done");
  expect(await statesIn(next)).toEqual({ A: "verified", B: "verified" });
  expect(landedOn(lab)).toEqual(["A", "B"]);
  expect(await next.context.store.verify()).toEqual([]);
  expect(leftProcesses(lab)).toEqual([]);
}

/** On the branch that tasks land on: the plan's own where there is one. */
function landedOn({ root }: Lab): string[] {
  const branch = gitIn(root, "branch", "--list", "--format=%(refname:short)", "lockstep/lab") || "main";
  const format = "--format=%(trailers:key=Lockstep-Task,valueonly,separator=%x2C)";
  return gitIn(root, "log", "--reverse", format, branch)
    .split("\n")
    .filter((line) => line !== "");
}

const isRoot = process.getuid?.() === 0 && spawnSync("unshare", ["-m", "true"]).status === 0;

describe.runIf(isRoot)("a full disk under the project", () => {
  /** The project, on a disk of its own that has 1 MB of room. */
  const SMALL = `
    mkdir "$ASIDE/copy"; cp -a "$ASIDE/project/." "$ASIDE/copy"
    mount -t tmpfs -o size=8m tmpfs "$ASIDE/project"; cp -a "$ASIDE/copy/." "$ASIDE/project"; cd "$ASIDE"
    keep() { rm -rf "$ASIDE/kept"; cp -a "$ASIDE/project" "$ASIDE/kept"; }`;
  const FILLS = `${AGENT}; test -e "$ASIDE/again" || { touch "$ASIDE/again"; cat /dev/zero > .git/filler; } 2> /dev/null; true`;

  test("when the agent has ended: it is said, the work is kept, and the plan is finished once there is space", {
    timeout: 60_000,
  }, async () => {
    const lab = await closedLab(FILLS);
    const script = `${SMALL}
      engine & until [ -s project/.git/filler ]; do sleep 0.1; done; sleep 4
      rm project/.git/filler; wait $! || true; echo AGAIN; engine; keep`;
    const { status, stdout } = inShell(lab, script, ["unshare", "-m", "--propagation", "private"]);
    expect(stdout).toMatch(
      /^(.*(is on a full disk|No space left on device).*: waiting for that to pass\n)+done\nAGAIN\n/,
    );
    expect(status).toBe(0);
    const kept = { ...lab, root: join(lab.aside, "kept") };
    expect(landedTasks(kept)).toEqual(["A", "B"]);
    expect(gitIn(kept.root, "status", "--porcelain")).toBe("");
    expect(leftProcesses(lab)).toEqual([]);
  });
});

describe.runIf(isRoot)("an engine that has no more files to open in the middle of a run", () => {
  test.each([
    { mode: "in_place", room: 1 },
    { mode: "worktree", room: 1 },
    { mode: "worktree", room: 0 },
  ] as const)(
    "($mode, room for $room): it is said, and nothing is lost or done twice when it has them again",
    { timeout: 90_000 },
    async ({ mode, room }) => {
      const lab = await closedLab(PATIENT, mode);
      const { child, ended } = startProcess(lab, { act: { run: true }, point: null });
      await atWork(lab);
      const limit = (files: number) => spawnSync("prlimit", [`--pid=${child.pid}`, `--nofile=${files}:`]);
      limit(limitFor(child.pid as number, room));
      writeFileSync(join(lab.aside, "go"), "");
      await expect
        .poll(() => leftProcesses(lab).filter((line) => line.includes("runner.cjs")), { timeout: 20_000 })
        .toEqual([]);
      // Time enough to run into it.
      await new Promise((resolve) => setTimeout(resolve, 3_000));
      limit(1_024);
      const { out, err } = await ended;
      const waited = expect.stringMatching(/^.*EMFILE.*: waiting for that to pass\ndone\n$/);
      expect({ out, err }).toEqual({ out: room === 0 ? "done\n" : waited, err: "" });
      await finishes(lab);
      const next = { ...lab, ...(await openLab(lab)) };
      for (const task of ["A", "B"])
        expect((await attemptsOf(next, task)).filter(({ outcome }) => outcome === "succeeded")).toHaveLength(1);
      const reports = (await eventsIn(next)).flatMap((event) =>
        event.type === "attempt.reported" ? event.data.progress : [],
      );
      expect(reports).toEqual(room === 0 ? ["its spool cannot be read: EMFILE: waiting for that to pass"] : []);
    },
  );
});

/** A limit under which `room` more files can be opened: whoever started the tests may have handed down files of high numbers. */
function limitFor(pid: number, room: number): number {
  const open = new Set(readdirSync(`/proc/${pid}/fd`));
  let limit = 0;
  for (let free = room; free > 0 || open.has(`${limit}`); limit += 1) if (!open.has(`${limit}`)) free -= 1;
  return limit;
}

const atWork = (lab: Lab) => expect.poll(() => existsSync(join(lab.aside, "at-work")), { timeout: 20_000 }).toBe(true);

describe("a store under a live engine", () => {
  test("that is damaged is told, the engine ends, and the work is not lost when it is brought back", {
    timeout: 60_000,
  }, async () => {
    const lab = await closedLab(PATIENT);
    const { ended } = startProcess(lab, { act: { run: true }, point: null });
    await atWork(lab);
    const backup = join(lab.aside, "backup.db");
    // What stands in the log is carried over, so that the file itself is what counts.
    await withStore(lab, "PRAGMA wal_checkpoint(TRUNCATE)");
    copyFileSync(storeFile(lab), backup);
    damage(storeFile(lab));
    writeFileSync(join(lab.aside, "go"), "");
    const { err } = await ended;
    expect(err).toMatch(
      /StoreUnavailable: the store .*store\.db is damaged \(SQLITE_CORRUPT: database disk image is malformed\)/,
    );
    for (const end of ["-wal", "-shm"]) rmSync(`${storeFile(lab)}${end}`, { force: true });
    copyFileSync(backup, storeFile(lab));
    await expect.poll(() => leftProcesses(lab), { timeout: 20_000 }).toEqual([]);
    await finishes(lab);
    const next = { ...lab, ...(await openLab(lab)) };
    expect(await attemptsOf(next, "A")).toMatchObject([{ n: 1, outcome: "succeeded" }]);
  });

  test("that is moved away is told, and nothing is lost when it is put back", { timeout: 60_000 }, async () => {
    const lab = await closedLab(PATIENT);
    const { child, ended } = startProcess(lab, { act: { run: true }, point: null });
    await atWork(lab);
    renameSync(join(lab.aside, "state"), join(lab.aside, "elsewhere"));
    writeFileSync(join(lab.aside, "go"), "");
    const gone = await Promise.race([ended, new Promise<null>((resolve) => setTimeout(resolve, 8_000, null))]);
    if (gone === null) child.kill("SIGKILL");
    await ended;
    rmSync(join(lab.aside, "state"), { recursive: true, force: true });
    renameSync(join(lab.aside, "elsewhere"), join(lab.aside, "state"));
    await finishes(lab);
  });
});

async function withStore(lab: Lab, sql: string): Promise<void> {
  const { connect } = await import("../../../src/adapters/store/sqlite/driver.ts");
  const connection = await connect(storeFile(lab));
  connection.exec(sql);
  connection.close();
}

/** Every page but the first is overwritten. */
function damage(file: string): void {
  const { size } = statSync(file);
  const descriptor = openSync(file, "r+");
  writeSync(descriptor, Buffer.alloc(size - 4_096, 0x5a), 0, size - 4_096, 4_096);
  closeSync(descriptor);
}
