import { describe, expect, test } from "vitest";
import { isUnderway, movement } from "../../src/core/task/counters.ts";
import { Draft } from "../../src/core/task/draft.ts";
import { loadKnown, retire } from "../../src/core/task/load.ts";
import type { Loaded } from "../../src/core/task/loaded.ts";
import { changes } from "../fixtures/decided.ts";
import { claimedDone, DEFINITION, ITEM, inProgress, NOW, PLAN, rows, TASK } from "../fixtures/loaded.ts";

const INCOMING = {
  id: "F-1",
  slug: "F-1",
  natural_key: "F-0011",
  depends_on: ["F-0"],
  path: 0,
  definition: DEFINITION,
};

function loaded(before: Loaded, incoming: Partial<typeof INCOMING> = {}) {
  const draft = new Draft(before, NOW);
  const result = loadKnown(draft, { ...INCOMING, ...incoming }, ["F-0"], 7);
  return {
    ...result,
    facts: draft.facts.map((f) => f.type),
    task: changes(before.task, draft.task),
    after: draft.rows,
  };
}

function retired(before: Loaded) {
  const draft = new Draft(before, NOW);
  retire(draft, 7);
  return { facts: draft.facts.map((f) => f.type), task: changes(before.task, draft.task), after: draft.rows };
}

describe("a task that stands in the file again", () => {
  test("unchanged stays as it is", () => {
    const before = rows();
    const { change, edges, problem, facts, after } = loaded(before);
    expect({ change, edges, problem, facts }).toEqual({ change: "same", edges: null, problem: null, facts: [] });
    expect(after).toBe(before);
  });

  test("changed is updated with its columns, state and attempts kept", () => {
    const definition = { ...DEFINITION, title: "New", priority: 1, wave: 2, files_owned: ["a"] };
    const { change, facts, task, after } = loaded(rows({ task: { attempts: 2, tries: 1 } }), { definition, path: 4 });
    expect(change).toBe("updated");
    expect(facts).toEqual(["task.updated"]);
    expect(task).toEqual({ title: "New", priority: 1, wave: 2, owns: true, path: 4, revision: 7 });
    expect(after.definition).toEqual({ body: definition, next: null });
  });

  test("moves to the kind of place that its plan has now, unless it has work in the old one", () => {
    const policy = { ...PLAN.policy, workspace: "none", land: { ...PLAN.policy.land, target: "none" } } as const;
    const moved = (task: object) => loaded(rows({ task, rest: { plan: { ...PLAN, policy } } })).task;
    expect(moved({})).toEqual({ mode: "none", target: "none", revision: 7 });
    expect(moved({ unlanded: true })).toEqual({});
    expect(moved({ state: "failed" })).toEqual({});
  });

  test("whose place in the graph alone changed is not called updated", () => {
    const { change, facts, task } = loaded(rows(), { path: 3 });
    expect({ change, facts, task }).toEqual({ change: "same", facts: [], task: { path: 3, revision: 7 } });
  });

  test.each([inProgress(), claimedDone(), rows({ task: { state: "verified", satisfied: true } })])(
    "keeps the definition it started with while live or verified (%#)",
    (before) => {
      const definition = { ...DEFINITION, title: "New" };
      const { change, task, after } = loaded(before, { definition });
      expect(change).toBe("updated");
      expect(task).toEqual({ revision: 7 });
      expect(after.definition).toEqual({ body: DEFINITION, next: definition });
      expect(loaded(after, { definition }).change).toBe("same");
    },
  );

  test("with other dependencies is rewired while it has not begun", () => {
    const { change, edges, facts } = loaded(rows(), { depends_on: ["F-0", "F-2"] });
    expect({ change, edges, facts }).toEqual({ change: "updated", edges: ["F-0", "F-2"], facts: ["task.updated"] });
    expect(loaded(rows(), { depends_on: ["F-2"] }).edges).toEqual(["F-2"]);
  });

  test.each([
    [inProgress(), "in_progress"],
    [claimedDone(), "claimed_done"],
    [rows({ task: { state: "verified" } }), "verified"],
    [rows({ task: { state: "blocked" } }), "blocked"],
  ])("cannot be rewired once it has begun (%#)", (before, state) => {
    const { problem, facts, after } = loaded(before, { depends_on: [] });
    expect(problem).toEqual({
      path: "task F-1",
      message: `task F-1 is ${state}: its dependencies can no longer change`,
    });
    expect(facts).toEqual([]);
    expect(after).toBe(before);
  });

  test("cannot take the id of a task that was added by hand", () => {
    const { problem } = loaded(rows({ task: { origin: "operator" } }));
    expect(problem?.message).toBe("task F-1 was added by hand: give the one in the file another id");
  });
});

