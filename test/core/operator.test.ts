import { describe, expect, test } from "vitest";
import type { UnderwayTask } from "../../src/core/task/rows.ts";
import * as c from "../fixtures/commands.ts";
import { decided } from "../fixtures/decided.ts";
import {
  claimedDone,
  DEFINITION,
  HOLD,
  HOLDER,
  ITEM,
  inProgress,
  LANDING,
  NOW,
  PLAN,
  RUN,
  rows,
  TASK,
} from "../fixtures/loaded.ts";

describe("task retry", () => {
  test("OMP-6 begins anew and keeps the number of attempts", () => {
    const before = rows({
      task: {
        state: "failed",
        attempts: 3,
        tries: 3,
        round: 2,
        lost: 1,
        due_at: 1,
        started_at: 1,
        finished_at: 2,
        approved: true,
        unlanded: true,
        last_error: "it broke",
      },
    });
    const { facts, task, after } = decided(before, c.retry());
    expect(facts).toEqual(["task.requeued"]);
    expect(task).toEqual({
      state: "pending",
      reason: "retried",
      tries: 0,
      lost: 0,
      round: 1,
      due_at: null,
      started_at: null,
      finished_at: null,
      approved: false,
    });
    expect(after.task).toMatchObject({ attempts: 3, unlanded: true, last_error: "it broke" });
  });

  test("--fresh leaves the earlier work behind", () => {
    expect(decided(rows({ task: { state: "failed", unlanded: true } }), c.retry({ fresh: true })).task).toMatchObject({
      unlanded: false,
    });
  });

  test("of what has not ended is refused", () => {
    expect(decided(rows(), c.retry()).rejection).toBe("illegal_move: F-1 cannot be retried: it is pending");
    expect(decided(inProgress(), c.retry()).rejection).toBe("illegal_move: F-1 cannot be retried: it is in_progress");
  });

  test("is refused while a dependant relies on the skip", () => {
    const before = rows({ task: { state: "skipped", satisfied: true }, rest: { relied: ["F-2", "F-3"] } });
    expect(decided(before, c.retry()).rejection).toBe(
      "dependants_relied: F-1 cannot be retried: F-2, F-3 relied on its being skipped",
    );
  });

  test("of a satisfying skip takes the satisfaction back", () => {
    expect(decided(rows({ task: { state: "skipped", satisfied: true } }), c.retry()).task).toMatchObject({
      state: "pending",
      satisfied: false,
    });
  });
});

