import { describe, expect, test } from "vitest";
import { retryDelay } from "../../src/core/attempt/retry.ts";
import * as c from "../fixtures/commands.ts";
import { decided } from "../fixtures/decided.ts";
import { ITEM, inProgress, LEASE, NOW, RUN } from "../fixtures/loaded.ts";

const asReviewer = {
  task: { phase: 1, work_commit: "candidate", worker: "anna" },
  definition: { lane: "reviewed" },
  attempt: { agent: "bert" },
};

describe("an external worker", () => {
  test("done hands the task to the engine and ends the lease", () => {
    const { rejection, facts, task, attempt, after } = decided(inProgress(), c.done({ summary: "fixed" }));
    expect(rejection).toBeNull();
    expect(facts).toEqual(["attempt.settled", "task.claimed_done"]);
    expect(task).toEqual({ state: "claimed_done", reason: "work_done", worker: "anna" });
    expect(attempt).toEqual({ state: "settled", outcome: "succeeded", summary: "fixed", ended_at: NOW });
    expect(after.lease).toBeNull();
  });

  test("fail costs a try, and the next one waits", () => {
    const { facts, task, attempt } = decided(inProgress(), c.fail({ unlanded: true }));
    expect(facts).toEqual(["attempt.settled", "task.requeued"]);
    expect(attempt).toEqual({ state: "settled", outcome: "failed", error: "it broke", ended_at: NOW });
    expect(task).toEqual({
      state: "pending",
      reason: "try_left",
      tries: 1,
      unlanded: true,
      worker: "anna",
      last_error: "it broke",
      due_at: NOW + 10_000,
    });
  });

  test("fail on the last try withdraws what was still asked about the task: no answer could do anything", () => {
    const { facts } = decided(inProgress({ task: { tries: 2 }, rest: { items: [ITEM] } }), c.fail());
    expect(facts).toEqual(["attempt.settled", "item.answered", "task.failed"]);
    const again = decided(inProgress({ task: { tries: 1 }, rest: { items: [ITEM] } }), c.fail());
    expect(again.facts).toEqual(["attempt.settled", "task.requeued"]);
  });

  test("fail on the last try ends the task", () => {
    const { task } = decided(inProgress({ task: { tries: 2 } }), c.fail());
    expect(task).toEqual({
      state: "failed",
      reason: "tries_gone",
      tries: 3,
      worker: "anna",
      last_error: "it broke",
      finished_at: NOW,
    });
  });

  test("OR-17 waits twice as long after each failed try, five minutes at most", () => {
    expect([1, 2, 3, 9].map((tries) => retryDelay(tries, 10_000))).toEqual([10_000, 20_000, 40_000, 300_000]);
  });

  test("renew moves the end of its lease", () => {
    const { facts, after } = decided(inProgress(), c.renew());
    expect(facts).toEqual(["lease.renewed"]);
    expect(after.lease).toEqual({ ...LEASE, expires_at: NOW + 9 });
  });

  test.each([c.done({ token: 4 }), c.fail({ token: 4 }), c.renew({ token: 4 })])(
    "with a stale token is refused and noted: $type",
    (command) => {
      const { rejection, facts, task, after } = decided(inProgress(), command);
      expect(rejection).toBe("stale_token: token 4 no longer holds F-1: a newer one holds the task");
      expect(facts).toEqual(["lease.refused"]);
      expect(task).toEqual({});
      expect(after.lease).toEqual(LEASE);
    },
  );

  test("with a lease that ran out is refused, though nobody took the task", () => {
    const { rejection } = decided(inProgress({ lease: { expires_at: NOW } }), c.done());
    expect(rejection).toBe("stale_token: token 5 no longer holds F-1: its lease has expired");
  });

  test("of a task that nothing holds is refused", () => {
    const { rejection } = decided(inProgress({ rest: { lease: null } }), c.done());
    expect(rejection).toBe("stale_token: token 5 no longer holds F-1: nothing holds the task");
  });

  test("gives no verdict outside a review", () => {
    const { rejection, facts } = decided(
      inProgress(),
      c.done({ verdict: { word: "approved", comments: "", commit: null } }),
    );
    expect(rejection).toBe("not_a_review: F-1 is in its phase build, which yields no verdict");
    expect(facts).toEqual([]);
  });
});

