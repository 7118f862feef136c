import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { AttemptSettle } from "../../src/core/task/commands/attempts.ts";
import type { HoldRow, Limit } from "../../src/core/task/rows.ts";
import * as c from "../fixtures/commands.ts";
import { decided } from "../fixtures/decided.ts";
import { HOLD, inProgress, NOW } from "../fixtures/loaded.ts";

const KEY = "account:claude";
const LIMIT: Limit = { key: KEY, until: NOW + 900, known_from: "signal" };
const HELD: HoldRow = {
  project: "",
  key: KEY,
  until: NOW + 500,
  why: "limit",
  known_from: "signal",
  count: 1,
  over: false,
};

/** What holds after an attempt was turned away while these held. */
function limited(holds: HoldRow[], limit: Partial<Limit> = {}, over: Partial<AttemptSettle> = {}) {
  const settle = c.settle({
    outcome: "rate_limited",
    error: "You've hit your limit",
    limit: { ...LIMIT, ...limit },
    ...over,
  });
  return decided(inProgress({ rest: { holds } }), settle);
}

test("a limit holds what it is of until it is over, in the same step that settles the attempt, and costs no try", () => {
  const { facts, task, after } = limited([]);
  expect(facts).toEqual(["attempt.settled", "hold.set", "task.requeued"]);
  expect(after.holds).toEqual([{ ...HELD, until: NOW + 900, why: "You've hit your limit" }]);
  expect(task).toEqual({
    state: "pending",
    reason: "rate_limited",
    rate_limited: 1,
    worker: "anna",
    last_error: "You've hit your limit",
  });
});

test("an agent is held in its project alone, and a long story is cut short", () => {
  const { after } = limited([], { key: "agent:coder" }, { error: `\n${"x".repeat(5_000)}\nmore` });
  expect(after.holds).toMatchObject([{ project: "project", key: "agent:coder", why: "x".repeat(300) }]);
});

test("an attempt that was stopped holds by its limit all the same", () => {
  const stop = { as: "interrupted", why: "paused", then: "pending" } as const;
  const before = inProgress({ attempt: { stop } });
  const { after } = decided(before, c.settle({ outcome: "rate_limited", limit: LIMIT }));
  expect(after.holds).toMatchObject([{ key: KEY, until: NOW + 900, why: "paused" }]);
});

test.each(["auth", "credit"] as const)(
  "%s holds its account until somebody has mended it, and costs no try",
  (failure) => {
    const mended: Limit = { key: KEY, until: null, known_from: "person" };
    const settle = c.settle({ outcome: "failed", failure, error: "log it in", limit: mended });
    const { facts, task, after } = decided(inProgress(), settle);
    expect(facts).toEqual(["attempt.settled", "hold.set", "task.requeued"]);
    expect(after.holds).toEqual([{ ...HELD, until: null, known_from: "person", why: "log it in" }]);
    expect(task).toMatchObject({ state: "pending", reason: failure, rate_limited: 1, last_error: "log it in" });
    expect(task).not.toHaveProperty("tries");
    const second = decided(inProgress({ rest: { holds: after.holds } }), settle);
    expect(second.facts).toEqual(["attempt.settled", "task.requeued"]);
  },
);

test("a login that fails and is of no known account is a try like any other", () => {
  const { task } = decided(inProgress(), c.settle({ outcome: "failed", failure: "auth", limit: null }));
  expect(task).toMatchObject({ state: "pending", tries: 1 });
});

describe("while the limit holds already", () => {
  test("another attempt that ends by it extends it", () => {
    expect(limited([HELD]).after.holds).toMatchObject([{ until: NOW + 900, count: 1 }]);
  });

  test.each<[string, HoldRow, Partial<Limit>]>([
    ["an earlier time", HELD, { until: NOW + 400 }],
    ["the same time", HELD, { until: NOW + 500 }],
    ["a guess that is shorter", { ...HELD, until: NOW + 60_001 }, { until: null, known_from: "backoff" }],
    ["any time, where an operator holds it for ever", { ...HELD, until: null, known_from: null }, {}],
  ])("%s changes nothing", (_, hold, limit) => {
    const { facts, after } = limited([hold], limit);
    expect(facts).toEqual(["attempt.settled", "task.requeued"]);
    expect(after.holds).toEqual([hold]);
  });

  test("a login that fails extends it without an end", () => {
    const settled = c.settle({
      outcome: "failed",
      failure: "auth",
      limit: { ...LIMIT, until: null, known_from: "person" },
    });
    expect(decided(inProgress({ rest: { holds: [HELD] } }), settled).after.holds).toMatchObject([
      { until: null, known_from: "person" },
    ]);
  });

  test("an operator's is extended too", () => {
    const hold = { ...HELD, known_from: null, count: 0 };
    expect(limited([hold]).after.holds).toMatchObject([{ until: NOW + 900, known_from: "signal", count: 1 }]);
  });
});