describe("ending a task by an operator's word", () => {
  test("skip and cancel say why", () => {
    expect(decided(rows({ task: { due_at: 9 } }), c.skip()).task).toEqual({
      state: "skipped",
      reason: "operator",
      finished_at: NOW,
      due_at: null,
      last_error: "not needed",
    });
    expect(decided(rows(), c.cancel()).task).toEqual({
      state: "cancelled",
      reason: "operator",
      finished_at: NOW,
      last_error: "not wanted",
    });
  });

  test("skip --satisfies counts as verified for dependants", () => {
    expect(decided(rows(), c.skip({ satisfies: true })).task).toMatchObject({ state: "skipped", satisfied: true });
  });

  test("skip --satisfies is refused while there is unlanded work, unless it is left out on purpose", () => {
    const before = rows({ task: { unlanded: true } });
    expect(decided(before, c.skip({ satisfies: true })).rejection).toBe(
      "unlanded_work: F-1 has work that has not landed, which its dependants would miss",
    );
    expect(decided(before, c.skip({ satisfies: true, without_work: true })).rejection).toBeNull();
    expect(decided(before, c.skip()).rejection).toBeNull();
  });

  test("override verifies without checks, marked so for ever", () => {
    const { task } = decided(rows(), c.override());
    expect(task).toEqual({
      state: "verified",
      reason: "override",
      finished_at: NOW,
      last_error: "checked by hand",
      satisfied: true,
      unverified: true,
    });
  });

  test("OMP-5 override is refused before its dependencies are verified", () => {
    expect(decided(rows({ task: { unmet: 2 } }), c.override()).rejection).toBe(
      "dependency_pending: F-1 cannot be verified: it depends on 2 tasks that are not",
    );
  });

  test.each([c.skip(), c.cancel(), c.override()])("is refused for what has ended: $type", (command) => {
    expect(decided(rows({ task: { state: "verified", satisfied: true } }), command).rejection).toMatch(
      /^illegal_move: F-1 cannot be (skipped|cancelled|verified): it is verified$/,
    );
  });

  test("settles an external attempt at once, and its token goes stale", () => {
    const { facts, task, attempt, after } = decided(inProgress(), c.cancel());
    expect(facts).toEqual(["attempt.stopping", "attempt.settled", "task.cancelled"]);
    expect(task).toMatchObject({ state: "cancelled", reason: "operator", last_error: "not wanted" });
    expect(attempt).toMatchObject({ outcome: "cancelled", error: "not wanted" });
    expect(after.lease).toBeNull();
  });

  test("marks a run's attempt, and the skip keeps what it promises", () => {
    const before = inProgress({ attempt: { kind: "run" } });
    const { facts, task, after } = decided(before, c.skip({ satisfies: true }));
    expect(facts).toEqual(["attempt.stopping"]);
    expect(task).toEqual({});
    expect(decided(after, c.settle({ outcome: "cancelled" })).task).toMatchObject({
      state: "skipped",
      satisfied: true,
    });
  });

  test("withdraws what was asked about the task", () => {
    const before = rows({
      task: { state: "blocked" },
      rest: { items: [ITEM, { ...ITEM, id: "i2", task: "F-9" }, { ...ITEM, id: "i3", state: "expired" }] },
    });
    const { facts, after } = decided(before, c.cancel());
    expect(facts).toEqual(["item.answered", "task.cancelled"]);
    expect(after.items.map(({ state, answer }) => [state, answer])).toEqual([
      ["answered", "not wanted"],
      ["open", null],
      ["expired", null],
    ]);
  });
});

describe("stop without a live attempt", () => {
  test("is no refusal", () => {
    expect(decided(claimedDone(), c.stop()).rejection).toBeNull();
  });

  test("takes a task back from the engine or the inbox", () => {
    expect(decided(claimedDone({ task: { due_at: 5 } }), c.stop()).task).toEqual({
      state: "pending",
      reason: "handed_back",
      last_error: "requeued by anna",
      due_at: null,
    });
    expect(decided(rows({ task: { state: "blocked" }, rest: { items: [ITEM] } }), c.stop()).facts).toEqual([
      "item.answered",
      "task.requeued",
    ]);
  });

  test("is refused for anything else", () => {
    expect(decided(rows(), c.stop()).rejection).toBe("illegal_move: F-1 has nothing to stop: it is pending");
    expect(decided(claimedDone(), c.stop({ then: null })).rejection).toBe(
      "illegal_move: F-1 has nothing to stop: it is claimed_done",
    );
  });
});

describe("a failure that dependants share", () => {
  test("skips a pending task that asked for it", () => {
    const { task } = decided(
      rows({ task: { unmet: 1, dead: 1 }, definition: { on_dependency_failed: "cascade" } }),
      c.cascade(),
    );
    expect(task).toEqual({
      state: "skipped",
      reason: "dependency_failed",
      finished_at: NOW,
      last_error: "a task that it depends on has failed",
    });
  });

  test.each([
    rows({ task: { unmet: 1, dead: 1 } }),
    rows({ task: { unmet: 1 }, definition: { on_dependency_failed: "cascade" } }),
    rows({ task: { state: "failed", dead: 1 }, definition: { on_dependency_failed: "cascade" } }),
  ])("leaves any other alone (%#)", (before) => {
    expect(decided(before, c.cascade()).rejection).toBe("illegal_move: F-1 has no failed dependency to pass on");
  });
});

