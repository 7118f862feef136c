import { describe, expect, test } from "vitest";
import { decide, walkLimit } from "../../src/core/schedule/decide.ts";
import { type Explained, explain } from "../../src/core/schedule/explain.ts";
import { CALM, type Candidate, type Facts } from "../../src/core/schedule/facts.ts";
import { closedGates, GATE_CODES, type GateCode } from "../../src/core/schedule/gates.ts";
import { runOutcome } from "../../src/core/schedule/run-outcome.ts";
import type { TaskRow, UnderwayTask } from "../../src/core/task/rows.ts";
import { ATTEMPT, DEFINITION, HOLD, ITEM, LANDING, NOW, RUN, TASK } from "../fixtures/loaded.ts";

const TASK_AT_WORK: UnderwayTask = {
  plan: "plan",
  id: "F-2",
  state: "in_progress",
  mode: "none",
  target: "refs/heads/main",
  kind: "run",
  agent: "coder",
  files_owned: ["src/**"],
};

const run = (over: Partial<typeof RUN> = {}) => ({ ...RUN, ...over });
const calm: Facts = { ...CALM, run: run() };
const candidate = (
  over: Partial<TaskRow> = {},
  definition: Partial<typeof DEFINITION> = {},
  rest: Partial<Candidate> = {},
): Candidate => ({
  row: { ...TASK, mode: "none", ...over },
  definition: { ...DEFINITION, ...definition },
  kind: "run",
  agent: "coder",
  ...rest,
});

type Case = [facts: Partial<Facts>, candidate: Candidate, closed: { text: string; until?: number; by?: string[] }];

