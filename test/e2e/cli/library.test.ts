/** The same from a program: an inline agent carries a plan to its end. */

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { Event } from "../../../src/index.ts";
import { claimTask, loadPlanFile, openProject, ProjectUnusable, run, taskDone } from "../../../src/index.ts";
import { Lab } from "./lab.ts";

const PLAN = {
  plan: "p",
  tasks: [
    { id: "a", title: "A", verify: "test -s a", retry_delay: "1ms" },
    { id: "b", title: "B", verify: "test -s b", depends_on: ["a"], retry_delay: "1ms" },
  ],
};

test("run carries a plan with a function as its agent, and tells every event", async () => {
  const lab = new Lab();
  lab.write("plan.json", JSON.stringify(PLAN));
  const events: Event[] = [];
  const briefs: string[] = [];
  const end = await run({
    root: lab.dir,
    store: join(lab.base, "store.db"),
    plan: join(lab.dir, "plan.json"),
    onEvent: (event) => events.push(event),
    dispatch: async ({ task, workspace, last_failure }) => {
      briefs.push(`${task.id}: ${last_failure === null ? "first" : "again"}`);
      if (last_failure !== null || task.id === "b") writeFileSync(join(workspace, task.id), "x");
      return { summary: "written" };
    },
  });
  expect(end).toMatchObject({ outcome: "done" });
  expect(briefs).toEqual(["a: first", "a: again", "b: first"]);
  expect(events.at(-1)).toMatchObject({ type: "run.ended", data: { outcome: "done" } });
});

test("run takes a plan as a value, and refuses one with problems by name", async () => {
  const lab = new Lab();
  const of = { root: lab.dir, store: join(lab.base, "store.db") };
  const dispatch = async ({ task, workspace }: { task: { id: string }; workspace: string }) => {
    writeFileSync(join(workspace, task.id), "x");
    return undefined;
  };
  expect(await run({ ...of, plan: PLAN, dispatch })).toMatchObject({ outcome: "done" });
  const broken = { plan: "q", tasks: [{ id: "a", title: "A" }] };
  expect(await run({ ...of, plan: broken, dispatch })).toMatchObject({
    refusal: {
      code: "plan_refused",
      message: "the plan has problems; nothing was loaded",
      problems: [{ path: "tasks[0]" }],
    },
  });
});

test("a worker of the library claims and finishes a task", async () => {
  const lab = new Lab();
  lab.write("plan.json", JSON.stringify(PLAN));
  const project = await openProject({ cwd: lab.dir, env: lab.env, writes: true, actor: "worker:anna" });
  try {
    expect(await loadPlanFile(project, join(lab.dir, "plan.json"))).toMatchObject({
      ok: true,
      counts: { inserted: 2 },
    });
    const context = await project.context();
    const plan = (await context.store.planNamed(project.id, "p"))!;
    const claim = await claimTask(context, {
      plan: plan.id,
      task: null,
      kind: "external",
      agent: "anna",
      ttlMs: 60_000,
      run: null,
    });
    expect(claim.claimed?.task.row.id).toBe("a");
    lab.write("a", "x");
    const done = await taskDone(context, { plan, task: "a", token: claim.claimed!.lease.token, summary: null });
    expect(done).toMatchObject({ task: { row: { state: "verified" } } });
  } finally {
    await project.close();
  }
});

test("what a person must change is thrown with its code and hint", async () => {
  const lab = new Lab({ config: "" });
  const opening = openProject({ cwd: lab.dir, env: lab.env, writes: true, actor: "test" });
  await expect(opening).rejects.toBeInstanceOf(ProjectUnusable);
  await expect(opening).rejects.toMatchObject({
    code: "no_project",
    hint: "`lockstep init` makes this directory a project.",
  });
});

test("a run that cannot begin is refused as a value", async () => {
  const lab = new Lab();
  lab.write("plan.json", "{}");
  const end = await run({ root: lab.dir, store: join(lab.base, "store.db"), plan: join(lab.dir, "plan.json") });
  expect(end).toMatchObject({ refusal: { code: "plan_refused" } });
});