describe("an expired lease", () => {
  test("is settled as lost, which costs no try", () => {
    const { facts, task } = decided(inProgress({ lease: { expires_at: NOW } }), c.leaseExpire());
    expect(facts).toEqual(["attempt.settled", "task.requeued"]);
    expect(task).toEqual({
      dirty: true,
      state: "pending",
      reason: "lost",
      lost: 1,
      worker: "anna",
      last_error: "the worker's lease ran out",
    });
  });

  test("is not settled before its time", () => {
    expect(decided(inProgress(), c.leaseExpire()).rejection).toBe("not_due: the lease of F-1 has not expired");
  });

  test("that was taken over is left alone", () => {
    const { rejection, facts } = decided(inProgress({ lease: { token: 6, expires_at: NOW } }), c.leaseExpire());
    expect(rejection).toBe("stale_token: token 5 no longer holds F-1: it has been settled");
    expect(facts).toEqual([]);
  });
});

describe("an attempt's outcome", () => {
  test.each(["failed", "timed_out", "stalled", "cancelled"] as const)("%s costs a try", (outcome) => {
    const { task } = decided(inProgress(), c.settle({ outcome }));
    expect(task).toMatchObject({
      state: "pending",
      reason: "try_left",
      tries: 1,
      last_error: outcome.replace("_", " "),
    });
  });

  test("interrupted hands everything back", () => {
    const { task } = decided(inProgress(), c.settle({ outcome: "interrupted", unlanded: true }));
    expect(task).toEqual({ state: "pending", reason: "handed_back", unlanded: true, worker: "anna" });
  });

  test("rate_limited by nobody knows what lets its task wait, and costs no try", () => {
    const { task } = decided(inProgress(), c.settle({ outcome: "rate_limited" }));
    expect(task).toEqual({
      state: "pending",
      reason: "rate_limited",
      rate_limited: 1,
      due_at: NOW + 60_000,
      worker: "anna",
      last_error: "a limit was reached",
    });
  });

  test("lost for the third time in a round asks a person, and fails after a day", () => {
    const { facts, task, after } = decided(inProgress({ task: { lost: 2 } }), c.settle({ outcome: "lost" }));
    expect(facts).toEqual(["attempt.settled", "item.opened", "task.blocked"]);
    expect(task).toEqual({
      state: "blocked",
      reason: "setback_bound",
      lost: 3,
      worker: "anna",
      last_error: "the attempt was lost",
    });
    expect(after.plan?.items).toBe(1);
    expect(after.items).toEqual([
      {
        project: "project",
        plan: "plan",
        id: "i1",
        task: "F-1",
        shared: null,
        kind: "setback",
        text: "lost 3 times in one round: the attempt was lost",
        options: [
          { name: "retry", effect: "pending" },
          { name: "skip", effect: "skipped" },
          { name: "fail", effect: "failed" },
        ],
        default_option: "fail",
        deadline_at: NOW + 24 * 3_600_000,
        wait: null,
        state: "open",
        answer: null,
        opened_at: NOW,
        closed_at: null,
        version: 0,
      },
    ]);
  });

  test("blocked asks, once, and waits for as long as it takes", () => {
    const { facts, task, after } = decided(inProgress(), c.settle({ outcome: "blocked", error: "Which currency?" }));
    expect(facts).toEqual(["attempt.settled", "item.opened", "task.blocked"]);
    expect(task).toEqual({
      state: "blocked",
      reason: "question",
      questions: 1,
      worker: "anna",
      last_error: "Which currency?",
    });
    expect(after.items[0]).toMatchObject({
      kind: "question",
      text: "Which currency?",
      default_option: null,
      deadline_at: null,
    });
    const asked = decided(inProgress({ rest: { items: [ITEM] } }), c.settle({ outcome: "blocked" }));
    expect(asked.facts).toEqual(["attempt.settled", "task.blocked"]);
    expect(asked.task["last_error"]).toBe("the agent cannot go on without an answer");
  });

  test("blocked for the fifth time in a round is a setback past its bound", () => {
    const { task, after } = decided(inProgress({ task: { questions: 4 } }), c.settle({ outcome: "blocked" }));
    expect(task).toMatchObject({ reason: "setback_bound", questions: 5 });
    expect(after.items[0]?.default_option).toBe("fail");
  });

  test("carries usage, and its cost to the run", () => {
    const usage = { input: 1, output: 2, cache_read: 3, cache_write: 4 };
    const before = inProgress({ run: { spent_usd: 1 }, attempt: { kind: "run" } });
    const { attempt, after } = decided(before, c.settle({ usage, cost_usd: 0.5 }));
    expect(attempt).toEqual({ state: "settled", outcome: "succeeded", usage, cost_usd: 0.5, ended_at: NOW });
    expect(after.run).toEqual({ ...RUN, spent_usd: 1.5, version: 1 });
  });

  test("of unknown cost leaves the run's sum alone", () => {
    expect(decided(inProgress({ run: { spent_usd: 1 } }), c.settle()).after.run?.spent_usd).toBe(1);
  });

  test("is settled by its token, even past its lease", () => {
    expect(decided(inProgress({ lease: { expires_at: 0 } }), c.settle()).rejection).toBeNull();
    const { rejection, facts } = decided(inProgress(), c.settle({ token: 4 }));
    expect(rejection).toBe("stale_token: token 4 no longer holds F-1: a newer one holds the task");
    expect(facts).toEqual(["lease.refused"]);
  });

  test("adopts the definition that waited for the task to be pending", () => {
    const before = inProgress();
    const next = { ...before.definition!.body, title: "Totals, again", priority: 1, wave: 4, files_owned: ["a"] };
    const { task, after } = decided(
      { ...before, definition: { ...before.definition!, next } },
      c.settle({ outcome: "interrupted" }),
    );
    expect(task).toMatchObject({ title: "Totals, again", priority: 1, wave: 4, owns: true });
    expect(after.definition).toEqual({ body: next, next: null });
  });
});