/** For each gate: what closes it, and every word that it says. */
const CLOSING: Record<GateCode, Case[]> = {
  engine_stopping: [
    [{ engine_stopping: true }, candidate(), { text: "the engine is stopping and starts nothing more" }],
  ],
  run_not_running: [
    [{ run: null }, candidate(), { text: "its plan has no run" }],
    [{ run: run({ state: "paused" }) }, candidate(), { text: "the run is paused", by: ["run"] }],
    [
      { run: run({ state: "stopping" }) },
      candidate({}, {}, { kind: "external" }),
      { text: "the run is stopping", by: ["run"] },
    ],
  ],
  budget_spent: [
    [
      { run: run({ budget_usd: 2, spent_usd: 2 }) },
      candidate(),
      { text: "the run has spent $2.00 of its $2.00", by: ["run"] },
    ],
  ],
  model_held: [
    [
      { holds: [{ ...HOLD, key: "agent:coder", until: NOW + 1, why: "limit" }] },
      candidate(),
      { text: "agent coder is held: limit", until: NOW + 1, by: ["agent:coder"] },
    ],
    [
      { holds: [{ ...HOLD, key: "agent:coder", until: null, why: "by hand" }] },
      candidate(),
      { text: "agent coder is held: by hand", by: ["agent:coder"] },
    ],
    [
      {
        draws: new Map([["coder", ["account:claude", "model:claude/opus"]]]),
        holds: [
          { ...HOLD, key: "account:claude", until: NOW + 1, known_from: "signal" },
          { ...HOLD, key: "model:claude/opus", until: NOW + 2, known_from: "text" },
          { ...HOLD, key: "model:claude/sonnet", until: null },
          { ...HOLD, key: "agent:coder", until: null, over: true },
        ],
      },
      candidate(),
      {
        text: "model claude/opus (of agent coder) is held: limit (when it is over is read from its words: a guess)",
        until: NOW + 2,
        by: ["model:claude/opus"],
      },
    ],
    [
      {
        draws: new Map([
          ["coder", ["account:claude", "provider:anthropic"]],
          ["other", ["account:codex"]],
          ["second", ["account:claude"]],
        ]),
        holds: [{ ...HOLD, key: "account:claude", until: NOW + 1, known_from: "backoff" }],
      },
      candidate(),
      {
        text: "account claude (of agents coder, second) is held: limit (when it is over is not known: a guess)",
        until: NOW + 1,
        by: ["account:claude"],
      },
    ],
  ],
  hourly_cap: [
    [
      { caps: { global: null, agent: null, hourly: 5 }, started_last_hour: { count: 5, first_at: NOW - 600_000 } },
      candidate(),
      { text: "5 attempts were started within the hour, of at most 5", until: NOW + 3_000_000 },
    ],
  ],
  run_cap: [
    [
      { run: run({ tasks_max: 3, started: 3 }) },
      candidate(),
      { text: "the run has started 3 attempts, of at most 3", by: ["run"] },
    ],
  ],
  concurrency: [
    [
      { caps: { global: 1, agent: null, hourly: null }, run: run({ jobs: 9 }), underway: [TASK_AT_WORK] },
      candidate(),
      { text: "the project has 1 of 1 attempts at work", by: ["F-2"] },
    ],
    [{ underway: [TASK_AT_WORK] }, candidate(), { text: "the run has 1 of 1 attempts at work", by: ["F-2"] }],
    [
      { caps: { global: null, agent: 1, hourly: null }, run: run({ jobs: 9 }), underway: [TASK_AT_WORK] },
      candidate(),
      { text: "agent coder has 1 of 1 attempts at work", by: ["F-2"] },
    ],
  ],
  dependency_pending: [
    [{}, candidate({ unmet: 1 }), { text: "depends on 1 task to be verified" }],
    [{}, candidate({ unmet: 2 }), { text: "depends on 2 tasks to be verified" }],
    [
      {},
      candidate(
        { unmet: 2 },
        {},
        { dependencies: ["A", "B", "C", "D", "E", "F", "G"].map((id) => ({ id, state: "pending", satisfied: false })) },
      ),
      { text: "depends on A, B, C, D, E and 2 more to be verified", by: ["A", "B", "C", "D", "E", "F", "G"] },
    ],
    [
      {},
      candidate(
        { unmet: 1 },
        {},
        {
          dependencies: [
            { id: "A", state: "verified", satisfied: true },
            { id: "B", state: "blocked", satisfied: false },
          ],
        },
      ),
      { text: "depends on B to be verified", by: ["B"] },
    ],
  ],
  dependency_failed: [
    [
      {},
      candidate(
        { unmet: 1, dead: 1 },
        {},
        {
          dependencies: [
            { id: "A", state: "failed", satisfied: false },
            { id: "B", state: "skipped", satisfied: true },
          ],
        },
      ),
      { text: "depends on A that ended without being verified", by: ["A"] },
    ],
  ],
  due_later: [
    [
      {},
      candidate({ due_at: NOW + 1, reason: "try_left" }),
      { text: "not before its time (try_left)", until: NOW + 1 },
    ],
    [{}, candidate({ due_at: NOW + 1 }), { text: "not before its time (due)", until: NOW + 1 }],
  ],
  scope_unapproved: [
    [
      { scopes_unapproved: ["billing"] },
      candidate({}, { scope: "billing" }),
      { text: "scope billing waits for a person's approval", by: ["billing"] },
    ],
  ],
  overlap: [
    [
      { run: run({ jobs: 9 }), underway: [TASK_AT_WORK] },
      candidate({ owns: true }, { files_owned: ["src/cart/**"] }),
      { text: "its files may overlap with those of F-2", by: ["F-2"] },
    ],
  ],
  disk: [
    [
      { disk: { free_bytes: 1_500_000, floor_bytes: 100_000_000 } },
      candidate(),
      { text: "free disk space: 1 MB, and at least 100 MB is asked for" },
    ],
    [
      { disk: { free_bytes: 1_500_000, floor_bytes: 100_000_000, at: "/var" } },
      candidate(),
      { text: "free disk space: 1 MB at /var, and at least 100 MB is asked for" },
    ],
  ],
  memory: [
    [
      { memory: { free_bytes: 1, floor_bytes: 2_000_000 } },
      candidate(),
      { text: "free memory: 0 MB, and at least 2 MB is asked for" },
    ],
  ],
  workspace_busy: [
    [
      { run: run({ jobs: 9 }), underway: [{ ...TASK_AT_WORK, mode: "in_place" }] },
      candidate({ mode: "in_place" }),
      { text: "F-2 is under way in the same place", by: ["F-2"] },
    ],
    [{ workspace: "the checkout has changes" }, candidate({ mode: "in_place" }), { text: "the checkout has changes" }],
  ],
  agent_busy: [
    [
      { caps: { global: null, agent: 1, hourly: null }, run: run({ jobs: 9 }), underway: [TASK_AT_WORK] },
      candidate({}, { agent: "coder" }),
      { text: "its agent coder is at work on F-2", by: ["F-2"] },
    ],
  ],
};

