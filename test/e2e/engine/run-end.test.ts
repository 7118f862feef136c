/** How a run ends, what it waits for, and what its events tell. */

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { TASK_STATES } from "../../../src/core/task/moves.ts";
import { taskDone } from "../../../src/engine/external.ts";
import {
  attemptsOf,
  claimIn,
  eventsIn,
  gitIn,
  landedTasks,
  loadTasks,
  makeLab,
  orderOf,
  runLab,
  statesIn,
  taskRow,
  writeFiles,
} from "../../fixtures/lab.ts";

const VERIFY = "test -d .";
const TWO = [
  { id: "A", verify: VERIFY },
  { id: "B", depends_on: ["A"], verify: VERIFY },
];

describe("the end of a run", () => {
  test("OMP-14 OR-25: done: every event in its order, the last one with the count of each state", async () => {
    const lab = await makeLab({ kind: "repository", agent: 'echo "$LOCKSTEP_TASK_ID" > out.txt', tasks: TWO });
    const end = await runLab(lab);
    expect(end.outcome).toBe("done");
    expect(end.summary.run).toBe(null);
    const events = await eventsIn(lab);
    const told = events.map(({ type, task, attempt }) =>
      [type, task, attempt].filter((part) => part !== null).join(" "),
    );
    const ofTask = (id: string) => [
      `attempt.created ${id} 1`,
      `task.claimed ${id} 1`,
      `attempt.started ${id} 1`,
      `attempt.settled ${id} 1`,
      `task.claimed_done ${id} 1`,
      // First for the right to build a candidate, then with the candidate and its held check.
      `landing.begun ${id} 1`,
      `landing.begun ${id} 1`,
      `check.recorded ${id} 1`,
      `landing.advanced ${id} 1`,
      `landing.ended ${id} 1`,
      `task.verified ${id} 1`,
    ];
    expect(told).toEqual([
      "task.added A",
      "task.added B",
      "plan.loaded",
      "run.started",
      ...ofTask("A"),
      ...ofTask("B"),
      "run.ended",
    ]);
    const none = Object.fromEntries(TASK_STATES.map((state) => [state, 0]));
    expect(events.at(-1)).toMatchObject({
      type: "run.ended",
      v: 1,
      actor: "test",
      data: { outcome: "done", counts: { ...none, verified: 2 } },
    });
    expect(events.every((event, i) => i === 0 || event.seq > events[i - 1]!.seq)).toBe(true);
    expect(events.every((event, i) => i === 0 || event.at >= events[i - 1]!.at)).toBe(true);
    expect(await lab.context.store.verify()).toEqual([]);
  });

  test("stopped: as many attempts as were allowed, then nothing more; the next run carries on", async () => {
    const lab = await makeLab({ kind: "directory", tasks: TWO });
    expect((await runLab(lab, { tasksMax: 1 })).outcome).toBe("stopped");
    expect(await statesIn(lab)).toEqual({ A: "verified", B: "pending" });
    expect((await runLab(lab)).outcome).toBe("done");
  });

  test("stopped: told to stop while an agent works, it lets that task end and land", async () => {
    const stop = new AbortController();
    const lab = await makeLab({
      kind: "directory",
      dispatch: async () => {
        stop.abort();
        return undefined;
      },
      tasks: TWO,
    });
    expect((await runLab(lab, { stop: stop.signal })).outcome).toBe("stopped");
    expect(await statesIn(lab)).toEqual({ A: "verified", B: "pending" });
  });

  test("stopped: killed while an agent works, the attempt is handed back and costs no try", async () => {
    const kill = new AbortController();
    const lab = await makeLab({ kind: "repository", agent: 'touch half.txt "$ASIDE/at-work"; sleep 600', tasks: TWO });
    const ended = runLab(lab, { kill: kill.signal });
    await expect.poll(() => gitIn(lab.root, "status", "--porcelain"), { timeout: 20_000 }).toBe("?? half.txt");
    kill.abort();
    expect((await ended).outcome).toBe("stopped");
    expect(await taskRow(lab, "A")).toMatchObject({ state: "pending", tries: 0, unlanded: true });
    expect((await attemptsOf(lab, "A"))[0]).toMatchObject({ outcome: "interrupted", error: "stopped by its operator" });
    expect(gitIn(lab.root, "ls-tree", "--name-only", "refs/lockstep/saved/lab/A/1")).toContain("half.txt");
  });

  test("stopped: killed while a check runs, the task stays claimed done; the same process carries on from there", async () => {
    const kill = new AbortController();
    const lab = await makeLab({
      kind: "repository",
      agent: "echo a > a.txt",
      tasks: [{ id: "A", verify: 'touch "$ASIDE/checking"; test -e "$ASIDE/go" || sleep 600' }],
    });
    const ended = runLab(lab, { kill: kill.signal });
    const checking = async () => (await lab.context.store.landing(lab.project.id, "refs/heads/main"))?.check ?? null;
    await expect.poll(checking, { timeout: 20_000 }).not.toBe(null);
    kill.abort();
    expect((await ended).outcome).toBe("stopped");
    expect(await taskRow(lab, "A")).toMatchObject({ state: "claimed_done" });
    writeFileSync(join(lab.aside, "go"), "");
    expect((await runLab(lab)).outcome).toBe("done");
    expect(gitIn(lab.root, "log", "--format=%s")).toBe("A\nfirst");
  });

  test("needs_person: a checkout with the user's own changes is left alone, and the run says what to do", async () => {
    const lab = await makeLab({ kind: "repository", agent: "echo a > a.txt", tasks: TWO });
    writeFileSync(join(lab.root, "mine.txt"), "precious");
    expect((await runLab(lab)).outcome).toBe("needs_person");
    expect(await orderOf(lab, "task.claimed")).toEqual([]);
    expect(gitIn(lab.root, "status", "--porcelain")).toBe("?? mine.txt");
  });

  test("parked: with no time to wait it ends before what is due later", async () => {
    const lab = await makeLab({ kind: "directory", agent: "exit 1", defaults: { retry_delay: "1h" }, tasks: TWO });
    expect((await runLab(lab, { maxWaitMs: 0 })).outcome).toBe("parked");
    expect(await taskRow(lab, "A")).toMatchObject({ state: "pending", reason: "try_left", tries: 1 });
  });

  test("it wakes by itself when a task comes due, and never before", async () => {
    const lab = await makeLab({
      kind: "directory",
      agent: 'test -e "$ASIDE/again" || { touch "$ASIDE/again"; exit 1; }',
      defaults: { retry_delay: "700ms" },
      tasks: TWO,
    });
    expect((await runLab(lab)).outcome).toBe("done");
    const [first, second] = await attemptsOf(lab, "A");
    expect(second!.started_at - first!.ended_at!).toBeGreaterThanOrEqual(700);
  });

  test("it waits for a worker of another plan who has the one place, and goes on when that task has landed", async () => {
    const lab = await makeLab({ kind: "repository", agent: 'echo "$LOCKSTEP_TASK_ID" > out.txt', tasks: TWO });
    const other = { ...lab, plan: await loadTasks(lab, [{ id: "X", verify: "test -f x.txt" }], "other") };
    const { lease } = await claimIn(other, "X");
    const run = runLab(lab);
    await expect.poll(async () => (await lab.context.store.summary(lab.plan.id))?.run?.state).toBe("running");
    writeFiles(lab.root, { "x.txt": "x" });
    await taskDone(lab.context, { plan: other.plan, task: "X", token: lease.token, summary: null });
    expect((await run).outcome).toBe("done");
    expect(landedTasks(lab)).toEqual(["X", "A", "B"]);
  });

  test("failed: what waits behind a failed task counts too, and is told apart in the counts", async () => {
    const lab = await makeLab({ kind: "directory", agent: "exit 1", defaults: { tries: 1 }, tasks: TWO });
    expect((await runLab(lab)).outcome).toBe("failed");
    expect((await eventsIn(lab)).at(-1)).toMatchObject({
      type: "run.ended",
      data: { outcome: "failed", counts: { failed: 1, pending: 1, verified: 0 } },
    });
  });

  test("failed: with cascade the dependants are skipped, each with its reason", async () => {
    const lab = await makeLab({
      kind: "directory",
      agent: "exit 1",
      defaults: { tries: 1, on_dependency_failed: "cascade" },
      tasks: [...TWO, { id: "C", depends_on: ["B"], verify: VERIFY }],
    });
    expect((await runLab(lab)).outcome).toBe("failed");
    expect(await statesIn(lab)).toEqual({ A: "failed", B: "skipped", C: "skipped" });
    expect(await taskRow(lab, "C")).toMatchObject({ reason: "dependency_failed" });
  });

  test("an operator's cancel ends a live attempt at once", async () => {
    const lab = await makeLab({
      kind: "directory",
      agent: 'touch "$ASIDE/at-work"; sleep 600',
      tasks: [{ id: "A", verify: VERIFY }],
    });
    const ended = runLab(lab);
    const started = async () => (await attemptsOf(lab, "A"))[0]?.process ?? null;
    await expect.poll(started, { timeout: 20_000 }).not.toBe(null);
    await lab.context.store.submit(
      { type: "task.cancel", plan: lab.plan.id, task: "A", why: "not wanted" },
      { actor: "anna" },
    );
    expect((await ended).outcome).toBe("done");
    expect(await taskRow(lab, "A")).toMatchObject({ state: "cancelled", last_error: "not wanted" });
  });
});