describe("a lane", () => {
  test("goes on to its next phase with fresh counters", () => {
    const before = inProgress({ definition: { lane: "full" }, task: { tries: 2, lost: 1 } });
    const { task } = decided(before, c.done());
    expect(task).toEqual({ state: "pending", reason: "phase_done", phase: 1, tries: 0, lost: 0, worker: "anna" });
  });

  test("a review that approves hands the task to the engine", () => {
    const { facts, task, after } = decided(
      inProgress(asReviewer),
      c.done({ verdict: { word: "approved", comments: "good", commit: "candidate" } }),
    );
    expect(facts).toEqual(["attempt.settled", "verdict.given", "task.claimed_done"]);
    expect(task).toEqual({ state: "claimed_done", reason: "approved", approved: true });
    expect(after.verdicts).toEqual([
      { verdict: { word: "approved", comments: "good", commit: "candidate" }, by: "bert" },
    ]);
  });

  test("a first of two reviews that approves makes the second one due", () => {
    const before = inProgress({ ...asReviewer, definition: { lane: "double" } });
    const lanes = {
      double: {
        name: "double",
        phases: [
          { name: "build", kind: "work" as const, rounds: 3 },
          { name: "tech", kind: "review" as const, rounds: 3 },
          { name: "law", kind: "review" as const, rounds: 3 },
        ],
      },
    };
    const plan = { ...before.plan!, policy: { ...before.plan!.policy, lanes } };
    const { task } = decided(
      { ...before, plan },
      c.done({ verdict: { word: "approved", comments: "", commit: null } }),
    );
    expect(task).toEqual({ state: "pending", reason: "phase_done", phase: 2 });
  });

  test("rejected opens the next round of the last work phase", () => {
    const before = inProgress({ ...asReviewer, task: { ...asReviewer.task, tries: 1, conflicts: 2, approved: true } });
    const { task } = decided(before, c.done({ verdict: { word: "rejected", comments: "no tests", commit: null } }));
    expect(task).toEqual({
      state: "pending",
      reason: "rejected",
      round: 2,
      phase: 0,
      tries: 0,
      conflicts: 0,
      approved: false,
      last_error: "no tests",
    });
  });

  test("rewrite goes back to the first phase on a fresh workspace", () => {
    const before = inProgress({
      definition: { lane: "full" },
      task: { phase: 3, unlanded: true, worker: "anna" },
      attempt: { agent: "bert" },
    });
    const { task } = decided(before, c.done({ verdict: { word: "rewrite", comments: "start over", commit: null } }));
    expect(task).toEqual({
      state: "pending",
      reason: "rewrite",
      round: 2,
      phase: 0,
      unlanded: false,
      last_error: "start over",
    });
  });

  test("rejected in the last round ends the task", () => {
    const before = inProgress({ ...asReviewer, task: { ...asReviewer.task, round: 3 } });
    const { task } = decided(before, c.done({ verdict: { word: "rejected", comments: "no", commit: null } }));
    expect(task).toEqual({ state: "failed", reason: "rounds_gone", last_error: "no", finished_at: NOW });
  });

  test("product asks whoever owns the product", () => {
    const { facts, task, after } = decided(
      inProgress(asReviewer),
      c.done({ verdict: { word: "product", comments: "Is this wanted?", commit: null } }),
    );
    expect(facts).toEqual(["attempt.settled", "verdict.given", "item.opened", "task.blocked"]);
    expect(task).toEqual({ state: "blocked", reason: "product", last_error: "Is this wanted?" });
    expect(after.items[0]).toMatchObject({ kind: "question", text: "Is this wanted?" });
  });

  test.each([
    [c.done(), "verdict_missing: the review of F-1 needs a verdict"],
    [
      c.done({ verdict: { word: "approved", comments: "", commit: "older" } }),
      "verdict_stale: the verdict is about older, and the work of F-1 is candidate",
    ],
  ])("refuses a review's end without a fitting verdict (%#)", (command, text) => {
    expect(decided(inProgress(asReviewer), command).rejection).toBe(text);
  });

  test("nobody reviews their own work", () => {
    const before = inProgress({ ...asReviewer, attempt: { agent: "anna" } });
    expect(decided(before, c.done({ verdict: { word: "approved", comments: "", commit: null } })).rejection).toBe(
      "own_work: anna did the work of F-1",
    );
  });

  test("a reviewing agent that ends without a verdict has failed its try", () => {
    const { task, attempt } = decided(inProgress(asReviewer), c.settle());
    expect(attempt).toMatchObject({ outcome: "failed", error: "the review of F-1 needs a verdict" });
    expect(task).toMatchObject({
      state: "pending",
      reason: "try_left",
      tries: 1,
      last_error: "the review of F-1 needs a verdict",
    });
  });

  test("a reviewing agent's verdict about older work has failed its try", () => {
    const { task } = decided(
      inProgress(asReviewer),
      c.settle({ verdict: { word: "approved", comments: "", commit: "older" } }),
    );
    expect(task).toMatchObject({ state: "pending", reason: "try_left", tries: 1 });
  });

  test("a builder's approval is only words", () => {
    const { facts, task } = decided(
      inProgress(),
      c.settle({ verdict: { word: "approved", comments: "", commit: null } }),
    );
    expect(facts).toEqual(["attempt.settled", "task.claimed_done"]);
    expect(task).toMatchObject({ reason: "work_done" });
  });
});

