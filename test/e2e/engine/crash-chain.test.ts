/** Kills one after the other: of engines that adopt, that take a landing over, of a `finish` and of a `gc` that are said again. */

import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { CrashPoint } from "../../fixtures/crash-point.ts";
import { attemptsOf, gitIn, type Lab, runLab, writeFiles } from "../../fixtures/lab.ts";
import { AGENT, around, at, crashAt, crashLab, finishes, outcomesOf, system, TASKS } from "../../fixtures/lab-crash.ts";
import type { EngineOrder } from "../../fixtures/lab-engine.ts";
import { startProcess } from "../../fixtures/lab-process.ts";

/** Seven engines one after the other, on a machine that has other work too. */
const CHAIN_MS_MAX = 90_000;

const PATIENT = `touch "$ASIDE/at-work"; until [ -e "$ASIDE/go" ]; do sleep 0.05; done; ${AGENT}`;

test(
  "engines that are killed while they adopt a live attempt: the next one adopts it, and it ends as if nothing had happened",
  async () => {
    const lab = await crashLab("worktree", { agent: PATIENT });
    const { child, ended } = startProcess(lab, { act: { run: true }, point: null });
    await expect.poll(() => existsSync(join(lab.aside, "at-work")), { timeout: 20_000 }).toBe(true);
    const before = (await attemptsOf(lab, "A"))[0]!;
    child.kill("SIGKILL");
    await ended;
    await crashEach(lab, [
      { port: "runners", call: "adopt", when: "before" },
      { port: "runners", call: "adopt", when: "after" },
      at("attempt.adopt", "before"),
      at("attempt.adopt", "after"),
      at("attempt.start", "before"),
    ]);
    writeFileSync(join(lab.aside, "go"), "");
    await crashEach(lab, [at("attempt.settle", "before")]);
    await finishes(lab);
    expect(await attemptsOf(lab, "A")).toMatchObject([{ n: 1, outcome: "succeeded", token: before.token }]);
  },
  CHAIN_MS_MAX,
);

test(
  "engines that are killed while they take a landing over: the next one takes it over, and it lands once",
  async () => {
    const lab = await crashLab("worktree");
    await crashEach(lab, [
      around("land", "after"),
      around("holds", "after"),
      at("landing.adopt", "before"),
      at("landing.adopt", "after"),
      at("landing.move", "before"),
      at("landing.move", "after"),
    ]);
    await finishes(lab);
    expect(await outcomesOf(lab, "A")).toEqual(["succeeded"]);
  },
  CHAIN_MS_MAX,
);

test(
  "a finish that is killed at each of its steps, said again: it lands the plan once",
  async () => {
    const tasks = TASKS.map((task) => ({ ...task, verify: `grep -qx ${task.id} log.txt` }));
    const lab = await crashLab("worktree", { tasks });
    await runLab(lab);
    writeFiles(lab.root, { "theirs.txt": "a person's\n" });
    gitIn(lab.root, "add", "-A");
    gitIn(lab.root, "commit", "-q", "-m", "a person's");
    gitIn(lab.root, "switch", "-q", "-c", "mine");
    const act = { finish: null };
    const points: CrashPoint[] = [
      around("join", "after"),
      { port: "processes", call: "holdCheck", when: "after" },
      around("bring", "before"),
      system("spawn", "update-ref", "before"),
      around("bring", "after"),
    ];
    await crashEach(lab, points, { act });
    expect(await startProcess(lab, { act, point: null }).ended).toEqual({
      signal: null,
      out: "refs/heads/main\n",
      err: "",
    });
    expect(gitIn(lab.root, "show", "main:log.txt")).toBe("A\nB");
    expect(gitIn(lab.root, "rev-list", "--count", "--first-parent", "main")).toBe("3");
    gitIn(lab.root, "switch", "-q", "main");
    await finishes(lab);
  },
  CHAIN_MS_MAX,
);

test(
  "a gc that is killed at each of its steps, said again: it frees the rest, and nothing is lost",
  async () => {
    const lab = await crashLab("worktree");
    await runLab(lab);
    const points = [
      system("renameSync", ".gone-", "before"),
      system("renameSync", ".gone-", "after"),
      system("rmSync", "/worktrees/", "after"),
      system("rmSync", ".json", "after"),
      system("spawn", "lockstep-work", "after", 2),
    ];
    await crashEach(lab, points, { act: { gc: true } });
    const again = await startProcess(lab, { act: { gc: true }, point: null }).ended;
    expect(again).toMatchObject({ signal: null, err: "" });
    expect(gitIn(lab.root, "for-each-ref", "refs/heads/lockstep-work")).toBe("");
    await finishes(lab);
  },
  CHAIN_MS_MAX,
);

async function crashEach(lab: Lab, points: CrashPoint[], order: Partial<EngineOrder> = {}): Promise<void> {
  for (const point of points) await crashAt(lab, point, order);
}
