/** What a run waits for ends by itself, and what nobody holds any more holds nobody up. */

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import { describe, expect, test } from "vitest";
import { endAbandoned } from "../../../src/engine/end-stopped.ts";
import { landTask } from "../../../src/engine/landing.ts";
import { attemptsOf, claimIn, gitIn, type Lab, makeLab, runLab, statesIn, taskRow } from "../../fixtures/lab.ts";

const A = { id: "A", title: "Do it", verify: "test -d ." };

test("the lease of a worker that is gone ends by itself, also while its task could not be claimed", async () => {
  const tasks = [
    { ...A, files_owned: ["src/**"] },
    { ...A, id: "B", files_owned: ["src/b.ts"] },
  ];
  const lab = await makeLab({ kind: "none", tasks });
  await claimIn(lab, "A", 300);
  expect((await runLab(lab, { budgetUsd: 0 })).outcome).toBe("needs_person");
  expect(await attemptsOf(lab, "A")).toMatchObject([{ outcome: "lost", error: "the worker's lease ran out" }]);
  expect(await statesIn(lab)).toEqual({ A: "pending", B: "pending" });
});

test("a run that the hourly cap holds waits for the hour to move on, or ends parked when it may not wait", async () => {
  const lab = await makeLab({
    kind: "none",
    tasks: [A, { ...A, id: "B" }],
    config: { limits: { attempts_per_hour: 1 } },
  });
  expect((await runLab(lab, { maxWaitMs: 0 })).outcome).toBe("parked");
  expect(await statesIn(lab)).toEqual({ A: "verified", B: "pending" });
  const database = new Database(lab.project.storeFile);
  database.prepare("UPDATE attempts SET started_at = started_at - 3597000").run();
  database.close();
  expect((await runLab(lab)).outcome).toBe("done");
});

describe("a task whose lane has a review", () => {
  const reviewed = (kind: "none" | "repository", task: object) =>
    makeLab({ kind, tasks: [{ ...A, lane: "reviewed", ...task }] });

  async function works(lab: Lab): Promise<void> {
    const { lease } = await claimIn(lab);
    const command = { type: "task.done", plan: lab.plan.id, task: "A", token: lease.token } as const;
    await lab.context.store.submit({ ...command, summary: null, verdict: null }, { actor: "test" });
    const record = await lab.context.store.task(lab.plan.id, "A");
    expect(await landTask(lab.context, record!, "lab")).toEqual({ ended: true });
  }

  test.each([
    ["none", {}],
    ["none", { verify: [], unchecked: true }],
    ["repository", { verify: [], unchecked: true }],
  ] as const)("goes to it before anything lands, also without a check: %s %j", async (kind, task) => {
    const lab = await reviewed(kind, task);
    await works(lab);
    expect(await taskRow(lab, "A")).toMatchObject({
      state: "pending",
      reason: "review_due",
      phase: 1,
      landed_sha: null,
    });
  });
});

test("field report 24: the landing of a machine that is gone holds the target no longer once its task is requeued", async () => {
  const tasks = [A, { ...A, id: "B" }];
  const lab = await makeLab({ kind: "repository", tasks, config: { workspace: { mode: "worktree" } } });
  const { store } = lab.context;
  for (const task of ["A", "B"]) {
    const { lease } = await claimIn(lab, task);
    const done = {
      type: "task.done",
      plan: lab.plan.id,
      task,
      token: lease.token,
      summary: null,
      verdict: null,
    } as const;
    await store.submit(done, { actor: "test" });
  }
  const target = (await taskRow(lab, "A")).target;
  const elsewhere = { node: "elsewhere", boot: "b", pid: 1, start: "1" };
  const nothing = { attempt: 1, tip: null, candidate: null, tree: null, check: null, over: null };
  await store.submit(
    { type: "landing.begin", plan: lab.plan.id, task: "A", target, holder: elsewhere, ...nothing },
    { actor: "elsewhere" },
  );
  const b = await store.task(lab.plan.id, "B");
  expect(await landTask(lab.context, b!, "lab")).toMatchObject({ ended: false, held: { task: "A" } });
  const requeue = {
    type: "attempt.stop",
    plan: lab.plan.id,
    task: "A",
    as: "interrupted",
    why: "gone",
    then: "pending",
  } as const;
  await store.submit(requeue, { actor: "anna" });
  expect(await landTask(lab.context, b!, "lab")).toEqual({ ended: true });
  expect((await taskRow(lab, "B")).state).toBe("verified");
});

test("a landing whose holder died is ended when its task was ended meanwhile, and its check with it", async () => {
  const lab = await makeLab({ kind: "none", tasks: [A, { ...A, id: "B" }] });
  const { store, processes } = lab.context;
  const { lease } = await claimIn(lab, "A");
  const of = { plan: lab.plan.id, task: "A" };
  await store.submit({ type: "task.done", ...of, token: lease.token, summary: null, verdict: null }, { actor: "test" });
  const { target } = await taskRow(lab, "A");
  const held = await processes.holdCheck({
    command: "sleep 600",
    cwd: lab.root,
    timeoutMs: 600_000,
    env: { PATH: process.env["PATH"]! },
    logFile: join(lab.aside, "check.log"),
  });
  const ended = held.release();
  const check = { command: "sleep 600", process: held.process! };
  const dead = { ...processes.self(), pid: 2 ** 22 - 1, start: "1" };
  const nothing = { attempt: 1, tip: null, candidate: null, tree: null, over: null };
  await store.submit({ type: "landing.begin", ...of, target, holder: dead, check, ...nothing }, { actor: "test" });
  const skip = { type: "task.skip", ...of, satisfies: false, without_work: false, why: "not needed" } as const;
  expect(await store.submit(skip, { actor: "anna" })).toMatchObject({ ok: true });
  expect((await runLab(lab)).outcome).toBe("done");
  expect(await store.landings(lab.project.id)).toEqual([]);
  expect((await ended).outcome).toBe("red");
});