describe("task add and edit", () => {
  const added = {
    id: "F-9",
    slug: "F-9",
    natural_key: "F-0019",
    depends_on: ["F-1", "F-2", "F-3"],
    path: 0,
    definition: DEFINITION,
  };
  const add = { type: "task.add", plan: "plan", added, origin: "operator" } as const;
  const dependencies = [
    { id: "F-1", state: "verified", satisfied: true },
    { id: "F-2", state: "failed", satisfied: false },
    { id: "F-3", state: "pending", satisfied: false },
  ] as const;

  test("add inserts a pending task with its counters", () => {
    const before = rows({ rest: { task: null, definition: null, dependencies: [...dependencies] } });
    const { facts, after } = decided(before, add);
    expect(facts).toEqual(["task.added"]);
    expect(after.task).toEqual({
      ...TASK,
      id: "F-9",
      slug: "F-9",
      natural_key: "F-0019",
      origin: "operator",
      unmet: 2,
      dead: 1,
    });
    expect(after.edges).toEqual(["F-1", "F-2", "F-3"]);
    expect(after.definition).toEqual({ body: DEFINITION, next: null });
  });

  test("add refuses an id that is taken and a dependency that nobody knows", () => {
    expect(decided(rows(), add).rejection).toBe("task_exists: plan checkout has a task F-9 already");
    const before = rows({ rest: { task: null, definition: null, dependencies: [dependencies[0]] } });
    expect(decided(before, add).rejection).toBe(
      "unknown_dependency: task F-9 depends on F-2, F-3, which plan checkout does not have",
    );
  });

  test("edit changes a pending task at once and its columns with it", () => {
    const edit = {
      type: "task.edit",
      plan: "plan",
      task: "F-1",
      patch: { title: "New", priority: 1, files_owned: ["a"] },
    } as const;
    const { task, after } = decided(rows(), { ...edit, patch: { ...edit.patch, files_owned: ["a"] } });
    expect(task).toEqual({ title: "New", priority: 1, owns: true });
    expect(after.definition?.body.title).toBe("New");
  });

  test("edit waits while the task is live", () => {
    const edit = { type: "task.edit", plan: "plan", task: "F-1", patch: { title: "New" } } as const;
    const { task, after } = decided(inProgress(), edit);
    expect(task).toEqual({});
    expect(after.definition?.body.title).toBe("Cart totals");
    expect(after.definition?.next?.title).toBe("New");
    const twice = decided(after, { ...edit, patch: { priority: 1 } });
    expect(twice.after.definition?.next).toMatchObject({ title: "New", priority: 1 });
  });
});

describe("a person's verdict", () => {
  const due = (over: object = {}) =>
    rows({
      task: { phase: 1, attempts: 1, work_commit: "candidate", worker: "anna" },
      definition: { lane: "reviewed" },
      ...over,
    });

  test("claims and ends the review in one step", () => {
    const { facts, task, attempt } = decided(due(), c.give("approved", { commit: "candidate" }));
    expect(facts).toEqual(["attempt.created", "task.claimed", "attempt.settled", "verdict.given", "task.claimed_done"]);
    expect(task).toMatchObject({ state: "claimed_done", approved: true, attempts: 2 });
    expect(attempt).toMatchObject({ agent: "bert", phase: "review", outcome: "succeeded" });
  });

  test("is refused where no review is due", () => {
    expect(decided(rows(), c.give("approved")).rejection).toBe(
      "not_a_review: F-1 is in its phase build, which yields no verdict",
    );
    expect(
      decided(due({ task: { state: "claimed_done", phase: 1, worker: "anna" } }), c.give("approved")).rejection,
    ).toBe("not_ready: the review of F-1 cannot be given now: it is claimed_done");
    expect(decided(due(), c.give("approved", { by: "anna" })).rejection).toBe("own_work: anna did the work of F-1");
  });
});

