import { describe, expect, test } from "vitest";
import type { UnderwayTask } from "../../src/core/task/rows.ts";
import * as c from "../fixtures/commands.ts";
import { decided } from "../fixtures/decided.ts";
import { HOLD, HOLDER, inProgress, NOW, RUN, rows } from "../fixtures/loaded.ts";

const OTHER: UnderwayTask = {
  plan: "plan",
  id: "F-2",
  state: "in_progress",
  mode: "none",
  target: "refs/heads/main",
  kind: "run",
  agent: "coder",
  files_owned: ["src/cart/**"],
};

describe("a claim", () => {
  test("OMP-6 makes attempt, lease and token in one step and counts the attempt", () => {
    const { rejection, facts, task, after } = decided(rows({ task: { reason: "retried", due_at: NOW } }), c.claim());
    expect(rejection).toBeNull();
    expect(facts).toEqual(["attempt.created", "task.claimed"]);
    expect(task).toEqual({ state: "in_progress", attempts: 1, due_at: null, started_at: NOW, reason: "claimed" });
    expect(after.token).toBe(7);
    expect(after.lease).toEqual({
      key: "attempt\u0001plan\u0001F-1\u00011",
      holder: HOLDER,
      token: 7,
      expires_at: NOW + 1_800_000,
    });
    expect(after.attempt).toEqual({
      plan: "plan",
      task: "F-1",
      n: 1,
      phase: "build",
      round: 1,
      kind: "external",
      agent: "anna",
      run: null,
      state: "created",
      outcome: null,
      token: 7,
      process: null,
      stop: null,
      timeout_ms: 3_600_000,
      interrupts: 0,
      base: "base",
      base_tree: "base-tree",
      error: null,
      summary: null,
      report: null,
      progress: null,
      session: null,
      outside: null,
      foreseen: null,
      usage: null,
      cost_usd: null,
      failure: null,
      partial: false,
      model: null,
      started_at: NOW,
      ended_at: null,
      version: 0,
    });
  });

  test("of a later attempt keeps the time of the first start", () => {
    const { task, after } = decided(rows({ task: { attempts: 2, started_at: 5 } }), c.claim());
    expect(task).toEqual({ state: "in_progress", attempts: 3, reason: "claimed" });
    expect(after.attempt?.n).toBe(3);
  });

  test("ends what a person let pass of the work, except where it reviews that work", () => {
    const rulings = { protected_files: "allow" } as const;
    const worked = rows({ definition: { lane: "reviewed" }, task: { rulings } });
    expect(decided(worked, c.claim()).after.task).toMatchObject({ rulings: null });
    const reviewed = rows({ definition: { lane: "reviewed" }, task: { rulings, phase: 1 } });
    expect(decided(reviewed, c.claim()).after.task).toMatchObject({ rulings });
  });

  test("on behalf of a run counts as one of its starts", () => {
    const { after } = decided(rows({ run: {} }), c.claim({ kind: "run", run: "run" }));
    expect(after.run).toEqual({ ...RUN, started: 1, version: 1 });
  });

  test("by an external worker leaves the run's count alone", () => {
    expect(decided(rows({ run: {} }), c.claim()).after.run).toEqual(RUN);
  });

  test("on behalf of a run that was replaced is refused", () => {
    const { rejection, facts } = decided(rows({ run: { id: "newer" } }), c.claim({ kind: "run", run: "run" }));
    expect(rejection).toBe("no_run: run run is no longer the plan's run");
    expect(facts).toEqual([]);
  });

  test("settles a worker whose lease ran out as lost, and takes the task", () => {
    const before = inProgress({ lease: { expires_at: NOW } });
    const { rejection, facts, task } = decided(before, c.claim());
    expect(rejection).toBeNull();
    expect(facts).toEqual(["attempt.settled", "task.requeued", "attempt.created", "task.claimed"]);
    expect(task).toMatchObject({ attempts: 2, lost: 1, last_error: "the worker's lease ran out", worker: "anna" });
  });

  test("keeps the note of a lost worker even where that was the last loss allowed", () => {
    const { rejection, facts, after } = decided(
      inProgress({ lease: { expires_at: NOW }, task: { lost: 2 } }),
      c.claim(),
    );
    expect(rejection).toBe("not_ready: F-1 cannot be claimed: it is blocked");
    expect(facts).toEqual(["attempt.settled", "item.opened", "task.blocked"]);
    expect(after.task?.state).toBe("blocked");
  });

  test("does not settle a run's attempt by its lease: its engine does", () => {
    const { rejection, facts } = decided(
      inProgress({ attempt: { kind: "run" }, lease: { expires_at: NOW } }),
      c.claim(),
    );
    expect(rejection).toBe("not_ready: F-1 cannot be claimed: it is in_progress");
    expect(facts).toEqual([]);
  });

  test("of a live task is refused and changes nothing", () => {
    const { rejection, facts, task } = decided(inProgress(), c.claim());
    expect(rejection).toBe("not_ready: F-1 cannot be claimed: it is in_progress");
    expect(facts).toEqual([]);
    expect(task).toEqual({});
  });

  test.each([
    [rows({ task: { unmet: 2 } }), "dependency_pending: F-1 cannot be claimed: depends on 2 tasks to be verified"],
    [
      rows({ task: { unmet: 1, dead: 1 } }),
      "dependency_failed: F-1 cannot be claimed: depends on 1 task that ended without being verified",
    ],
    [
      rows({ task: { due_at: NOW + 1, reason: "try_left" } }),
      "due_later: F-1 cannot be claimed: not before its time (try_left)",
    ],
    [rows({ run: { state: "pausing" } }), "run_not_running: F-1 cannot be claimed: the run is pausing"],
    [
      rows({
        task: { owns: true, mode: "none" },
        definition: { files_owned: ["src/**"] },
        rest: { underway: [OTHER] },
      }),
      "overlap: F-1 cannot be claimed: its files may overlap with those of F-2",
    ],
    [
      rows({ rest: { underway: [{ ...OTHER, mode: "in_place" }] } }),
      "workspace_busy: F-1 cannot be claimed: F-2 is under way in the same place",
    ],
    [
      rows({ rest: { holds: [{ ...HOLD, until: NOW + 1 }] } }),
      "model_held: F-1 cannot be claimed: agent anna is held: limit",
    ],
  ])("is judged by the gates inside its own transaction (%#)", (before, text) => {
    const { rejection, facts } = decided(before, c.claim());
    expect(rejection).toBe(text);
    expect(facts).toEqual([]);
  });

  test("hourly, global and agent limits bind runs", () => {
    const asked = c.claim({ kind: "run", run: "run", agent: "coder", caps: { global: null, agent: null, hourly: 4 } });
    expect(decided(rows({ run: {}, rest: { started_last_hour: { count: 4, first_at: 1 } } }), asked).rejection).toMatch(
      /^hourly_cap: /,
    );
    const global = c.claim({ kind: "run", run: "run", caps: { global: 1, agent: null, hourly: null } });
    expect(
      decided(rows({ run: { jobs: 9 }, task: { mode: "none" }, rest: { underway: [OTHER] } }), global).rejection,
    ).toBe("concurrency: F-1 cannot be claimed: the project has 1 of 1 attempts at work");
  });

  test("of an unknown task or plan says which", () => {
    expect(decided(rows({ rest: { task: null } }), c.claim()).rejection).toBe(
      "unknown_task: plan checkout has no task F-1",
    );
    expect(decided(rows({ rest: { plan: null } }), c.claim()).rejection).toBe("unknown_plan: there is no plan plan");
  });
});
