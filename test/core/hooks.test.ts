import { describe, expect, test } from "vitest";
import { hookCall } from "../../src/core/policy/hooks.ts";
import type { HookFail } from "../../src/core/task/commands/records.ts";
import type { Event } from "../../src/core/task/events.ts";
import { MOVE_EVENTS } from "../../src/core/task/events.ts";
import { handle } from "../../src/core/task/handle.ts";
import { NOTHING_LOADED } from "../../src/core/task/loaded.ts";
import { TASK_STATES } from "../../src/core/task/moves.ts";
import { decided } from "../fixtures/decided.ts";
import { NOW, PLAN, rows } from "../fixtures/loaded.ts";

const event = (type: Event["type"], data: unknown): Event =>
  ({
    type,
    data,
    seq: 1,
    at: NOW,
    v: 1,
    project: "project",
    plan: "plan",
    task: "F-1",
    attempt: 1,
    actor: "test",
  }) as Event;

const FAIL: HookFail = {
  type: "hook.fail",
  plan: "plan",
  task: "F-1",
  failure: { hook: "task_settled", of: 7, outcome: "red", exit_code: 2, tail: "no" },
};

describe("a hook", () => {
  test("is called when a task is verified, failed, blocked, skipped or cancelled, and when a run has ended", () => {
    const calls = TASK_STATES.map((to) =>
      hookCall(event(MOVE_EVENTS[to], { from: "pending", to, cause: "why", set: {} })),
    );
    const settled = ["verified", "blocked", "failed", "skipped", "cancelled"];
    const expected = TASK_STATES.map((state) =>
      settled.includes(state) ? { hook: "task_settled", state, outcome: "why" } : null,
    );
    expect(calls).toEqual(expected);
    const ended = event("run.ended", { outcome: "parked", counts: {} });
    expect(hookCall(ended)).toEqual({ hook: "run_ended", state: "ended", outcome: "parked" });
    expect(hookCall(event("attempt.settled", {}))).toBeNull();
  });

  test("that fails is a fact about its task, or its plan, and changes nothing", () => {
    const { facts, task, attempt } = decided(rows(), FAIL);
    expect({ facts, task, attempt }).toEqual({ facts: ["hook.failed"], task: {}, attempt: {} });
    const ofRun = handle({ ...NOTHING_LOADED, plan: PLAN }, { ...FAIL, task: null }, NOW, "test");
    expect(ofRun.facts).toMatchObject([{ type: "hook.failed", plan: "plan", task: null, data: FAIL.failure }]);
    const skip = { type: "hook.skip", plan: "plan", skipped: { first: 3, total: 2 } } as const;
    expect(decided(rows({ rest: { task: null } }), skip)).toMatchObject({ rejection: null, facts: ["hook.skipped"] });
  });
});
