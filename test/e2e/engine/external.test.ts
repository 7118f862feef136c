/** Workers outside lockstep: they claim, work where they like, and say how it went; their tokens are the only right they have. */

import { existsSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { reject } from "../../../src/core/errors.ts";
import { claimTask } from "../../../src/engine/claim.ts";
import { taskDone, taskFail, taskRenew } from "../../../src/engine/external.ts";
import { nextTask } from "../../../src/engine/next.ts";
import {
  attemptsOf,
  claimIn,
  eventsIn,
  gitIn,
  type Lab,
  landedTasks,
  makeLab,
  openLab,
  orderOf,
  runLab,
  statesIn,
  taskRow,
  writeFiles,
} from "../../fixtures/lab.ts";
import { startProcess } from "../../fixtures/lab-process.ts";

const TWO = [
  { id: "A", verify: "test -f A.txt" },
  { id: "B", depends_on: ["A"], verify: "test -f B.txt" },
];

const done = ({ context, plan }: Lab, task: string, token: number) =>
  taskDone(context, { plan, task, token, summary: "all of it" });

/** Resolves once this lease has run out. */
async function runOut({ lease }: { lease: { expires_at: number } }): Promise<void> {
  await sleep(Math.max(0, lease.expires_at - Date.now()) + 5);
}

describe("a worker's way", () => {
  test("OMP-11: claim, work, done: the engine checks and lands, and only then is the next task given out", async () => {
    const lab = await makeLab({ kind: "repository", tasks: TWO });
    expect((await nextTask(lab.context, lab.plan.id, { kind: "external", agent: null }))?.row.id).toBe("A");
    const claimed = await claimIn(lab);
    expect(claimed).toMatchObject({ task: { row: { id: "A", state: "in_progress" } }, workspace: { dir: lab.root } });
    expect(await nextTask(lab.context, lab.plan.id, { kind: "external", agent: null })).toBe(null);
    writeFiles(lab.root, { "A.txt": "A" });
    const answer = await done(lab, "A", claimed.lease.token);
    expect(answer).toMatchObject({ task: { row: { state: "verified" } }, landing: { ended: true } });
    expect((await nextTask(lab.context, lab.plan.id, { kind: "external", agent: null }))?.row.id).toBe("B");
    expect(landedTasks(lab)).toEqual(["A"]);
    expect((await attemptsOf(lab, "A"))[0]).toMatchObject({ agent: "anna", kind: "external", summary: "all of it" });
  });

  test("OMP: done is the worker's word only: without the work the check is red, and the task is given out again", async () => {
    const lab = await makeLab({ kind: "repository", tasks: TWO });
    const { lease } = await claimIn(lab, "A");
    expect(await done(lab, "A", lease.token)).toMatchObject({
      task: { row: { state: "pending", reason: "checks_red", tries: 1 } },
    });
    const again = await claimIn(lab, "A");
    expect(again.lease.token).toBeGreaterThan(lease.token);
    expect(again.attempt.n).toBe(2);
  });

  test("OMP-11: fail keeps the work at a ref, and the task goes on as its tries allow", async () => {
    const lab = await makeLab({ kind: "repository", defaults: { tries: 2 }, tasks: TWO });
    const fail = async () => {
      const { lease } = await claimIn(lab, "A");
      writeFiles(lab.root, { "half.txt": `attempt ${lease.token}` });
      return taskFail(lab.context, { plan: lab.plan, task: "A", token: lease.token, error: "too hard" });
    };
    expect(await fail()).toMatchObject({ ok: true });
    expect(await taskRow(lab, "A")).toMatchObject({ state: "pending", unlanded: true, last_error: "too hard" });
    expect(gitIn(lab.root, "ls-tree", "--name-only", "refs/lockstep/saved/lab/A/1")).toContain("half.txt");
    expect(await fail()).toMatchObject({ ok: true });
    expect(await taskRow(lab, "A")).toMatchObject({ state: "failed", reason: "tries_gone" });
  });
});

describe("tokens", () => {
  test("a stale one is refused for every write, the refusal is recorded, and nothing changes", async () => {
    const lab = await makeLab({ kind: "none", tasks: TWO });
    const old = await claimIn(lab, "A", 1);
    await runOut(old);
    const now = await claimIn(lab, "A");
    const { token } = old.lease;
    const stale = {
      ok: false,
      rejection: { code: "stale_token", message: `token ${token} no longer holds A: a newer one holds the task` },
    };
    expect(await taskRenew(lab.context, lab.plan, "A", token, 60_000)).toMatchObject(stale);
    expect(await taskFail(lab.context, { plan: lab.plan, task: "A", token, error: "mine" })).toMatchObject(stale);
    expect(await done(lab, "A", token)).toMatchObject({ rejection: stale.rejection });
    expect(await taskRow(lab, "A")).toMatchObject({ state: "in_progress", attempts: 2, tries: 0 });
    const refusals = (await eventsIn(lab)).filter((event) => event.type === "lease.refused");
    expect(refusals.map(({ data }) => data)).toEqual(
      ["task.renew", "task.fail", "task.done"].map((command) => ({ command, token, current: now.lease.token })),
    );
  });

  test("a lease that ran out is refused too, even before anybody else has claimed", async () => {
    const lab = await makeLab({ kind: "none", tasks: TWO });
    const claimed = await claimIn(lab, "A", 1);
    await runOut(claimed);
    expect(await done(lab, "A", claimed.lease.token)).toMatchObject({
      rejection: {
        code: "stale_token",
        message: `token ${claimed.lease.token} no longer holds A: its lease has expired`,
      },
    });
  });

  test("renewed in time, a lease outlives its first end", async () => {
    const lab = await makeLab({ kind: "none", files: { "A.txt": "" }, tasks: TWO });
    const claimed = await claimIn(lab, "A", 2_000);
    expect(await taskRenew(lab.context, lab.plan, "A", claimed.lease.token, 60_000)).toMatchObject({ ok: true });
    await runOut(claimed);
    expect(await nextTask(lab.context, lab.plan.id, { kind: "external", agent: null })).toBe(null);
    expect(await done(lab, "A", claimed.lease.token)).toMatchObject({ task: { row: { state: "verified" } } });
  });

  test("OMP OMW: a worker that died holds its task no longer than its lease: the next claim settles it as lost, at no cost of a try", async () => {
    const lab = await makeLab({ kind: "repository", tasks: TWO });
    const first = await claimIn(lab, "A", 1);
    writeFiles(lab.root, { "half.txt": "half" });
    await runOut(first);
    expect((await nextTask(lab.context, lab.plan.id, { kind: "external", agent: null }))?.row.id).toBe("A");
    const second = await claimIn(lab, "A");
    expect((await attemptsOf(lab, "A")).map(({ outcome }) => outcome)).toEqual(["lost", null]);
    expect(await taskRow(lab, "A")).toMatchObject({ tries: 0, lost: 1, attempts: 2 });
    expect(gitIn(lab.root, "show", "refs/lockstep/saved/lab/A/1:half.txt")).toBe("half");
    writeFiles(lab.root, { "A.txt": "A" });
    expect(await done(lab, "A", second.lease.token)).toMatchObject({ task: { row: { state: "verified" } } });
  });

  test("a run takes over what a dead worker left, without being asked", async () => {
    const lab = await makeLab({ kind: "repository", agent: 'echo x > "$LOCKSTEP_TASK_ID.txt"', tasks: TWO });
    await claimIn(lab, "A", 300);
    expect((await runLab(lab)).outcome).toBe("done");
    expect(landedTasks(lab)).toEqual(["A", "B"]);
  });
});

describe("a done that only the store has to hear of", () => {
  const TASKS = [{ id: "A", verify: "test -f A.txt" }];

  test("is committed together with the landing that begins, while the check is still held", async () => {
    const lab = await makeLab({ kind: "directory", tasks: TASKS });
    const { token } = (await claimIn(lab, "A")).lease;
    writeFiles(lab.root, { "A.txt": "A" });
    const { commits, context } = recorded(lab);
    expect(await done({ ...lab, context }, "A", token)).toMatchObject({ task: { row: { state: "verified" } } });
    expect(commits).toEqual(["task.done landing.begin", "landing.move"]);
  });

  test("is committed by itself where the landing cannot begin with it", async () => {
    const lab = await makeLab({ kind: "directory", tasks: TASKS });
    const { token } = (await claimIn(lab, "A")).lease;
    writeFiles(lab.root, { "A.txt": "A" });
    const { commits, context } = recorded(lab, async () => ({
      ok: false,
      events: [],
      rejection: reject("landing_held", ""),
    }));
    expect(await done({ ...lab, context }, "A", token)).toMatchObject({ task: { row: { state: "verified" } } });
    expect(commits).toEqual(["task.done landing.begin", "task.done", "landing.begin", "landing.move"]);
  });

  test("is committed by itself behind another task that waits for its landing", async () => {
    const lab = await makeLab({ kind: "none", tasks: [...TASKS, { id: "B", verify: "test -f B.txt" }] });
    const [a, b] = [(await claimIn(lab, "A")).lease, (await claimIn(lab, "B")).lease];
    writeFiles(lab.root, { "A.txt": "A", "B.txt": "B" });
    const told = {
      type: "task.done",
      plan: lab.plan.id,
      task: "A",
      token: a.token,
      summary: null,
      verdict: null,
    } as const;
    await lab.context.store.submit(told, { actor: "test" });
    const { commits, context } = recorded(lab);
    expect(await done({ ...lab, context }, "B", b.token)).toMatchObject({ task: { row: { state: "verified" } } });
    expect(commits).toEqual(["task.done", "landing.begin", "landing.move", "landing.begin", "landing.move"]);
    expect(await statesIn(lab)).toEqual({ A: "verified", B: "verified" });
  });

  test("is refused with its note where the token is stale", async () => {
    const lab = await makeLab({ kind: "directory", tasks: TASKS });
    const { token } = (await claimIn(lab, "A")).lease;
    expect(await done(lab, "A", token + 1)).toMatchObject({ rejection: { code: "stale_token" } });
    expect((await eventsIn(lab)).at(-1)).toMatchObject({ type: "lease.refused" });
    expect(await taskRow(lab, "A")).toMatchObject({ state: "in_progress" });
  });
});

/** The lab's context, and the commands that it submits, those of one transaction in one line. */
function recorded({ context }: Lab, submitAll?: Lab["context"]["store"]["submitAll"]) {
  const { store } = context;
  const commits: string[] = [];
  const note: typeof store = {
    ...store,
    submit: (command, envelope) => {
      commits.push(command.type);
      return store.submit(command, envelope);
    },
    submitAll: (commands, envelope) => {
      commits.push(commands.map(({ type }) => type).join(" "));
      return (submitAll ?? store.submitAll)(commands, envelope);
    },
  };
  return { commits, context: { ...context, store: note } };
}

describe("many at once", () => {
  test("a `task done` that comes late never takes back what another one has landed", async () => {
    const lab = await makeLab({ kind: "repository", tasks: [{ id: "A", verify: "test -e a.txt" }] });
    const { token } = (await claimIn(lab, "A")).lease;
    writeFiles(lab.root, { "a.txt": "A\n" });
    const request = { plan: lab.plan, task: "A", token, summary: null };
    let first: Promise<unknown> | null = null;
    const opened = async () => {
      first ??= taskDone(lab.context, request);
      await first;
      return lab.context.workspace.opened();
    };
    const late = { ...lab.context, workspace: { ...lab.context.workspace, opened } };
    expect(await taskDone(late, request)).toMatchObject({ task: { row: { state: "verified" } } });
    expect(landedTasks(lab)).toEqual(["A"]);
  });

  test("OMP-10: 30 workers without a workspace claim, work and finish at once: each task exactly once", async () => {
    const tasks = Array.from({ length: 30 }, (_, i) => ({ id: `T${i}`, verify: `test -f T${i}.txt` }));
    const lab = await makeLab({ kind: "none", tasks });
    const worker = async () => {
      const claimed = await claimIn(lab);
      const { id } = claimed.task.row;
      writeFiles(lab.root, { [`${id}.txt`]: id });
      await done(lab, id, claimed.lease.token);
      return id;
    };
    const claimed = await Promise.all(tasks.map(worker));
    expect(new Set(claimed).size).toBe(30);
    await expect.poll(async () => Object.values(await statesIn(lab))).toEqual(tasks.map(() => "verified"));
    expect(await orderOf(lab, "task.verified")).toHaveLength(30);
    expect(await lab.context.store.verify()).toEqual([]);
  });

  test("OMP: of 8 claims of one task at once exactly one wins, in one process", async () => {
    const lab = await makeLab({ kind: "none", tasks: [{ id: "A", verify: "test -d ." }] });
    const { context } = await openLab(lab);
    const claim = (i: number) =>
      claimTask(i % 2 ? context : lab.context, {
        plan: lab.plan.id,
        task: "A",
        kind: "external",
        agent: `worker ${i}`,
        ttlMs: 60_000,
        run: null,
      });
    const answers = await Promise.all(Array.from({ length: 8 }, (_, i) => claim(i)));
    expect(answers.filter((answer) => answer.claimed)).toHaveLength(1);
    const losers = answers.flatMap((answer) => (answer.claimed ? [] : [answer.rejection?.code]));
    expect(losers).toEqual(Array.from({ length: 7 }, () => "not_ready"));
    expect(await attemptsOf(lab, "A")).toHaveLength(1);
    expect(await orderOf(lab, "task.failed")).toEqual([]);
  });

  test("OMP: of 8 processes that claim the same 20 tasks each task has exactly one winner", async () => {
    const ids = Array.from({ length: 20 }, (_, i) => `T${i}`);
    const lab = await makeLab({ kind: "none", tasks: ids.map((id) => ({ id, verify: "test -d ." })) });
    const processes = Array.from({ length: 8 }, () => startProcess(lab, { act: { claim: ids }, point: null }));
    const ends = await Promise.all(processes.map(({ ended }) => ended));
    expect(ends.map(({ signal, err }) => ({ signal, err }))).toEqual(ends.map(() => ({ signal: null, err: "" })));
    const said = ends.map(({ out }) => out.trim().split("\n"));
    ids.forEach((_, i) => {
      expect(said.map((lines) => lines[i]).sort()).toEqual([...Array.from({ length: 7 }, () => "not_ready"), "won"]);
    });
    for (const id of ids) expect(await attemptsOf(lab, id)).toHaveLength(1);
    expect(await lab.context.store.verify()).toEqual([]);
  });

  test("in one place only one works: a second claim is refused by name, and finds the place as it was", async () => {
    const lab = await makeLab({
      kind: "repository",
      tasks: [
        { id: "A", verify: "test -d ." },
        { id: "B", verify: "test -d ." },
      ],
    });
    await claimIn(lab, "A");
    writeFiles(lab.root, { "A.txt": "half" });
    await expect(claimIn(lab, "B")).rejects.toThrow("B cannot be claimed");
    expect(existsSync(join(lab.root, "A.txt"))).toBe(true);
  });
});
