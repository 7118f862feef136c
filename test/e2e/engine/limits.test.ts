/** Holds end by themselves, each at its own time, and hold up nobody else. */

import { expect, test } from "vitest";
import { runPlan } from "../../../src/engine/run.ts";
import {
  attemptsOf,
  claimIn,
  eventsIn,
  type Lab,
  loadTasks,
  makeLab,
  requestOf,
  runLab,
  statesIn,
} from "../../fixtures/lab.ts";

const CONFIG = {
  agents: {
    first: { adapter: "command", command: ["true"], account: "x" },
    second: { adapter: "command", command: ["true"], account: "y" },
  },
};
const A = { id: "A", title: "A", agent: "first", verify: "test -d ." };
const B = { id: "B", title: "B", agent: "second", verify: "test -d ." };

/** Holds an account for so long from now on; answers when it is over. */
async function hold({ context: { store, clock, project } }: Lab, account: string, ms: number): Promise<number> {
  const until = clock.now() + ms;
  const set = { type: "hold.set", project: project.id, key: `account:${account}`, until, why: "limit" } as const;
  await store.submit(set, { actor: "test" });
  return until;
}

test("each task starts when its own account is free, whichever stands first", async () => {
  const lab = await makeLab({ kind: "none", tasks: [A, B], config: CONFIG, defaults: { agent: "first" } });
  const [x, y] = [await hold(lab, "x", 5_000), await hold(lab, "y", 1_500)];
  expect((await runLab(lab)).outcome).toBe("done");
  const [a] = await attemptsOf(lab, "A");
  const [b] = await attemptsOf(lab, "B");
  expect(a!.started_at).toBeGreaterThanOrEqual(x);
  expect(b!.started_at).toBeGreaterThanOrEqual(y);
  expect(b!.started_at).toBeLessThan(x);
  expect(a!.started_at).toBeLessThan(x + 2_000);
  expect(await lab.context.store.holds(lab.project.id)).toEqual([]);
});

test("a run that may not wait so long ends parked, and one without need of it does not wait", async () => {
  const lab = await makeLab({ kind: "none", tasks: [A, B], config: CONFIG, defaults: { agent: "first" } });
  await hold(lab, "x", 3_600_000);
  expect((await runLab(lab, { maxWaitMs: 60_000 })).outcome).toBe("parked");
  expect(await statesIn(lab)).toEqual({ A: "pending", B: "verified" });
  const plan = await loadTasks(lab, [B], "other");
  expect(await runPlan(lab.context, requestOf({ plan }))).toMatchObject({ outcome: "done" });
});

test("a task that waits for a limit, and for files that a worker of another plan has, is parked until the limit is over", async () => {
  const owned = { files_owned: ["src/**"] };
  const config = { ...CONFIG, land: { target: "shared" } };
  const lab = await makeLab({ kind: "none", tasks: [{ ...A, ...owned }], config, defaults: { agent: "first" } });
  const plan = await loadTasks(lab, [{ ...B, ...owned }], "other");
  await claimIn({ ...lab, plan }, "B", 7_200_000);
  await hold(lab, "x", 3_600_000);
  expect((await runLab(lab, { maxWaitMs: 60_000 })).outcome).toBe("parked");
});

test("an operator who releases it lets the run that waits go on at once", async () => {
  const lab = await makeLab({ kind: "none", tasks: [A], config: CONFIG, defaults: { agent: "first" } });
  await hold(lab, "x", 3_600_000);
  const { store, project } = lab.context;
  const clear = () => store.submit({ type: "hold.clear", project: project.id, key: "account:x" }, { actor: "anna" });
  const end = await runLab(lab, { onWait: () => void clear() });
  expect(end.outcome).toBe("done");
  expect((await eventsIn(lab)).map(({ type }) => type)).not.toContain("task.requeued");
});

test("a run needs a person for what is held until one comes, also where the first ready task only waits for its time", async () => {
  const lab = await makeLab({ kind: "none", tasks: [A, B], config: CONFIG, defaults: { agent: "first" } });
  await hold(lab, "x", 3_600_000);
  const { store, project } = lab.context;
  const refused = {
    project: project.id,
    key: "account:y",
    until: null,
    why: "log it in",
  } as const;
  await store.submit({ type: "hold.set", ...refused }, { actor: "test" });
  const held = "account y (of agent second) is held: log it in";
  expect(await runLab(lab, { maxWaitMs: 60_000 })).toMatchObject({ outcome: "needs_person", held });
  expect(await statesIn(lab)).toEqual({ A: "pending", B: "pending" });
  await hold(lab, "x", 1_500);
  const waits: number[] = [];
  expect((await runLab(lab, { onWait: ({ items }) => void waits.push(items) })).outcome).toBe("needs_person");
  expect(new Set(waits)).toEqual(new Set([1]));
  expect(await statesIn(lab)).toEqual({ A: "verified", B: "pending" });
});