test("of two that both wait with unlanded work neither waits for the other; one that has none waits", () => {
  const other = { ...TASK_AT_WORK, state: "pending", mode: "in_place" } as const;
  const facts = { ...CALM, run: run({ jobs: 9 }), underway: [other] };
  const waiting = candidate({ owns: true, mode: "in_place", unlanded: true }, { files_owned: ["src/cart/**"] });
  expect(closedGates(facts, waiting, NOW)).toEqual([]);
  const fresh = { ...waiting, row: { ...waiting.row, unlanded: false } };
  expect(closedGates(facts, fresh, NOW).map(({ code }) => code)).toEqual(["overlap", "workspace_busy"]);
});

describe("a gate", () => {
  const cases = GATE_CODES.flatMap((code) =>
    CLOSING[code].map((found, i) => [`${code} ${i}`, code, ...found] as const),
  );

  test.each(cases)("%s is the only one closed, and says why", (_name, code, facts, task, closed) => {
    expect(closedGates({ ...calm, ...facts }, task, NOW)).toEqual([{ code, until: null, by: [], ...closed }]);
  });

  test("dependency_pending counts only those that may still be verified", () => {
    expect(closedGates(calm, candidate({ unmet: 3, dead: 1 }), NOW).map((closed) => closed.text)).toEqual([
      "depends on 2 tasks to be verified",
      "depends on 1 task that ended without being verified",
    ]);
  });

  const open: [string, Partial<Facts>, Candidate][] = [
    ["a running run", {}, candidate()],
    ["no run for an external worker", { run: null }, candidate({}, {}, { kind: "external" })],
    ["a budget that is not spent", { run: run({ budget_usd: 2, spent_usd: 1.99 }) }, candidate()],
    ["a hold that was ended", { holds: [{ ...HOLD, key: "agent:coder", over: true }] }, candidate()],
    [
      "a hold of an account that another agent draws on",
      { draws: new Map([["other", ["account:claude"]]]), holds: [{ ...HOLD, key: "account:claude" }] },
      candidate(),
    ],
    ["a hold that is over", { holds: [{ ...HOLD, key: "agent:coder", until: NOW, why: "limit" }] }, candidate()],
    ["a hold of another agent", { holds: [{ ...HOLD, key: "agent:other", until: null, why: "limit" }] }, candidate()],
    [
      "a hold, for a task that has no agent",
      { holds: [{ ...HOLD, key: "agent:null", until: null, why: "limit" }] },
      candidate({}, {}, { agent: null }),
    ],
    [
      "an hour that is not full",
      { caps: { global: null, agent: null, hourly: 5 }, started_last_hour: { count: 4, first_at: NOW - 600_000 } },
      candidate(),
    ],
    [
      "a full hour, for an external worker",
      { caps: { global: null, agent: null, hourly: 5 }, started_last_hour: { count: 5, first_at: NOW - 600_000 } },
      candidate({}, {}, { kind: "external" }),
    ],
    ["a run below its cap", { run: run({ tasks_max: 3, started: 2 }) }, candidate()],
    [
      "a run at its cap, for an external worker",
      { run: run({ tasks_max: 3, started: 3 }) },
      candidate({}, {}, { kind: "external" }),
    ],
    [
      "a full project, for an external worker",
      { underway: [TASK_AT_WORK], caps: { global: 1, agent: 1, hourly: null } },
      candidate({}, { agent: "coder" }, { kind: "external" }),
    ],
    [
      "attempts of another plan, for the run's own jobs",
      { underway: [{ ...TASK_AT_WORK, plan: "other" }] },
      candidate(),
    ],
    ["what is only claimed done, for jobs", { underway: [{ ...TASK_AT_WORK, state: "claimed_done" }] }, candidate()],
    ["external attempts, for jobs", { underway: [{ ...TASK_AT_WORK, kind: "external" }] }, candidate()],
    [
      "another agent at work, for an agent's limit",
      {
        caps: { global: null, agent: 1, hourly: null },
        run: run({ jobs: 2 }),
        underway: [{ ...TASK_AT_WORK, agent: "x" }],
      },
      candidate(),
    ],
    [
      "another agent at work, for an assigned agent",
      {
        caps: { global: null, agent: 1, hourly: null },
        run: run({ jobs: 2 }),
        underway: [{ ...TASK_AT_WORK, agent: "x" }],
      },
      candidate({}, { agent: "coder" }),
    ],
    ["its time", {}, candidate({ due_at: NOW })],
    ["another scope that waits", { scopes_unapproved: ["x"] }, candidate({}, { scope: "billing" })],
    [
      "a task that owns nothing beside one that owns all",
      { run: run({ jobs: 9 }), underway: [TASK_AT_WORK] },
      candidate({}, { files_owned: ["src/a"] }),
    ],
    [
      "the same files on another target",
      { run: run({ jobs: 9 }), underway: [{ ...TASK_AT_WORK, target: "x" }] },
      candidate({ owns: true }, { files_owned: ["src/a"] }),
    ],
    [
      "other files",
      { run: run({ jobs: 9 }), underway: [TASK_AT_WORK] },
      candidate({ owns: true }, { files_owned: ["docs/**"] }),
    ],
    [
      "its own earlier work",
      { run: run({ jobs: 9 }), underway: [{ ...TASK_AT_WORK, id: "F-1", mode: "in_place" }] },
      candidate({ owns: true, mode: "in_place" }, { files_owned: ["src/a"] }),
    ],
    ["enough disk", { disk: { free_bytes: 5, floor_bytes: 5 } }, candidate()],
    ["a dirty checkout, for a worker with its own place", { workspace: "dirty" }, candidate()],
  ];

  test.each(open)("%s closes none", (_name, facts, task) => {
    expect(closedGates({ ...calm, ...facts }, task, NOW)).toEqual([]);
  });
});