describe("a live attempt of a run", () => {
  const live = (then: "pending" | "skipped" | "cancelled" | "verified" | null) =>
    inProgress({ attempt: { kind: "run", stop: { as: "cancelled", why: "told so", then } } });

  test("is marked, not cut off", () => {
    const { rejection, facts, task, attempt } = decided(inProgress({ attempt: { kind: "run" } }), c.stop());
    expect(rejection).toBeNull();
    expect(facts).toEqual(["attempt.stopping"]);
    expect(attempt).toEqual({ stop: { as: "interrupted", why: "requeued by anna", then: "pending" } });
    expect(task).toEqual({});
  });

  test("takes its open questions along, unless it is blocked by them: nobody hears the answers any more", () => {
    const asking = inProgress({ attempt: { kind: "run" }, rest: { items: [{ ...ITEM, kind: "question" }] } });
    const lost = decided(asking, c.settle({ outcome: "lost", killed: true }));
    expect(lost.facts).toEqual(["attempt.settled", "item.answered", "task.requeued"]);
    expect(lost.after.items).toMatchObject([{ state: "answered", answer: "the attempt that asked has ended" }]);
    expect(decided(asking, c.settle({ outcome: "blocked", error: "Which?" })).after.items).toMatchObject([
      { state: "open" },
    ]);
  });

  test("is not stopped twice", () => {
    expect(decided(live("pending"), c.stop()).rejection).toBe("already_stopping: F-1 is stopping already: told so");
    expect(decided(live("pending"), c.cancel()).rejection).toBe("already_stopping: F-1 is stopping already: told so");
  });

  test("ends as it was asked to, and the task goes where that says", () => {
    expect(decided(live("pending"), c.settle({ outcome: "failed" }))).toMatchObject({
      attempt: { outcome: "cancelled", error: "told so" },
      task: { state: "pending", reason: "handed_back", last_error: "told so" },
    });
    expect(decided(live("skipped"), c.settle({ outcome: "succeeded" })).task).toMatchObject({
      state: "skipped",
      reason: "operator",
    });
    expect(decided(live("verified"), c.settle()).task).toMatchObject({
      state: "verified",
      reason: "override",
      unverified: true,
      satisfied: true,
    });
  });

  test("that was killed after it had ended by itself ended as it did", () => {
    expect(decided(live(null), c.settle()).task).toMatchObject({ state: "claimed_done" });
    expect(decided(live(null), c.settle({ outcome: "failed" })).attempt).toMatchObject({ outcome: "failed" });
    expect(decided(live(null), c.settle({ outcome: "interrupted" })).attempt).toMatchObject({ outcome: "cancelled" });
  });

  test("is told of its process", () => {
    const started = {
      type: "attempt.start",
      plan: "plan",
      task: "F-1",
      token: 5,
      state: "running",
      process: { node: "here", boot: "b", pid: 9, start: "1" },
    } as const;
    expect(decided(inProgress(), started).attempt).toEqual({ state: "running", process: started.process });
    expect(decided(inProgress(), { ...started, base: { commit: "x", tree: "y" } }).attempt).toMatchObject({
      base: "x",
      base_tree: "y",
    });
    expect(decided(inProgress(), { ...started, token: 4 })).toMatchObject({ facts: ["lease.refused"] });
  });

  test("is told what its agent says of itself, and keeps what is not said again", () => {
    const report = { type: "attempt.report", plan: "plan", task: "F-1", token: 5 } as const;
    expect(decided(inProgress(), { ...report, session: "s1" }).attempt).toEqual({ session: "s1" });
    expect(decided(inProgress(), { ...report, progress: "half way" }).attempt).toEqual({ progress: "half way" });
    expect(decided(inProgress(), { ...report, token: 4, progress: "late" })).toMatchObject({
      facts: ["lease.refused"],
    });
  });

  test("goes on under another engine with the token that its runner has", () => {
    const holder = { node: "here", boot: "b", pid: 77, start: "9" };
    const adopt = { type: "attempt.adopt", plan: "plan", task: "F-1", token: 5, holder, expires_at: 99 } as const;
    const { after, facts } = decided(inProgress(), adopt);
    expect(facts).toEqual(["attempt.adopted"]);
    expect(after.lease).toMatchObject({ holder, expires_at: 99, token: 5 });
    expect(decided(inProgress(), { ...adopt, token: 4 })).toMatchObject({ facts: ["lease.refused"] });
  });

  test("of a run is renewed by its token even when its lease has run out, one of a worker is not", () => {
    const renew = { type: "task.renew", plan: "plan", task: "F-1", token: 5, expires_at: NOW + 60_000 } as const;
    const lease = { expires_at: NOW - 1 };
    expect(decided(inProgress({ attempt: { kind: "run" }, lease }), renew)).toMatchObject({ facts: ["lease.renewed"] });
    expect(decided(inProgress({ lease }), renew)).toMatchObject({ facts: ["lease.refused"] });
  });

  test("an external one is settled at once when it is stopped", () => {
    const { facts, task } = decided(inProgress(), c.stop());
    expect(facts).toEqual(["attempt.stopping", "attempt.settled", "task.requeued"]);
    expect(task).toMatchObject({ state: "pending", reason: "handed_back" });
  });
});
