/** A row of the store that something outside lockstep has broken: told by name, and nothing beside it waits. */

import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { attemptsOf, eventsIn, type Lab, makeLab, openLab, runLab, statesIn } from "../../fixtures/lab.ts";
import { leftProcesses } from "../../fixtures/lab-process.ts";
import { changeStore, storeFile } from "../../fixtures/lab-store.ts";

const TASKS = [
  { id: "A", verify: "test -d ." },
  { id: "B", verify: "test -d ." },
];

const OF_A = "task = (SELECT key FROM tasks WHERE id = 'A')";

/** What was told of tasks that were set aside. */
async function asides(lab: Lab): Promise<unknown[]> {
  return (await eventsIn(lab)).flatMap((event) => (event.type === "engine.failed" ? [event.data] : []));
}

function nextLab(lab: Lab): Promise<Lab> {
  return openLab(lab).then((opened) => ({ ...lab, ...opened }));
}

describe("a row that cannot be read", () => {
  test("OR poison entry: a definition is told by plan, task and column; the others are done, and it is too once it is mended", async () => {
    const lab = await makeLab({ kind: "none", agent: "true", tasks: TASKS });
    await changeStore(lab, `UPDATE definitions SET next = body, body = '{"verify' WHERE ${OF_A}`);
    const error = `the store ${storeFile(lab)} has a row that cannot be read: definition of task A of plan lab: column body holds "{\\"verify", which is no JSON of ours`;
    expect(await runLab(lab)).toMatchObject({ outcome: "needs_person", held: `task A was set aside: ${error}` });
    expect(await statesIn(lab)).toEqual({ A: "pending", B: "verified" });
    expect(await asides(lab)).toEqual([{ about: "A", error, retry_at: null }]);
    await expect(lab.context.store.task(lab.plan.id, "A")).rejects.toMatchObject({
      code: "unreadable",
      message: error,
    });
    expect(await lab.context.store.verify()).toEqual(["the definition of task A: column body is no JSON"]);
    await changeStore(lab, `UPDATE definitions SET body = next, next = NULL WHERE ${OF_A}`);
    expect((await runLab(await nextLab(lab))).outcome).toBe("done");
  });

  test("field report 20: a live attempt breaks no other task's, is told once, and is settled by what it left once it is mended", async () => {
    const agent =
      'touch "$ASIDE/at-$LOCKSTEP_TASK_ID"; until [ -e "$ASIDE/go" ]; do sleep 0.05; done; echo "$LOCKSTEP_TASK_ID is done"';
    const lab = await makeLab({ kind: "none", agent, tasks: TASKS, config: { jobs: 2 } });
    const run = runLab({ ...lab, context: hasty(lab) }, { jobs: 2 });
    await expect.poll(() => existsSync(join(lab.aside, "at-A")) && existsSync(join(lab.aside, "at-B"))).toBe(true);
    await changeStore(lab, "UPDATE attempts SET lease_holder = 'junk' WHERE task = 'A'");
    writeFileSync(join(lab.aside, "go"), "");
    const end = await run;
    expect(end).toMatchObject({
      outcome: "needs_person",
      held: expect.stringContaining("attempt 1 of task A of plan lab"),
    });
    expect(await statesIn(lab)).toEqual({ A: "in_progress", B: "verified" });
    const error = expect.stringMatching(
      /attempt 1 of task A of plan lab: column lease_holder holds "junk", which is no JSON of ours$/,
    );
    expect(await asides(lab)).toEqual([
      { about: "A", error, retry_at: expect.any(Number) },
      { about: "A", error, retry_at: null },
    ]);
    expect(leftProcesses(lab)).toEqual([]);
    const holder = JSON.stringify(lab.context.processes.self());
    await changeStore(lab, `UPDATE attempts SET lease_holder = '${holder}' WHERE task = 'A'`);
    expect((await runLab(await nextLab(lab))).outcome).toBe("done");
    expect(await attemptsOf(lab, "A")).toMatchObject([{ n: 1, outcome: "succeeded", summary: "A is done" }]);
  });

  test("a state that no task can be in keeps nobody else waiting, and is found by the store's own check", async () => {
    const lab = await makeLab({ kind: "none", agent: "true", tasks: TASKS });
    await changeStore(lab, "UPDATE tasks SET state = 'dreaming' WHERE id = 'A'");
    expect((await runLab(lab)).outcome).toBe("failed");
    expect((await statesIn(lab))["B"]).toBe("verified");
    await expect(lab.context.store.task(lab.plan.id, "A")).rejects.toThrow(
      'task A of plan lab: column state holds "dreaming", which is no state',
    );
    expect(await lab.context.store.verify()).toContain("task A: no task is in a state dreaming");
    await changeStore(lab, "UPDATE tasks SET state = 'pending' WHERE id = 'A'");
    expect((await runLab(await nextLab(lab))).outcome).toBe("done");
  });

  test("what is claimed done is landed once it is mended", async () => {
    const lab = await makeLab({
      kind: "none",
      agent: `test "$LOCKSTEP_TASK_ID" = B || touch "$ASIDE/ran"`,
      tasks: TASKS,
    });
    expect((await runLab(lab, { tasksMax: 1 })).outcome).toBe("stopped");
    await changeStore(
      lab,
      "UPDATE tasks SET state = 'claimed_done' WHERE id = 'A'; UPDATE attempts SET usage = '[' WHERE task = 'A'",
    );
    const end = await runLab(await nextLab(lab));
    expect(end).toMatchObject({ outcome: "needs_person", held: expect.stringContaining('column usage holds "["') });
    expect((await statesIn(lab))["B"]).toBe("verified");
    await changeStore(lab, "UPDATE attempts SET usage = NULL WHERE task = 'A'");
    expect((await runLab(await nextLab(lab))).outcome).toBe("done");
  });
});