test.each([
  [0, 60_000],
  [1, 300_000],
  [2, 900_000],
  [3, 3_600_000],
  [4, 3_600_000],
  [90, 3_600_000],
])("a limit of unknown length, after %i before it, is tried again in %i ms: a guess", (count, ms) => {
  const before = count === 0 ? [] : [{ ...HELD, count, over: true }];
  const unknown = { until: null, known_from: "backoff" } as const;
  expect(limited(before, unknown).after.holds).toMatchObject([
    { until: NOW + ms, known_from: "backoff", count: count + 1, over: false },
  ]);
  const unswept = before.map((hold) => ({ ...hold, over: false, until: NOW }));
  expect(limited(unswept, unknown).after.holds).toMatchObject([{ until: NOW + ms, count: count + 1 }]);
});

test("a time that has passed is believed once", () => {
  expect(limited([], { until: NOW - 1 }).after.holds).toMatchObject([{ until: NOW - 1, count: 1 }]);
  const remembered = { ...HELD, until: NOW - 5, over: true };
  expect(limited([remembered], { until: NOW - 1 }).after.holds).toMatchObject([
    { until: NOW + 300_000, known_from: "backoff", count: 2 },
  ]);
});

test("an attempt that succeeds makes what it draws on forget its limits, and nothing else", () => {
  const holds = [
    { ...HELD, over: true },
    { ...HELD, key: "account:codex", over: true },
    { ...HELD, key: "model:claude/opus" },
    HOLD,
  ];
  const settle = c.settle({ draws_on: [KEY, "model:claude/opus"] });
  const { facts, after } = decided(inProgress({ rest: { holds } }), settle);
  expect(facts).toEqual(["attempt.settled", "hold.forgotten", "task.claimed_done"]);
  expect(after.holds).toEqual(holds.slice(1));
  const failed = decided(inProgress({ rest: { holds } }), { ...settle, outcome: "failed" });
  expect(failed.after.holds).toEqual(holds);
});

test("a hold is ended by its time and by nothing before", () => {
  const expire = (hold: HoldRow) => {
    const { facts, after } = decided(inProgress({ rest: { holds: [hold] } }), {
      type: "hold.expire",
      project: "project",
      key: hold.key,
    });
    return [facts, after.holds];
  };
  expect(expire({ ...HELD, until: NOW + 1 })).toEqual([[], [{ ...HELD, until: NOW + 1 }]]);
  expect(expire({ ...HELD, until: null })).toEqual([[], [{ ...HELD, until: null }]]);
  expect(expire({ ...HELD, until: NOW })).toEqual([["hold.cleared"], [{ ...HELD, until: NOW, over: true }]]);
  expect(expire({ ...HELD, until: NOW, over: true })).toEqual([[], [{ ...HELD, until: NOW, over: true }]]);
  expect(expire({ ...HOLD, until: NOW })).toEqual([["hold.cleared"], []]);
});

test("whatever limits come in whatever order, a hold in force never ends earlier than it was said to", () => {
  const limits = fc.array(
    fc.record({
      after: fc.integer({ min: 0, max: 100_000 }),
      ahead: fc.option(fc.integer({ min: -1_000, max: 200_000 })),
    }),
    { maxLength: 12 },
  );
  fc.assert(
    fc.property(limits, (all) => {
      let holds: HoldRow[] = [];
      let now = NOW;
      for (const { after, ahead } of all) {
        now += after;
        const until = ahead === null ? null : now + ahead;
        const limit = { key: KEY, until, known_from: until === null ? "backoff" : "signal" } as const;
        const known = holds.find((hold) => !hold.over && hold.until! > now);
        const settle = c.settle({ outcome: "rate_limited", limit });
        holds = decided(inProgress({ rest: { holds } }), settle, now).after.holds;
        expect(holds).toHaveLength(1);
        expect(holds[0]!.until).toBeGreaterThanOrEqual(Math.max(until ?? 0, known?.until ?? 0));
        if (until === null) expect(holds[0]!.until).toBeGreaterThanOrEqual(now + 60_000);
      }
    }),
  );
});