describe("decide", () => {
  const ready = (ids: string[], over: Partial<TaskRow> = {}) => ids.map((id) => candidate({ id, ...over }));

  test("starts in the order it is given, as many as there are slots", () => {
    const facts = { ...calm, run: run({ jobs: 9 }) };
    expect(decide(facts, ready(["A", "B", "C"]), 2, NOW).map((c) => c.row.id)).toEqual(["A", "B"]);
    expect(decide(facts, ready(["A"]), 0, NOW)).toEqual([]);
  });

  test("judges each with those before it already under way", () => {
    const both = ["A", "B"].map((id) => candidate({ id, owns: true }, { files_owned: ["src/**"] }));
    expect(decide({ ...calm, run: run({ jobs: 9 }) }, both, 2, NOW).map((c) => c.row.id)).toEqual(["A"]);
    expect(decide({ ...calm, run: run({ jobs: 1 }) }, ready(["A", "B"]), 2, NOW).map((c) => c.row.id)).toEqual(["A"]);
    expect(
      decide({ ...calm, run: run({ jobs: 9 }) }, ready(["A", "B"], { mode: "in_place" }), 2, NOW).map((c) => c.row.id),
    ).toEqual(["A"]);
    expect(
      decide({ ...calm, run: run({ jobs: 9, tasks_max: 1 }) }, ready(["A", "B"]), 2, NOW).map((c) => c.row.id),
    ).toEqual(["A"]);
    const hourly = { ...calm, run: run({ jobs: 9 }), caps: { global: null, agent: null, hourly: 1 } };
    expect(decide(hourly, ready(["A", "B"]), 2, NOW).map((c) => c.row.id)).toEqual(["A"]);
    const byAgent = { ...calm, run: run({ jobs: 9 }), caps: { global: null, agent: 1, hourly: null } };
    expect(decide(byAgent, ready(["A", "B"]), 2, NOW).map((c) => c.row.id)).toEqual(["A"]);
  });

  test("external starts leave the run's counts alone", () => {
    const external = ["A", "B"].map((id) => candidate({ id }, {}, { kind: "external" }));
    expect(decide({ ...calm, run: run({ tasks_max: 1 }) }, external, 2, NOW).map((c) => c.row.id)).toEqual(["A", "B"]);
  });

  test("passes over what is held back, within its bound", () => {
    expect(walkLimit(1)).toBe(68);
    const held = ready(
      Array.from({ length: 67 }, (_, i) => `held-${i}`),
      { due_at: NOW + 1 },
    );
    expect(decide(calm, [...held, ...ready(["A"])], 1, NOW).map((c) => c.row.id)).toEqual(["A"]);
    expect(decide(calm, [...held, ...held.slice(0, 1), ...ready(["A"])], 1, NOW)).toEqual([]);
  });
});

