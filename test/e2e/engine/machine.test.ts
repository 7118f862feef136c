/** What the machine does not give: a state directory that cannot be written, a disk that is full. One clear error, nothing changed. */

import { spawnSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { attemptsOf, gitIn, type Lab, landedTasks, makeLab, openLab } from "../../fixtures/lab.ts";
import { leftProcesses } from "../../fixtures/lab-process.ts";

const SCRIPT = fileURLToPath(new URL("../../fixtures/lab-engine.ts", import.meta.url));
const TASKS = [{ id: "A", verify: "test -f A.txt" }];
const AGENT = 'echo done > "$LOCKSTEP_TASK_ID.txt"';

/** In a mount namespace of its own the test's directory can be given a small disk, or none that can be written. */
const isRoot = process.getuid?.() === 0 && spawnSync("unshare", ["-m", "true"]).status === 0;

describe.runIf(isRoot)("the state directory", () => {
  /** `script` finds the engine as `engine`; what it prints is the outcome of the run, or the error that ended it. */
  const inNamespace = (script: string, lab: Lab, max_wait_ms = 0) => {
    const ORDER = JSON.stringify({ root: lab.root, act: { run: true, max_wait_ms }, point: null });
    const engine = 'engine() { "$NODE" --import "$TSX" "$SCRIPT" "$ORDER" 2>&1; }';
    const env = { ...lab.env, NODE: process.execPath, TSX: import.meta.resolve("tsx"), SCRIPT, ORDER };
    const argv = ["-m", "--propagation", "private", "bash", "-euc", `${engine}\n${script}`];
    return spawnSync("unshare", argv, { env, encoding: "utf8" });
  };

  /** The state, on a disk of 1 MB of its own. */
  const SMALL = `
    mkdir "$ASIDE/copy"; cp -a "$ASIDE/state/." "$ASIDE/copy"
    mount -t tmpfs -o size=1m tmpfs "$ASIDE/state"; cp -a "$ASIDE/copy/." "$ASIDE/state"
    fill() { head -c 2000000 /dev/zero > "$ASIDE/state/filler" 2> /dev/null || true; }`;

  const closedLab = async (agent: string, disk_floor = "0KB"): Promise<Lab> => {
    const lab = await makeLab({ kind: "repository", agent, tasks: TASKS, config: { limits: { disk_floor } } });
    await lab.project.close();
    return lab;
  };

  test("on a full disk: one clear error, nothing changed, and it works again once there is space", async () => {
    const lab = await closedLab(AGENT);
    const script = `${SMALL}\nfill; if engine; then exit 9; fi; echo FREED; rm "$ASIDE/state/filler"; engine`;
    const { status, stdout } = inNamespace(script, lab);
    const [before, after] = stdout.split("FREED\n");
    expect(before).toMatch(/StoreUnavailable: the store .*store\.db (is on a full disk|cannot be read or written) \(/);
    expect({ status, after }).toEqual({ status: 0, after: "done\n" });
    expect(landedTasks(lab)).toEqual(["A"]);
  });

  const FILLS = `${AGENT}; test -e "$ASIDE/again" || { touch "$ASIDE/again"; head -c 2000000 /dev/zero > "$ASIDE/state/filler"; } 2> /dev/null; true`;

  /** Spools on another disk than the store. */
  const APART = 'mount -t tmpfs tmpfs "$ASIDE/state/lockstep/blobs"';

  test.each([
    ["its runner keeps its end until there is space", SMALL, /^$/],
    [
      "the engine waits, says so once, and settles it when there is space",
      `${SMALL}\nmkdir -p "$ASIDE/state/lockstep/blobs"; ${APART}`,
      /^the store .*store\.db is on a full disk \(.*\): waiting for that to pass\n$/,
    ],
  ])("on a disk that is full when the agent has ended: %s", { timeout: 60_000 }, async (_, disk, said) => {
    const lab = await closedLab(FILLS);
    const script = `${disk}
      engine & until [ -s "$ASIDE/state/filler" ]; do sleep 0.1; done; sleep 3
      echo FREED; rm "$ASIDE/state/filler"; wait $!; cp -a "$ASIDE/state/." "$ASIDE/copy"`;
    const { status, stdout } = inNamespace(script, lab);
    const [before, after] = stdout.split("FREED\n");
    expect({ status, after }).toEqual({ status: 0, after: "done\n" });
    expect(before).toMatch(said);
    expect(landedTasks(lab)).toEqual(["A"]);
    expect(gitIn(lab.root, "status", "--porcelain")).toBe("");
    expect(leftProcesses(lab)).toEqual([]);
    const { context } = await openLab({ root: lab.root, env: { ...lab.env, XDG_STATE_HOME: join(lab.aside, "copy") } });
    expect(await attemptsOf({ ...lab, context }, "A")).toMatchObject([{ n: 1, outcome: "succeeded" }]);
    expect(await context.store.verify()).toEqual([]);
  });

  test("below the free space that is asked for nothing starts, and all goes on by itself once there is enough", async () => {
    const lab = await closedLab(AGENT, "1MB");
    // The store's own disk has enough: only the place of worktrees is small, and then larger.
    const script = `
      PLACES="$(echo "$ASIDE"/state/lockstep/projects/*)/worktrees"
      mkdir -p "$PLACES"; mount -t tmpfs -o size=512k tmpfs "$PLACES"
      engine & sleep 4; echo SHORT; ls "$PLACES"; echo MORE; mount -o remount,size=64m "$PLACES"; wait $!`;
    const { status, stdout } = inNamespace(script, lab, 60_000);
    expect({ status, stdout }).toEqual({ status: 0, stdout: "SHORT\nMORE\ndone\n" });
  });

  test("on a disk that is full when its engine dies: the work is kept, and the next run finishes the plan", async () => {
    const lab = await closedLab(FILLS);
    const script = `${SMALL}
      engine & until [ -s "$ASIDE/state/filler" ]; do sleep 0.1; done; sleep 3
      pkill -KILL -P $!; wait $! || echo FREED; rm "$ASIDE/state/filler"; engine`;
    const { status, stdout } = inNamespace(script, lab);
    expect({ status, after: stdout.split("FREED\n")[1] }).toEqual({ status: 0, after: "done\n" });
    expect(landedTasks(lab)).toEqual(["A"]);
    expect(leftProcesses(lab)).toEqual([]);
  });

  test("that is mounted read-only: one clear error, nothing changed, and it works again after", async () => {
    const lab = await closedLab(AGENT);
    const mount = 'mount --bind "$ASIDE/state" "$ASIDE/state"; mount -o remount,bind,ro "$ASIDE/state"';
    const { status, stdout } = inNamespace(
      `${mount}\nif engine; then exit 9; fi; umount "$ASIDE/state"; echo AGAIN; engine`,
      lab,
    );
    const [before, after] = stdout.split("AGAIN\n");
    expect(before).toMatch(/StoreUnavailable: the store .*store\.db cannot be (written|read or written) \(/);
    expect({ status, after }).toEqual({ status: 0, after: "done\n" });
    expect(landedTasks(lab)).toEqual(["A"]);
  });
});

describe("the state directory", () => {
  test("that cannot be made, because a file stands there: one clear error, and the project is as it was", async () => {
    const lab = await makeLab({ kind: "directory", tasks: TASKS });
    const blocked = join(lab.aside, "blocked");
    mkdirSync(blocked);
    writeFileSync(join(blocked, "lockstep"), "a file");
    const opening = openLab({ root: lab.root, env: { ...lab.env, XDG_STATE_HOME: blocked } });
    await expect(opening).rejects.toThrow(/cannot be (read or written|written)|ENOTDIR|EEXIST/);
  });
});