describe("the inbox", () => {
  const blocked = (items = [ITEM]) => rows({ task: { state: "blocked", due_at: 4, tries: 1 }, rest: { items } });

  test("an answer releases the task with fresh counters", () => {
    const { facts, task, after } = decided(blocked(), { ...c.answer("retry"), text: "euro" });
    expect(facts).toEqual(["item.answered", "task.requeued"]);
    expect(task).toEqual({
      state: "pending",
      reason: "answered",
      tries: 0,
      due_at: null,
      last_error: "Which currency?\n\nThe answer: euro",
    });
    expect(after.items[0]).toMatchObject({ state: "answered", answer: "euro", closed_at: NOW });
    expect(decided(blocked(), c.answer("retry")).after.items[0]?.answer).toBe("retry");
  });

  test("the task waits for its last open item", () => {
    const { task } = decided(blocked([ITEM, { ...ITEM, id: "i2" }]), c.answer("retry"));
    expect(task).toEqual({});
  });

  test("fail and skip count at once and withdraw the rest", () => {
    const { task, after } = decided(blocked([ITEM, { ...ITEM, id: "i2" }]), c.answer("fail"));
    expect(task).toEqual({ state: "failed", reason: "answered", finished_at: NOW, last_error: "Which currency?" });
    expect(after.items[1]).toMatchObject({ state: "answered", answer: "failed" });
    expect(decided(blocked(), c.answer("skip")).task).toMatchObject({ state: "skipped", reason: "answered" });
  });

  test("an item of no task, or of a task that moved on, changes no task", () => {
    expect(decided(blocked([{ ...ITEM, task: null }]), c.answer("retry")).facts).toEqual(["item.answered"]);
    expect(decided(rows({ rest: { items: [ITEM] } }), c.answer("retry")).facts).toEqual(["item.answered"]);
  });

  test("refuses what it does not know", () => {
    expect(decided(blocked([]), c.answer("retry")).rejection).toBe("unknown_item: there is no item i1");
    expect(decided(blocked([{ ...ITEM, state: "answered", answer: "euro" }]), c.answer("retry")).rejection).toBe(
      "item_closed: item i1 is answered: euro",
    );
    expect(decided(blocked(), c.answer("maybe")).rejection).toBe("unknown_option: item i1 has no option maybe");
  });

  test("a deadline takes the default, never early", () => {
    const item = { ...ITEM, default_option: "retry", deadline_at: NOW };
    const { facts, after } = decided(blocked([item]), c.expire());
    expect(facts).toEqual(["item.expired", "task.requeued"]);
    expect(after.items[0]).toMatchObject({ state: "expired", answer: "retry", closed_at: NOW });
    expect(decided(blocked([{ ...item, deadline_at: NOW + 1 }]), c.expire()).rejection).toBe(
      "not_due: item i1 has no default that is due",
    );
    expect(decided(blocked([{ ...item, default_option: null }]), c.expire()).rejection).toBe(
      "not_due: item i1 has no default that is due",
    );
    expect(decided(blocked([{ ...item, deadline_at: null }]), c.expire()).rejection).toBe(
      "not_due: item i1 has no default that is due",
    );
    expect(decided(blocked([{ ...item, state: "answered", answer: "x" }]), c.expire()).rejection).toBe(
      "item_closed: item i1 is answered: x",
    );
    expect(decided(blocked([]), c.expire()).rejection).toBe("unknown_item: there is no item i1");
    const fail = decided(blocked([{ ...item, default_option: "fail" }]), c.expire());
    expect(fail.task).toMatchObject({ state: "failed", reason: "expired" });
  });

  test("item.open numbers it within the plan", () => {
    const open = {
      type: "item.open",
      plan: "plan",
      task: null,
      kind: "approval",
      text: "Go?",
      options: ITEM.options,
      default_option: "fail",
      deadline_at: 5,
    } as const;
    const { after } = decided(rows({ rest: { plan: { ...PLAN, items: 4 }, task: null } }), open);
    expect(after.plan?.items).toBe(5);
    expect(after.items[0]).toMatchObject({
      id: "i5",
      task: null,
      kind: "approval",
      text: "Go?",
      default_option: "fail",
      deadline_at: 5,
      state: "open",
    });
    expect(decided(rows(), { ...open, default_option: "never" }).rejection).toBe(
      "unknown_option: the default never is none of the options",
    );
  });
});