describe("what goes wrong with one task", () => {
  test("OL: is tried again after a while, and nothing is done twice", async () => {
    const lab = await makeLab({ kind: "repository", agent: AGENT, tasks: TASKS });
    const context = failing(lab, "candidate", 1);
    expect((await runLab({ ...lab, context })).outcome).toBe("done");
    expect(await asides(lab)).toEqual([{ about: "A", error: "a bug", retry_at: expect.any(Number) }]);
    expect(await attemptsOf(lab, "A")).toHaveLength(1);
  });

  test("OL: is left to a person when it goes wrong again and again; the rest is done, and the next engine tries anew", async () => {
    const lab = await makeLab({
      kind: "repository",
      agent: AGENT,
      tasks: TASKS,
      config: { workspace: { mode: "worktree" } },
    });
    const end = await runLab({ ...lab, context: failing(lab, "candidate", 99) });
    expect(end).toMatchObject({ outcome: "needs_person", held: "task A was set aside: a bug" });
    expect(await statesIn(lab)).toEqual({ A: "claimed_done", B: "verified" });
    expect(await asides(lab)).toEqual([
      { about: "A", error: "a bug", retry_at: expect.any(Number) },
      { about: "A", error: "a bug", retry_at: null },
    ]);
    expect((await runLab(await nextLab(lab))).outcome).toBe("done");
  });

  test("a place that breaks while it is opened is handed back, and costs no try", async () => {
    const lab = await makeLab({
      kind: "repository",
      agent: AGENT,
      tasks: TASKS,
      config: { workspace: { mode: "worktree" } },
    });
    expect((await runLab({ ...lab, context: failing(lab, "open", 1) })).outcome).toBe("done");
    expect(await asides(lab)).toMatchObject([{ about: "A", error: "a bug" }]);
    expect((await attemptsOf(lab, "A")).map(({ outcome }) => outcome)).toEqual(["lost", "succeeded"]);
  });
});

const AGENT = 'echo "$LOCKSTEP_TASK_ID" > "$LOCKSTEP_TASK_ID.txt"';

/** A clock on which every wait is over soon. */
function hasty({ context }: Lab): Lab["context"] {
  const { clock } = context;
  const monotonic = () => clock.monotonic() * 200;
  return { ...context, clock: { ...clock, monotonic, sleep: (ms, signal) => clock.sleep(Math.min(ms, 50), signal) } };
}

/** The engine's context in which the first calls of one kind for task A throw. */
function failing(lab: Lab, call: "candidate" | "open", times: number): Lab["context"] {
  let calls = 0;
  const context = hasty(lab);
  const { workspace } = context;
  const fail = (slug: string): void => {
    if (slug === "A" && calls++ < times) throw new Error("a bug");
  };
  const open: typeof workspace.open = async (task, options) => {
    fail(task.slug);
    return workspace.open(task, options);
  };
  const candidate: typeof workspace.candidate = async (request) => {
    fail(request.slug);
    return workspace.candidate(request);
  };
  return { ...context, workspace: { ...workspace, ...(call === "open" ? { open } : { candidate }) } };
}
