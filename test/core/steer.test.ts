import { describe, expect, test } from "vitest";
import type { AttemptExtend, AttemptInterrupt } from "../../src/core/task/commands/attempts.ts";
import type { RunPause } from "../../src/core/task/commands/runs.ts";
import type { UnderwayTask } from "../../src/core/task/rows.ts";
import * as c from "../fixtures/commands.ts";
import { decided } from "../fixtures/decided.ts";
import { inProgress, RUN, rows, TASK } from "../fixtures/loaded.ts";

const OF = { plan: "plan", task: "F-1" };
const extend: AttemptExtend = { type: "attempt.extend", ...OF, ms: 1_800_000 };
const interrupt: AttemptInterrupt = { type: "attempt.interrupt", ...OF, message: "Use tabs." };
const pause = (panic?: string): RunPause => ({
  type: "run.pause",
  plan: "plan",
  ...(panic === undefined ? {} : { panic }),
});
const STOP = { as: "cancelled", why: "told so", then: null } as const;
const live = (over: object = {}) => inProgress({ attempt: { kind: "run", ...over } });

describe("a live attempt", () => {
  test("has the time of its task, and what an operator gives it more", () => {
    const { facts, attempt, task } = decided(live({ timeout_ms: 3_600_000 }), extend);
    expect({ facts, attempt, task }).toEqual({
      facts: ["attempt.extended"],
      attempt: { timeout_ms: 5_400_000 },
      task: {},
    });
  });

  test("is interrupted with a message, each with a number of its own", () => {
    const once = decided(live(), interrupt);
    expect(once).toMatchObject({ facts: ["attempt.interrupted"], attempt: { interrupts: 1 }, task: {} });
    expect(decided(once.after, interrupt).attempt).toEqual({ interrupts: 2 });
  });

  test.each([extend, interrupt])(
    "is nobody's to steer where there is none, it is a worker's, or it stops: %j",
    (command) => {
      expect(decided(rows(), command).rejection).toBe("illegal_move: F-1 has no live attempt: it is pending");
      expect(decided(inProgress({ attempt: { agent: "anna" } }), command).rejection).toBe(
        "external_worker: F-1 is under way by anna, who is not lockstep's to steer",
      );
      expect(decided(live({ stop: STOP }), command).rejection).toBe(
        "already_stopping: F-1 is stopping already: told so",
      );
    },
  );

  test("that is stopping may be killed at once, and its task goes where it was to go", () => {
    const stopping = live({ stop: { ...STOP, then: "skipped" } });
    const atOnce = c.stop({ at_once: true, why: "too slow" });
    expect(decided(stopping, atOnce).attempt).toEqual({ stop: { ...STOP, then: "skipped", at_once: true } });
    expect(decided(decided(stopping, atOnce).after, atOnce).rejection).toBe(
      "already_stopping: F-1 is stopping already: told so",
    );
  });
});

describe("a killed attempt", () => {
  const killed = (settled: Parameters<typeof c.settle>[0]) => decided(live({ stop: STOP }), c.settle(settled));

  test("ended as its disk says where it had ended by itself", () => {
    expect(killed({ outcome: "succeeded" }).task).toMatchObject({ state: "claimed_done" });
    expect(killed({ outcome: "failed", error: "it broke" })).toMatchObject({
      attempt: { outcome: "failed", error: "it broke" },
      task: { state: "pending", tries: 1, reason: "try_left" },
    });
    expect(killed({ outcome: "rate_limited" }).task).toMatchObject({ rate_limited: 1 });
  });

  test.each(["interrupted", "lost"] as const)("is cancelled otherwise (%s), which is a try", (outcome) => {
    expect(killed({ outcome, error: "told so", killed: true })).toMatchObject({
      attempt: { outcome: "cancelled" },
      task: { state: "pending", tries: 1, reason: "try_left", dirty: true },
    });
  });

  test("leaves a dirty workspace until the next attempt has ended by itself", () => {
    const { after } = killed({ outcome: "interrupted", killed: true });
    const again = { ...after, task: { ...after.task!, state: "in_progress" as const }, attempt: live().attempt };
    expect(decided({ ...again, lease: live().lease }, c.settle({ outcome: "failed" })).task).toMatchObject({
      dirty: false,
    });
  });

  test("that was lost is as good as killed; a retry from the beginning has a clean workspace", () => {
    expect(decided(live(), c.settle({ outcome: "lost", killed: true })).task).toMatchObject({ dirty: true });
    const failed = rows({ task: { state: "failed", dirty: true } });
    expect(decided(failed, c.retry({ fresh: true })).task).toMatchObject({ dirty: false });
    expect(decided(failed, c.retry()).after.task).toMatchObject({ dirty: true });
  });
});

describe("a panic", () => {
  const underway: UnderwayTask[] = [
    {
      plan: "plan",
      id: "F-1",
      state: "in_progress",
      mode: TASK.mode,
      target: "",
      kind: "run",
      agent: null,
      files_owned: [],
    },
  ];
  const running = (over: object = {}) => rows({ rest: { run: { ...RUN, ...over }, underway } });

  test("OB: pauses the run at once, whatever is live: nothing is dispatched during it", () => {
    const { after } = decided(running(), pause("panic: smoke"));
    expect(after.run).toMatchObject({ state: "paused", panic: true, reason: "panic: smoke" });
    expect(decided(running(), pause()).after.run).toMatchObject({ state: "pausing", panic: false });
    expect(decided(after, c.claim({ kind: "run" })).rejection).toMatch(/^run_not_running: /);
  });

  test("is over when somebody resumes the run", () => {
    const { after } = decided(running(), pause("panic: smoke"));
    const resumed = decided(after, { type: "run.resume", plan: "plan", tasks_max: null }).after.run;
    expect(resumed).toMatchObject({ state: "running", panic: false, reason: null });
  });

  test("leaves a run that is stopping to its end", () => {
    expect(decided(running({ state: "stopping" }), pause("panic: smoke")).rejection).toMatch(/^run_state: /);
  });
});