describe("a task that the file no longer has", () => {
  test.each([
    [rows(), ["task.retired", "task.cancelled"]],
    [
      rows({ task: { state: "blocked" }, rest: { items: [ITEM] } }),
      ["task.retired", "item.answered", "task.cancelled"],
    ],
    [claimedDone(), ["task.retired", "task.cancelled"]],
    [inProgress(), ["task.retired", "attempt.stopping", "attempt.settled", "task.cancelled"]],
  ])("is cancelled, never silently lost (%#)", (before, facts) => {
    const result = retired(before);
    expect(result.facts).toEqual(facts);
    expect(result.task).toMatchObject({
      retired: true,
      state: "cancelled",
      reason: "retired",
      last_error: "its plan no longer has it",
      finished_at: NOW,
    });
  });

  test("is marked while a run's attempt has it, and cancelled when that is settled", () => {
    const { facts, task, after } = retired(inProgress({ attempt: { kind: "run" } }));
    expect(facts).toEqual(["task.retired", "attempt.stopping"]);
    expect(task).toEqual({ retired: true });
    expect(after.attempt?.stop).toEqual({ as: "cancelled", why: "its plan no longer has it", then: "cancelled" });
  });

  test.each(["verified", "skipped", "cancelled"] as const)("stays %s, marked retired", (state) => {
    const { facts, task } = retired(rows({ task: { state } }));
    expect({ facts, task }).toEqual({ facts: ["task.retired"], task: { retired: true } });
  });
});

describe("a retired task that comes back", () => {
  test("is pending again with fresh counters where only that had ended it", () => {
    const before = rows({
      task: {
        state: "cancelled",
        reason: "retired",
        retired: true,
        tries: 2,
        round: 3,
        started_at: 1,
        finished_at: 2,
        last_error: "x",
      },
    });
    const { change, facts, task } = loaded(before);
    expect(change).toBe("restored");
    expect(facts).toEqual(["task.returned", "task.requeued"]);
    expect(task).toEqual({
      retired: false,
      state: "pending",
      reason: "restored",
      tries: 0,
      round: 1,
      started_at: null,
      finished_at: null,
      last_error: null,
    });
  });

  test.each([
    { state: "cancelled", reason: "operator" },
    { state: "verified", reason: "landed" },
    { state: "skipped", reason: "retired" },
  ] as const)("stays ended where something else had (%#)", (row) => {
    const { change, task } = loaded(rows({ task: { ...row, retired: true } }));
    expect({ change, task }).toEqual({ change: "restored", task: { retired: false } });
  });

  test("takes back the stop of an attempt that still lives", () => {
    const stop = { as: "cancelled", why: "its plan no longer has it", then: "cancelled" } as const;
    const { facts, after } = loaded(inProgress({ task: { retired: true }, attempt: { kind: "run", stop } }));
    expect(facts).toEqual(["task.returned", "attempt.stopping"]);
    expect(after.attempt?.stop).toBeNull();
  });

  test("leaves another stop alone", () => {
    const stop = { as: "interrupted", why: "requeued", then: "pending" } as const;
    expect(loaded(inProgress({ task: { retired: true }, attempt: { kind: "run", stop } })).facts).toEqual([
      "task.returned",
    ]);
  });
});

describe("counters", () => {
  const task = (over: Partial<typeof TASK>) => ({ ...TASK, ...over });

  test.each([
    [null, task({}), { tallies: { pending: 1 }, dependants: { unmet: 0, dead: 0 } }],
    [
      task({}),
      task({ state: "verified", satisfied: true }),
      { tallies: { pending: -1, verified: 1 }, dependants: { unmet: -1, dead: 0 } },
    ],
    [task({}), task({ state: "failed" }), { tallies: { pending: -1, failed: 1 }, dependants: { unmet: 0, dead: 1 } }],
    [task({ state: "failed" }), task({}), { tallies: { failed: -1, pending: 1 }, dependants: { unmet: 0, dead: -1 } }],
    [
      task({}),
      task({ state: "skipped", satisfied: true }),
      { tallies: { pending: -1, skipped: 1, satisfied_skips: 1 }, dependants: { unmet: -1, dead: 0 } },
    ],
    [
      task({ state: "skipped", satisfied: true }),
      task({}),
      { tallies: { pending: 1, skipped: -1, satisfied_skips: -1 }, dependants: { unmet: 1, dead: 0 } },
    ],
    [
      task({ state: "failed" }),
      task({ state: "cancelled", retired: true }),
      { tallies: { failed: -1, cancelled: 1, retired: 1 }, dependants: { unmet: 0, dead: 0 } },
    ],
    [task({ tries: 1 }), task({ tries: 2 }), { tallies: {}, dependants: { unmet: 0, dead: 0 } }],
    [null, task({ state: "skipped" }), { tallies: { skipped: 1 }, dependants: { unmet: 0, dead: 1 } }],
  ])("move with the task (%#)", (before, after, moved) => {
    expect(movement(before, after)).toEqual(moved);
  });

  test("a verified task that leaves the file no longer counts on either side", () => {
    const verified = task({ state: "verified", satisfied: true });
    expect(movement(verified, { ...verified, retired: true }).tallies).toEqual({ retired: 1, retired_done: 1 });
  });

  test("a task is under way from its claim until it is landed, ends, or lets go", () => {
    const underway = (state: typeof TASK.state, unlanded = false) => isUnderway({ state, unlanded });
    expect([underway("in_progress"), underway("claimed_done"), underway("pending", true)]).toEqual([true, true, true]);
    expect([underway("pending"), underway("blocked", true), underway("failed", true), underway("verified")]).toEqual([
      false,
      false,
      false,
      false,
    ]);
  });
});
