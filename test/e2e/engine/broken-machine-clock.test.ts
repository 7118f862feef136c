/** A wall clock that is set an hour on or back while a run goes on: nothing is cut off, nothing starts early, and it is told. */

import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { openSqliteStore } from "../../../src/adapters/store/sqlite/sqlite-store.ts";
import type { Clock } from "../../../src/ports/clock.ts";
import { attemptsOf, eventsIn, type Lab, type LabWish, makeLab, runLab } from "../../fixtures/lab.ts";
import { storeFile } from "../../fixtures/lab-store.ts";

const HOUR_MS = 3_600_000;

interface JumpingLab extends Lab {
  jump(ms: number): void;
}

/** A lab whose wall clock the test sets, as its engine and its store see it. Every wait looks up soon. */
async function jumpingLab(wish: LabWish): Promise<JumpingLab> {
  const lab = await makeLab(wish);
  const { clock } = lab.context;
  let offset = 0;
  const jumping: Clock = {
    now: () => clock.now() + offset,
    monotonic: clock.monotonic,
    sleep: (ms, signal) => clock.sleep(Math.min(ms, 200), signal),
  };
  const store = await openSqliteStore(storeFile(lab), { clock: jumping });
  onTestFinished(() => store.close());
  const jump = (ms: number): void => {
    offset += ms;
  };
  return { ...lab, context: { ...lab.context, clock: jumping, store }, jump };
}

async function jumpsTold(lab: Lab): Promise<number[]> {
  return (await eventsIn(lab)).flatMap((event) => (event.type === "clock.jumped" ? [event.data.ms] : []));
}

const about = (ms: number) => expect.toSatisfy((told: number) => Math.abs(told - ms) < 1_000);

describe.each([HOUR_MS, -HOUR_MS])("a clock that jumps by %i ms", (ms) => {
  test("ends no live attempt, no check, and no lease, whose limits count the time that passes", async () => {
    const agent = 'touch "$ASIDE/at-work"; until [ -e "$ASIDE/go" ]; do sleep 0.05; done';
    const tasks = [{ id: "A", verify: { run: 'touch "$ASIDE/checked"; sleep 1', timeout: "20m" }, timeout: "30m" }];
    const lab = await jumpingLab({ kind: "repository", agent, tasks });
    const run = runLab(lab);
    await expect.poll(() => existsSync(join(lab.aside, "at-work")), { timeout: 20_000 }).toBe(true);
    lab.jump(ms);
    await expect.poll(() => jumpsTold(lab), { timeout: 5_000 }).toEqual([about(ms)]);
    writeFileSync(join(lab.aside, "go"), "");
    await expect.poll(() => existsSync(join(lab.aside, "checked")), { timeout: 20_000 }).toBe(true);
    lab.jump(ms);
    expect((await run).outcome).toBe("done");
    expect(await attemptsOf(lab, "A")).toMatchObject([{ n: 1, outcome: "succeeded" }]);
    expect(await lab.context.store.lastRun(lab.plan.id)).toMatchObject({ outcome: "done" });
  });
});

describe("what is due at a time", () => {
  const RETRIED = { agent: 'test -e "$ASIDE/again" || { touch "$ASIDE/again"; exit 1; }', kind: "none" } as const;

  test("is found due when the clock jumps past it, without waiting the time out", async () => {
    const tasks = [{ id: "A", verify: "test -d ." }];
    const lab = await jumpingLab({ ...RETRIED, tasks, defaults: { retry_delay: "50m" } });
    const run = runLab(lab);
    await expect.poll(async () => (await attemptsOf(lab, "A"))[0]?.outcome, { timeout: 20_000 }).toBe("failed");
    lab.jump(HOUR_MS);
    expect((await run).outcome).toBe("done");
    expect(await jumpsTold(lab)).toEqual([about(HOUR_MS)]);
  });

  test("is never early by a clock that went back", async () => {
    const tasks = [{ id: "A", verify: "test -d ." }];
    const lab = await jumpingLab({ ...RETRIED, tasks, defaults: { retry_delay: "1s" } });
    const run = runLab(lab);
    await expect.poll(async () => (await attemptsOf(lab, "A"))[0]?.outcome, { timeout: 20_000 }).toBe("failed");
    lab.jump(-HOUR_MS);
    await expect.poll(() => jumpsTold(lab), { timeout: 5_000 }).toEqual([about(-HOUR_MS)]);
    const looked = lab.context.clock.monotonic() + 1_500;
    await expect.poll(() => lab.context.clock.monotonic() > looked, { timeout: 5_000 }).toBe(true);
    expect(await attemptsOf(lab, "A")).toHaveLength(1);
    lab.jump(HOUR_MS);
    expect((await run).outcome).toBe("done");
    const [first, second] = await attemptsOf(lab, "A");
    expect(second!.started_at - first!.ended_at!).toBeGreaterThanOrEqual(1_000);
  });
});

test("the last run is the live one, also when the clock said that the one before it began later", async () => {
  const lab = await jumpingLab({ kind: "none", agent: "true", tasks: [{ id: "A", verify: "test -d ." }] });
  const { store, actor } = lab.context;
  const start = (id: string) =>
    store.submit({ type: "run.start", plan: lab.plan.id, id, jobs: 1, tasks_max: null, budget_usd: null }, { actor });
  await start("one");
  await store.submit({ type: "run.end", plan: lab.plan.id, id: "one", outcome: "stopped" }, { actor });
  lab.jump(-HOUR_MS);
  await start("two");
  expect(await store.lastRun(lab.plan.id)).toMatchObject({ id: "two", state: "running" });
});