describe("explain", () => {
  const task = (row: Partial<TaskRow>, over: Partial<Explained> = {}): Explained => ({
    ...candidate(row),
    attempt: null,
    landing: null,
    items: [],
    queued: null,
    leaseExpiresAt: null,
    ...over,
  });

  test("names the first closed gate and all of them beside it", () => {
    const { id, state, reason, reasons } = explain({ ...calm, engine_stopping: true }, task({ unmet: 1 }), NOW);
    expect([id, state, reason.code]).toEqual(["F-1", "pending", "engine_stopping"]);
    expect(reasons.map((r) => r.code)).toEqual(["engine_stopping", "dependency_pending"]);
  });

  test("says that nothing holds a ready task", () => {
    const { reason, reasons } = explain(calm, task({}), NOW);
    expect(reason).toEqual({
      code: "ready",
      text: "nothing holds it: it can be claimed or started now",
      until: null,
      by: [],
    });
    expect(reasons).toEqual([]);
  });

  test.each([
    [
      task({ state: "in_progress" }, { attempt: ATTEMPT, leaseExpiresAt: 9 }),
      { code: "in_progress", text: "attempt 1 is under way by anna", until: 9, by: ["#1"] },
    ],
    [
      task({ state: "in_progress" }, { attempt: { ...ATTEMPT, agent: null } }),
      { code: "in_progress", text: "attempt 1 is under way by an external worker", until: null, by: ["#1"] },
    ],
    [
      task({ state: "in_progress" }, { attempt: { ...ATTEMPT, agent: null, kind: "run" }, leaseExpiresAt: 9 }),
      { code: "in_progress", text: "attempt 1 is under way by an agent", until: null, by: ["#1"] },
    ],
    [task({ state: "in_progress" }), { code: "in_progress", text: "an attempt is under way", until: null, by: [] }],
    [
      task(
        { state: "in_progress" },
        { attempt: { ...ATTEMPT, stop: { as: "cancelled", why: "requeued", then: "pending" } } },
      ),
      { code: "stopping", text: "attempt 1 is stopping: requeued", until: null, by: ["#1"] },
    ],
    [
      task({ state: "claimed_done" }),
      {
        code: "claimed_done",
        text: "its checks wait for an engine or the next `lockstep task done`",
        until: null,
        by: [],
      },
    ],
    [
      task(
        { state: "claimed_done" },
        { landing: { ...LANDING, check: { command: "npm test", process: LANDING.holder } } },
      ),
      { code: "claimed_done", text: "its check `npm test` runs, by process 7 on here", until: null, by: [] },
    ],
    [
      task({ state: "claimed_done" }, { landing: LANDING }),
      { code: "claimed_done", text: "it is being landed, by process 7 on here", until: null, by: [] },
    ],
    [
      task({ state: "claimed_done" }, { landing: { ...LANDING, task: "F-9" } }),
      { code: "claimed_done", text: "F-9 is checked and landed first", until: null, by: ["F-9"] },
    ],
    [
      task(
        { state: "claimed_done" },
        { queued: { place: 2, ahead: [{ plan: TASK.plan, plan_name: "shop", id: "F-9" }] } },
      ),
      {
        code: "claimed_done",
        text: `second in the landing queue of main, behind F-9; its checks wait for an engine or the next \`lockstep task done\``,
        until: null,
        by: ["F-9"],
      },
    ],
    [
      task(
        { state: "claimed_done" },
        {
          landing: { ...LANDING, task: "F-9" },
          queued: { place: 2, ahead: [{ plan: TASK.plan, plan_name: "shop", id: "F-9" }] },
        },
      ),
      {
        code: "claimed_done",
        text: "second in the landing queue of main, behind F-9",
        until: null,
        by: ["F-9"],
      },
    ],
    [
      task({ state: "claimed_done", due_at: NOW + 5, last_error: "the disk is full" }),
      { code: "claimed_done", text: "it is landed again later: the disk is full", until: NOW + 5, by: [] },
    ],
    [
      task({ state: "claimed_done" }, { landing: { ...LANDING, plan: "other" } }),
      { code: "claimed_done", text: "F-1 is checked and landed first", until: null, by: ["F-1"] },
    ],
    [
      task({ state: "blocked" }, { items: [{ ...ITEM, deadline_at: 5 }] }),
      {
        code: "blocked",
        text: "question i1: Which currency?; `lockstep answer i1 retry | land | skip | fail`",
        until: 5,
        by: ["i1"],
      },
    ],
    [
      task({ state: "blocked" }, { items: [{ ...ITEM, default_option: "skip", deadline_at: 5 }] }),
      {
        code: "blocked",
        text: "question i1: Which currency?; `lockstep answer i1 retry | land | skip | fail`; without an answer by then: skip",
        until: 5,
        by: ["i1"],
      },
    ],
    [
      task(
        { state: "in_progress" },
        { attempt: ATTEMPT, items: [{ ...ITEM, wait: { until: NOW + 5, then: "refused" } }] },
      ),
      {
        code: "question",
        text: "waits for your answer to i1: Which currency?; `lockstep answer i1 retry | land | skip | fail`; without one by then: it is a no",
        until: NOW + 5,
        by: ["i1"],
      },
    ],
    [task({ state: "blocked", reason: "question" }), { code: "blocked", text: "question", until: null, by: [] }],
    [
      task({ state: "verified", last_error: "x" }),
      { code: "verified", text: "its checks passed, and nothing had to land", until: null, by: [] },
    ],
    [
      task({ state: "verified", unverified: true }),
      { code: "verified", text: "by an operator's word, unverified", until: null, by: [] },
    ],
    [task({ state: "failed", last_error: "it broke" }), { code: "failed", text: "it broke", until: null, by: [] }],
    [
      task({ state: "skipped", satisfied: true, last_error: "not needed" }),
      { code: "skipped", text: "counts as verified: not needed", until: null, by: [] },
    ],
    [task({ state: "cancelled" }), { code: "cancelled", text: "nobody said why", until: null, by: [] }],
  ])("answers for what is not pending (%#)", (explained, reason) => {
    expect(explain(calm, explained, NOW).reason).toEqual(reason);
  });

  test("what its agent waited for in vain stands behind its work, with what becomes of an answer now", () => {
    const items = [
      { ...ITEM, wait: { until: NOW, then: "refused" } as const },
      { ...ITEM, id: "i2", wait: { until: NOW - 5, then: "ends" } as const },
    ];
    const { reasons } = explain(calm, task({ state: "in_progress" }, { attempt: ATTEMPT, items }), NOW);
    const asked = (id: string) =>
      `asked you, and goes on meanwhile: ${id}: Which currency?; \`lockstep answer ${id} retry | land | skip | fail\`; `;
    expect(reasons.map(({ text }) => text)).toEqual([
      "attempt 1 is under way by anna",
      `${asked("i1")}it was taken for a no: an answer counts when it asks for the same again`,
      `${asked("i2")}an answer goes to the next attempt`,
    ]);
  });
});

describe("a run's outcome, by first match", () => {
  const tallies = {
    pending: 0,
    in_progress: 0,
    claimed_done: 0,
    verified: 4,
    blocked: 0,
    failed: 0,
    skipped: 0,
    cancelled: 0,
    satisfied_skips: 0,
    retired_done: 0,
    retired: 0,
  };
  const standing = { state: "running", tallies, open_items: 0, due_later: false, held_by_person: false } as const;

  test.each([
    [{ ...standing, state: "stopping", open_items: 1 } as const, "stopped"],
    [{ ...standing, open_items: 1, due_later: true }, "needs_person"],
    [{ ...standing, tallies: { ...tallies, blocked: 1 } }, "needs_person"],
    [{ ...standing, held_by_person: true, due_later: true }, "needs_person"],
    [{ ...standing, due_later: true, tallies: { ...tallies, failed: 1 } }, "parked"],
    [{ ...standing, tallies: { ...tallies, failed: 1 } }, "failed"],
    [{ ...standing, tallies: { ...tallies, pending: 1 } }, "failed"],
    [standing, "done"],
  ])("%#", (found, outcome) => {
    expect(runOutcome(found)).toBe(outcome);
  });
});