describe("a run", () => {
  const start = { type: "run.start", plan: "plan", id: "run", jobs: 2, tasks_max: 5, budget_usd: 3 } as const;
  const COUNTS = {
    pending: 0,
    in_progress: 0,
    claimed_done: 0,
    verified: 3,
    blocked: 0,
    failed: 0,
    skipped: 0,
    cancelled: 0,
  };
  const live: UnderwayTask = {
    plan: "plan",
    id: "F-2",
    state: "in_progress",
    mode: "none",
    target: "t",
    kind: "run",
    agent: null,
    files_owned: [],
  };

  test("is one per plan", () => {
    const { after } = decided(rows(), start);
    expect(after.run).toEqual({ ...RUN, jobs: 2, tasks_max: 5, budget_usd: 3, started_at: NOW });
    expect(decided(rows({ run: {} }), start).rejection).toBe("run_live: plan checkout has a live run: run");
  });

  test("pauses once nothing of it is live", () => {
    const pause = { type: "run.pause", plan: "plan" } as const;
    expect(decided(rows({ run: {}, rest: { underway: [live] } }), pause).after.run?.state).toBe("pausing");
    expect(decided(rows({ run: { state: "pausing" } }), pause).after.run?.state).toBe("paused");
    const others = [
      { ...live, plan: "other" },
      { ...live, kind: "external" as const },
      { ...live, state: "pending" as const },
    ];
    expect(decided(rows({ run: {}, rest: { underway: others } }), pause).after.run?.state).toBe("paused");
    expect(decided(rows({ run: { state: "paused" } }), pause).rejection).toBe(
      "run_state: the run cannot be paused: it is paused",
    );
  });

  test("resumes under a new limit, unless it is stopping", () => {
    const resume = { type: "run.resume", plan: "plan", tasks_max: 9 } as const;
    for (const state of ["paused", "pausing", "running"] as const)
      expect(decided(rows({ run: { state, tasks_max: 2 } }), resume).after.run).toMatchObject({
        state: "running",
        tasks_max: 9,
      });
    const stopping = decided(rows({ run: { state: "stopping" } }), resume);
    expect(stopping.rejection).toBe("run_state: the run cannot be resumed: it is stopping");
  });

  test("keeps its limit when it pauses or stops", () => {
    const stopped = decided(rows({ run: { tasks_max: 2 } }), { type: "run.stop", plan: "plan", why: "enough" });
    expect(stopped.after.run).toMatchObject({ state: "stopping", tasks_max: 2, reason: "enough" });
  });

  test("stops with a reason, once", () => {
    const stop = { type: "run.stop", plan: "plan", why: "enough" } as const;
    expect(decided(rows({ run: {} }), stop).after.run).toMatchObject({ state: "stopping", reason: "enough" });
    expect(decided(rows({ run: { state: "stopping" } }), stop)).toMatchObject({ rejection: null, facts: [] });
  });

  test("ends with its outcome and the counts of that moment", () => {
    const end = { type: "run.end", plan: "plan", id: "run", outcome: "done" } as const;
    const { facts, after } = decided(rows({ run: {}, rest: { counts: COUNTS } }), end);
    expect(facts).toEqual(["run.ended"]);
    expect(after.run).toEqual({ ...RUN, state: "ended", outcome: "done", ended_at: NOW, version: 1 });
    expect(decided(rows({ run: {}, rest: { counts: COUNTS } }), { ...end, id: "x" }).rejection).toBe(
      "no_run: run x is not the live run of plan checkout",
    );
  });

  test.each([
    { type: "run.pause", plan: "plan" },
    { type: "run.resume", plan: "plan", tasks_max: null },
  ] as const)("$type without one is refused", (command) => {
    expect(decided(rows(), command).rejection).toBe("no_run: plan checkout has no live run");
    expect(decided(rows(), { type: "run.stop", plan: "plan", why: "" }).rejection).toBe(
      "no_run: plan checkout has no live run",
    );
  });
});

test("holds are set, replaced and cleared by their key", () => {
  const { known_from, count, over, ...own } = { ...HOLD, key: "agent:coder", until: 9 };
  const hold = { ...own, known_from, count, over };
  const before = rows({
    rest: {
      holds: [
        { ...hold, until: 1 },
        { ...hold, key: "agent:other" },
      ],
    },
  });
  const set = decided(before, { type: "hold.set", ...own });
  expect(set.after.holds).toEqual([{ ...hold, key: "agent:other" }, hold]);
  expect(decided(set.after, { type: "hold.clear", project: "project", key: "agent:coder" }).after.holds).toEqual([
    { ...hold, key: "agent:other" },
  ]);
});

test("the landing of another task stays when a task ends", () => {
  expect(decided(claimedDone(), c.cancel()).after.landing).toEqual(LANDING);
  expect(HOLDER.pid).toBe(7);
});