test("a landing whose holder died after the target moved is told of before another one takes its place", async () => {
  const tasks = [A, { ...A, id: "B" }];
  const lab = await makeLab({ kind: "repository", tasks, config: { workspace: { mode: "worktree" } } });
  const { store, workspace, processes } = lab.context;
  for (const task of ["A", "B"]) {
    const { lease, workspace: place } = await claimIn(lab, task);
    writeFileSync(join(place.dir, task), task);
    const done = { type: "task.done", plan: lab.plan.id, task, token: lease.token } as const;
    await store.submit({ ...done, summary: null, verdict: null }, { actor: "test" });
  }
  const { target } = await taskRow(lab, "A");
  const of = { plan: lab.plan.id, task: "A" };
  const place = { plan: "lab", slug: "A", n: 1 };
  const candidate = await workspace.candidate({ ...place, message: "A", base: null, target });
  if ("code" in candidate) throw new Error(candidate.text);
  const dead = { ...processes.self(), pid: 2 ** 22 - 1, start: "1" };
  const { tip, commit, tree } = candidate;
  const begin = {
    type: "landing.begin",
    ...of,
    attempt: 1,
    target,
    holder: dead,
    tip,
    candidate: commit,
    tree,
  } as const;
  const begun = await store.submit({ ...begin, check: null, over: null }, { actor: "test" });
  const token = begun.events.flatMap((event) => (event.type === "landing.begun" ? event.data.landing.token : []))[0]!;
  const result = { command: A.verify, kind: "verify", outcome: "green", exit_code: 0, tree } as const;
  await store.submit(
    {
      type: "check.record",
      ...of,
      target,
      token,
      result: { ...result, log: "l", tail: "", ms: 1 },
      blame: "task",
      next: null,
    },
    { actor: "test" },
  );
  expect(await workspace.land(place, candidate)).toMatchObject({ landed: true });
  const b = await store.task(lab.plan.id, "B");
  expect(await landTask(lab.context, b!, "lab")).toEqual({ ended: true });
  expect(await statesIn(lab)).toEqual({ A: "verified", B: "verified" });
  expect((await taskRow(lab, "A")).landed_sha).toBe(commit);
  expect(gitIn(lab.root, "log", "--first-parent", "--format=%s", target).split("\n")).toHaveLength(3);
});

test("work that a review approved lands as it was, though its attempt's place is somebody else's by then", async () => {
  const tasks = [{ ...A, lane: "reviewed", verify: [], unchecked: true }];
  const lab = await makeLab({ kind: "repository", tasks, config: { workspace: { mode: "worktree" } } });
  const { store } = lab.context;
  const { lease, workspace: place } = await claimIn(lab, "A");
  writeFileSync(join(place.dir, "A"), "the work");
  const of = { plan: lab.plan.id, task: "A" };
  await store.submit({ type: "task.done", ...of, token: lease.token, summary: null, verdict: null }, { actor: "test" });
  expect(await landTask(lab.context, (await store.task(lab.plan.id, "A"))!, "lab")).toEqual({ ended: true });
  const { work_commit } = await taskRow(lab, "A");
  const holder = lab.context.processes.self();
  const verdict = { type: "verdict.give", ...of, word: "approved", comments: "", commit: work_commit } as const;
  expect(await store.submit({ ...verdict, by: "bob", holder }, { actor: "bob" })).toMatchObject({ ok: true });
  expect(await landTask(lab.context, (await store.task(lab.plan.id, "A"))!, "lab")).toEqual({ ended: true });
  const { state, target } = await taskRow(lab, "A");
  expect(state).toBe("verified");
  expect(gitIn(lab.root, "show", `${target}:A`)).toBe("the work");
});

test("work whose landing was cut off and whose task was then skipped is kept, and its place is free", async () => {
  const tasks = [A, { ...A, id: "B" }];
  const lab = await makeLab({ kind: "repository", tasks, config: { workspace: { mode: "worktree" } } });
  const { store, workspace, processes } = lab.context;
  const { lease, workspace: place } = await claimIn(lab, "A");
  writeFileSync(join(place.dir, "A"), "the work");
  const of = { plan: lab.plan.id, task: "A" };
  await store.submit({ type: "task.done", ...of, token: lease.token, summary: null, verdict: null }, { actor: "test" });
  const { target } = await taskRow(lab, "A");
  const dead = { ...processes.self(), pid: 2 ** 22 - 1, start: "1" };
  const nothing = { attempt: 1, tip: null, candidate: null, tree: null, check: null, over: null };
  await store.submit({ type: "landing.begin", ...of, target, holder: dead, ...nothing }, { actor: "test" });
  for (const task of ["A", "B"]) {
    const skip = { type: "task.skip", ...of, task, satisfies: false, without_work: true, why: "not needed" } as const;
    expect(await store.submit(skip, { actor: "anna" })).toMatchObject({ ok: true });
  }
  await endAbandoned(lab.context);
  expect(await workspace.occupied()).toEqual([]);
  expect(gitIn(lab.root, "show", "refs/lockstep/saved/lab/A/1:A")).toBe("the work");
});
