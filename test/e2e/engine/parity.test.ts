/** What a user of the systems that came before finds here again, by the library. */

import { existsSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { describe, expect, test } from "vitest";
import { ended } from "../../../src/adapters/agent/ended.ts";
import { inlineHost } from "../../../src/adapters/agent/inline-host.ts";
import { TASK_STATES } from "../../../src/core/task/moves.ts";
import { claimTask } from "../../../src/engine/claim.ts";
import { taskDone } from "../../../src/engine/external.ts";
import { nextTask } from "../../../src/engine/next.ts";
import type { CheckRequest } from "../../../src/ports/processes.ts";
import {
  attemptsOf,
  claimIn,
  type Lab,
  loadTasks,
  makeLab,
  orderOf,
  runLab,
  statesIn,
  taskRow,
} from "../../fixtures/lab.ts";

const VERIFY = "test -d .";

const claim = (lab: Lab, task: string | null) =>
  claimTask(lab.context, { plan: lab.plan.id, task, kind: "external", agent: null, ttlMs: 60_000, run: null });

describe("the store", () => {
  test("OMP-1: is one database in the user's state directory, for its owner only, written ahead", async () => {
    const lab = await makeLab({ kind: "directory", tasks: [{ id: "A", verify: VERIFY }] });
    const { storeFile } = lab.project;
    expect(storeFile).toBe(`${lab.aside}/state/lockstep/store.db`);
    expect(statSync(storeFile).mode & 0o077).toBe(0);
    expect(statSync(dirname(storeFile)).mode & 0o077).toBe(0);
    expect(existsSync(`${storeFile}-wal`)).toBe(true);
  });

  test("OMP-2 OMP-6: a row keeps its times, its attempts and its last error; a retry clears all but the attempts", async () => {
    const lab = await makeLab({
      kind: "directory",
      agent: "exit 1",
      defaults: { tries: 1 },
      tasks: [
        {
          id: "A",
          title: "The work",
          verify: VERIFY,
          wave: 4,
          estimated_minutes: 7,
          files_owned: ["a/**"],
          skill: "writing",
        },
      ],
    });
    const before = await taskRow(lab, "A");
    expect(before).toMatchObject({ slug: "A", title: "The work", wave: 4, state: "pending", attempts: 0 });
    expect(before).toMatchObject({ started_at: null, finished_at: null, last_error: null });
    const { definition } = (await lab.context.store.task(lab.plan.id, "A"))!;
    expect(definition).toMatchObject({
      estimated_minutes: 7,
      files_owned: ["a/**"],
      skill: "writing",
      verify: [{ run: VERIFY, timeout_ms: 600_000 }],
    });
    await runLab(lab);
    const failed = await taskRow(lab, "A");
    expect(failed).toMatchObject({ state: "failed", attempts: 1, last_error: "it ended with 1" });
    expect(failed.finished_at).toBeGreaterThanOrEqual(failed.started_at!);
    const retry = { type: "task.retry", plan: lab.plan.id, task: "A", fresh: false } as const;
    await lab.context.store.submit(retry, { actor: "test" });
    expect(await taskRow(lab, "A")).toMatchObject({
      state: "pending",
      attempts: 1,
      started_at: null,
      finished_at: null,
    });
  });

  test("OMP-3 OMP-14: it counts every state, gives the share that is done, and lists tasks by state in index order", async () => {
    const lab = await makeLab({
      kind: "none",
      tasks: ["F-10", "F-2", "F-1"].map((id) => ({ id, verify: VERIFY })),
    });
    const claimed = await claimIn(lab, "F-2");
    await taskDone(lab.context, { plan: lab.plan, task: "F-2", token: claimed.lease.token, summary: null });
    await claimIn(lab, "F-10");
    const summary = (await lab.context.store.summary(lab.plan.id))!;
    const none = Object.fromEntries(TASK_STATES.map((state) => [state, 0]));
    expect(summary.tallies).toMatchObject({ ...none, verified: 1, in_progress: 1, pending: 1 });
    const active = await lab.context.store.active(lab.plan.id, 10);
    expect(active.map(({ row }) => [row.id, row.state])).toEqual([["F-10", "in_progress"]]);
    const listed = await lab.context.store.tasks(lab.plan.id, { offset: 0, limit: 10 });
    expect(listed.map(({ id }) => id)).toEqual(["F-1", "F-2", "F-10"]);
    const verified = await lab.context.store.tasks(lab.plan.id, { state: "verified", offset: 0, limit: 10 });
    expect(verified.map(({ id }) => id)).toEqual(["F-2"]);
  });
});

describe("loading", () => {
  test("OMP-8: twins, unknown dependencies and cycles are all told at once, and nothing is written", async () => {
    const lab = await makeLab({ kind: "none", tasks: [{ id: "A", verify: VERIFY }] });
    const broken = [
      { id: "A", verify: VERIFY },
      { id: "A", verify: VERIFY },
      { id: "B", depends_on: ["nobody"], verify: VERIFY },
      { id: "C", depends_on: ["D"], verify: VERIFY },
      { id: "D", depends_on: ["C"], verify: VERIFY },
    ];
    const problems = await loadTasks(lab, broken).then(
      () => "",
      (error: Error) => error.message,
    );
    expect(problems).toMatch(/nobody/);
    expect(problems).toMatch(/C.*D.*C|D.*C.*D/);
    expect(problems.match(/"line":/g)!.length).toBeGreaterThanOrEqual(3);
    expect(await statesIn(lab)).toEqual({ A: "pending" });
  });

  test("OMP-9 OMP: a reload keeps state and attempts, takes in what is new, and never gives out what is gone", async () => {
    const lab = await makeLab({
      kind: "none",
      tasks: [
        { id: "A", verify: VERIFY },
        { id: "B", verify: VERIFY },
        { id: "gone", verify: VERIFY },
      ],
    });
    const claimed = await claimIn(lab, "A");
    await taskDone(lab.context, { plan: lab.plan, task: "A", token: claimed.lease.token, summary: null });
    const plan = await loadTasks(lab, [
      { id: "A", title: "Another title", verify: VERIFY },
      { id: "B", title: "Another title too", verify: VERIFY, priority: 5 },
      { id: "new", verify: VERIFY, depends_on: ["B"] },
    ]);
    expect(plan).toMatchObject({ id: lab.plan.id, revision: 2 });
    expect(await taskRow(lab, "A")).toMatchObject({ state: "verified", attempts: 1 });
    expect(await taskRow(lab, "B")).toMatchObject({ state: "pending", title: "Another title too", priority: 5 });
    expect(await taskRow(lab, "gone")).toMatchObject({ state: "cancelled", retired: true });
    expect(await claim(lab, "gone")).toMatchObject({ claimed: null, rejection: { code: "not_ready" } });
    expect((await claimIn(lab)).task.row.id).toBe("B");
    expect(await claim(lab, null)).toEqual({ claimed: null, rejection: null });
    const again = await loadTasks(lab, [{ id: "gone", verify: VERIFY }]).catch((error: Error) => error.message);
    expect(again).toMatchObject({ revision: 3 });
    expect(await taskRow(lab, "gone")).toMatchObject({ state: "pending", retired: false });
  });
});

describe("scheduling", () => {
  test("OR-9: tasks whose files may overlap are never under way at once; who owns nothing runs beside anything", async () => {
    const lab = await makeLab({
      kind: "none",
      tasks: [
        { id: "A", verify: VERIFY, files_owned: ["src/cart/**"] },
        { id: "B", verify: VERIFY, files_owned: ["src/**/totals.ts"] },
        { id: "C", verify: VERIFY, files_owned: ["docs/**"] },
        { id: "D", verify: VERIFY },
      ],
    });
    const first = await claimIn(lab, "A");
    expect(await claim(lab, "B")).toMatchObject({
      rejection: { code: "overlap", message: "B cannot be claimed: its files may overlap with those of A" },
    });
    expect((await nextTask(lab.context, lab.plan.id, { kind: "external", agent: null }))?.row.id).toBe("C");
    expect((await claimIn(lab)).task.row.id).toBe("C");
    expect((await claimIn(lab)).task.row.id).toBe("D");
    expect(await claim(lab, null)).toEqual({ claimed: null, rejection: null });
    await taskDone(lab.context, { plan: lab.plan, task: "A", token: first.lease.token, summary: null });
    expect((await claimIn(lab)).task.row.id).toBe("B");
  });

  test("OR-8: no more attempts are started than the project may have at once, whoever works outside of it", async () => {
    const live: number[] = [];
    let now = 0;
    let release = (): void => {};
    const both = new Promise<void>((resolve) => {
      release = resolve;
    });
    const lab = await makeLab({
      kind: "none",
      dispatch: async () => {
        now += 1;
        live.push(now);
        if (now === 2) release();
        await both;
        now -= 1;
        return undefined;
      },
      tasks: ["A", "B", "C"].map((id) => ({ id, verify: VERIFY })),
    });
    expect((await runLab(lab, { jobs: 2 })).outcome).toBe("done");
    expect(live.slice(0, 2)).toEqual([1, 2]);
    expect(Math.max(...live)).toBe(2);
  });
});

describe("seams", () => {
  test("OB-32: clock, processes and agents are ports: a test stands in for any of them and sees every call", async () => {
    const lab = await makeLab({ kind: "none", tasks: [{ id: "A", verify: "no-such-command" }] });
    const asked: CheckRequest[] = [];
    const context = {
      ...lab.context,
      clock: { ...lab.context.clock, now: () => 1_700_000_000_000 },
      runners: {
        host: () => inlineHost(async () => ({ ...ended("succeeded", null, "stood in"), cost_usd: 0.25 })),
        adopt: async () => null,
        leavePlace: async () => {},
      },
      processes: {
        ...lab.context.processes,
        holdCheck: async (request: CheckRequest) => {
          asked.push(request);
          const end = { outcome: "green", exit_code: 0, tail: "all well", ms: 1, forced: false } as const;
          return { process: null, release: async () => end, abandon: async () => {} };
        },
      },
    };
    expect((await runLab({ ...lab, context })).outcome).toBe("done");
    expect(asked.map(({ command, cwd }) => ({ command, cwd }))).toEqual([
      { command: "no-such-command", cwd: lab.root },
    ]);
    expect((await attemptsOf(lab, "A"))[0]).toMatchObject({ summary: "stood in", cost_usd: 0.25 });
    expect(await orderOf(lab, "task.verified")).toEqual(["A"]);
  });
});
