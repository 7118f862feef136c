import { describe, expect, test } from "vitest";
import * as c from "../fixtures/commands.ts";
import { decided } from "../fixtures/decided.ts";
import { claimedDone, HOLDER, LANDING, NOW, rows } from "../fixtures/loaded.ts";

const GUARD = { ...c.GREEN, kind: "guard" as const, command: "npm run lint" };
const guards = [{ run: "npm run lint", timeout_ms: 1 }];

const BASE_RED = "red before the work already, so not by this task: verify `npm test` ended with 1: 1 failing";

describe("a landing", () => {
  test("begins with all that is needed to take it over", () => {
    const check = { command: "npm test", process: HOLDER };
    const { facts, task, after } = decided(claimedDone({ landing: null }), c.begin({ check }));
    expect(facts).toEqual(["landing.begun"]);
    expect(task).toEqual({ unlanded: true, work_commit: "candidate" });
    expect(after.token).toBe(7);
    expect(after.landing).toEqual({ ...LANDING, token: 7, check, begun_at: NOW });
  });

  test("without a change to land leaves nothing unlanded", () => {
    const { task } = decided(claimedDone({ landing: null, task: { unlanded: true } }), c.begin({ candidate: "tip" }));
    expect(task).toEqual({ unlanded: false, work_commit: "tip" });
  });

  test("whose candidate is not built yet says nothing of the work", () => {
    const before = claimedDone({ landing: null, task: { unlanded: true, work_commit: "earlier" } });
    const { facts, task } = decided(before, c.begin({ tip: null, candidate: null, tree: null }));
    expect(facts).toEqual(["landing.begun"]);
    expect(task).toEqual({});
  });

  test("of files that the task does not own is warned of, on the attempt too, and once for the same files", () => {
    const outside = { paths: ["page.ts"], total: 1 };
    const first = decided(claimedDone({ landing: null }), c.begin({ outside }));
    expect(first.facts).toEqual(["landing.begun", "scope.warned"]);
    expect(first.attempt).toEqual({ outside });
    const again = decided(first.after, c.begin({ outside, over: 7 }));
    expect(again.facts).toEqual(["landing.begun"]);
    const more = { paths: ["page.ts"], total: 60 };
    const other = decided(first.after, c.begin({ outside: more, over: 7 }));
    expect(other.facts).toEqual(["landing.begun", "scope.warned"]);
    expect(other.attempt).toEqual({ outside: more });
  });

  test("is one at a time on a target", () => {
    const { rejection, facts } = decided(claimedDone(), c.begin());
    expect(rejection).toBe("landing_held: process 7 on here is landing F-1 on the same target");
    expect(facts).toEqual([]);
    expect(decided(claimedDone(), c.begin({ over: 5 })).rejection).toMatch(/^landing_held/);
    expect(decided(claimedDone(), c.begin({ over: 6 })).after.landing).toMatchObject({ token: 7, passed: [] });
  });

  test("is only for what is claimed done", () => {
    expect(decided(rows(), c.begin()).rejection).toBe("landing_void: F-1 is not to be landed: it is pending");
  });

  test("of a dead holder is adopted as it stands, under a new token", () => {
    const adopt = {
      type: "landing.adopt",
      plan: "plan",
      task: "F-1",
      target: "refs/heads/main",
      holder: { ...HOLDER, pid: 8 },
      over: 6,
    } as const;
    const before = claimedDone({ landing: { passed: ["verify npm test"], check: { command: "x", process: HOLDER } } });
    const { facts, after } = decided(before, adopt);
    expect(facts).toEqual(["landing.begun"]);
    expect(after.landing).toEqual({
      ...LANDING,
      holder: { ...HOLDER, pid: 8 },
      token: 7,
      passed: ["verify npm test"],
      check: null,
    });
    expect(decided(before, { ...adopt, over: 5 }).rejection).toBe(
      "stale_token: token 5 no longer holds F-1: a newer one holds the task",
    );
  });
});

describe("a check", () => {
  test("that is green counts on the candidate's tree, and the next one is named", () => {
    const next = { command: "npm run lint", process: HOLDER };
    const { facts, task, after } = decided(claimedDone({ definition: { guards } }), c.record({ next }));
    expect(facts).toEqual(["check.recorded", "landing.advanced"]);
    expect(task).toEqual({});
    expect(after.checks).toEqual([c.GREEN]);
    expect(after.landing).toEqual({ ...LANDING, passed: ["verify npm test"], check: next, version: 1 });
  });

  test("that was green on another tree proves nothing", () => {
    expect(decided(claimedDone(), c.record({ result: { ...c.GREEN, tree: "other" } })).after.landing?.passed).toEqual(
      [],
    );
  });

  test("that is the last green one before a review makes the review due", () => {
    const before = claimedDone({ definition: { lane: "reviewed" }, task: { tries: 1 } });
    const { facts, task, after } = decided(before, c.record());
    expect(facts).toEqual(["check.recorded", "landing.advanced", "landing.ended", "task.requeued"]);
    expect(task).toEqual({ state: "pending", reason: "review_due", phase: 1, tries: 0 });
    expect(after.landing).toBeNull();
  });

  test("that is not the last one waits for the others before the review", () => {
    const before = claimedDone({ definition: { lane: "reviewed", guards } });
    expect(decided(before, c.record()).facts).toEqual(["check.recorded", "landing.advanced"]);
  });

  test("that is red by the task costs a try and goes back to the lane's last work phase", () => {
    const before = claimedDone({ definition: { lane: "reviewed" }, task: { phase: 1, approved: true } });
    const { facts, task, after } = decided(before, c.record({ result: c.RED }));
    expect(facts).toEqual(["check.recorded", "landing.ended", "task.requeued"]);
    expect(task).toEqual({
      state: "pending",
      reason: "checks_red",
      tries: 1,
      phase: 0,
      approved: false,
      due_at: NOW + 10_000,
      last_error: "verify `npm test` ended with 1: 1 failing",
    });
    expect(after.landing).toBeNull();
  });

  test("that ran out of time says so", () => {
    const { task } = decided(
      claimedDone(),
      c.record({ result: { ...c.RED, outcome: "timed_out", exit_code: 124, tail: "…" } }),
    );
    expect(task["last_error"]).toBe("verify `npm test` ended with 124 (timed out): …");
  });

  test("that is red only together with what landed meanwhile is a setback", () => {
    const { task } = decided(claimedDone(), c.record({ result: c.RED, blame: "together" }));
    expect(task).toEqual({
      state: "pending",
      reason: "red_together",
      conflicts: 1,
      last_error: "verify `npm test` ended with 1: 1 failing",
    });
  });

  test("that could not be started is put off, and asks nobody yet", () => {
    const { facts } = decided(claimedDone(), c.record({ result: c.RED, blame: "environment" }));
    expect(facts).toEqual(["check.recorded", "landing.ended", "landing.put_off"]);
  });

  test("that is red by the base asks a person", () => {
    const [blame, reason] = ["base", "base_red"] as const;
    const { facts, task, after } = decided(claimedDone(), c.record({ result: c.RED, blame }));
    expect(facts).toEqual(["check.recorded", "landing.ended", "item.opened", "task.blocked"]);
    expect(task).toEqual({ state: "blocked", reason, last_error: BASE_RED });
    expect(after.items[0]).toMatchObject({
      kind: "checks",
      default_option: null,
      options: [
        { name: "check_again", effect: "claimed_done" },
        { name: "retry", effect: "pending" },
        { name: "fail", effect: "failed" },
      ],
    });
  });

  test("that is red and runs once more leaves the landing as it is, and names the next run", () => {
    const next = { command: "npm test", process: HOLDER };
    const { facts, task, after } = decided(claimedDone(), c.record({ result: c.RED, blame: "unsure", next }));
    expect(facts).toEqual(["check.recorded", "landing.advanced"]);
    expect(task).toEqual({});
    expect(after.landing).toMatchObject({ passed: [], check: next });
  });

  test("that is green where it was red before is flaky, and counts", () => {
    const { facts, after } = decided(claimedDone(), c.record({ reds: 1 }));
    expect(facts).toEqual(["check.recorded", "check.flaky", "landing.advanced"]);
    expect(after.landing?.passed).toEqual(["verify npm test"]);
  });

  test("tells of a red one what of its output says what failed", () => {
    const { task } = decided(claimedDone(), c.record({ result: c.RED, excerpt: "expected 3 to be 4" }));
    expect(task).toMatchObject({ last_error: "verify `npm test` ended with 1: expected 3 to be 4" });
  });

  test.each([c.record({ token: 5 }), c.land({ token: 5 })])(
    "with a stale token is refused and noted (%#)",
    (command) => {
      const { rejection, facts, task } = decided(claimedDone(), command);
      expect(rejection).toBe(`stale_token: token ${command.token} no longer holds F-1: a newer one holds the task`);
      expect(facts).toEqual(["lease.refused"]);
      expect(task).toEqual({});
    },
  );

  test("with a token that was never given is refused too", () => {
    expect(decided(claimedDone(), c.record({ token: 99 })).rejection).toBe(
      "stale_token: token 99 no longer holds F-1: it was never given for this task",
    );
  });

  test("of a landing of another task, or of none, is refused", () => {
    expect(decided(claimedDone({ landing: { task: "F-2" } }), c.record()).rejection).toMatch(/^stale_token/);
    expect(decided(claimedDone({ landing: { plan: "other" } }), c.record()).rejection).toMatch(/^stale_token/);
    expect(decided(claimedDone({ rest: { landing: null } }), c.record()).rejection).toBe(
      "stale_token: token 6 no longer holds F-1: nothing holds the task",
    );
  });

  test("of a task that is no longer claimed done ends the landing and nothing else", () => {
    const { rejection, facts, after } = decided(claimedDone({ task: { state: "cancelled" } }), c.record());
    expect(rejection).toBe("landing_void: F-1 is no longer to be landed: it is cancelled");
    expect(facts).toEqual(["landing.ended"]);
    expect(after.landing).toBeNull();
    expect(decided(claimedDone({ task: { attempts: 2 } }), c.land()).rejection).toMatch(/^landing_void/);
  });

  test("before the work is only evidence", () => {
    const { facts, task, after } = decided(rows(), {
      type: "check.baseline",
      plan: "plan",
      task: "F-1",
      result: GUARD,
    });
    expect(facts).toEqual(["check.recorded"]);
    expect(task).toEqual({});
    expect(after.checks).toEqual([GUARD]);
  });
});

describe("verified", () => {
  test("is what landed on the tree that was checked", () => {
    const { facts, task, after } = decided(claimedDone({ task: { unlanded: true, last_error: "earlier" } }), c.land());
    expect(facts).toEqual(["check.recorded", "landing.ended", "task.verified"]);
    expect(task).toEqual({
      state: "verified",
      reason: "landed",
      satisfied: true,
      unlanded: false,
      finished_at: NOW,
      last_error: null,
      landed_target: "refs/heads/main",
      landed_sha: "candidate",
      landed_tree: "tree",
    });
    expect(after.landing).toBeNull();
  });

  test("outside git names no target", () => {
    const { task } = decided(claimedDone({ landing: { candidate: null } }), c.land({ sha: null }));
    expect(task).toMatchObject({ state: "verified", landed_tree: "tree" });
    expect(task).not.toHaveProperty("landed_target");
  });

  test.each([
    [claimedDone(), c.land({ checks: [] }), "npm test"],
    [claimedDone(), c.land({ checks: [{ ...c.GREEN, tree: "other" }] }), "npm test"],
    [claimedDone(), c.land({ checks: [c.RED] }), "npm test"],
    [claimedDone(), c.land({ checks: [{ ...c.GREEN, kind: "guard" }] }), "npm test"],
  ])("is refused without every check on that very tree (%#)", (before, command, missing) => {
    const { rejection, facts } = decided(before, command);
    expect(rejection).toBe(`checks_missing: F-1 cannot land: not green on its tree: verify ${missing}`);
    expect(facts).toEqual([]);
  });

  test("needs the guards too, recorded before or now", () => {
    const before = claimedDone({ definition: { guards } });
    expect(decided(before, c.land()).rejection).toBe(
      "checks_missing: F-1 cannot land: not green on its tree: guard npm run lint",
    );
    expect(decided(before, c.land({ checks: [c.GREEN, GUARD] })).rejection).toBeNull();
    expect(
      decided(claimedDone({ definition: { guards }, landing: { passed: ["guard npm run lint"] } }), c.land()).rejection,
    ).toBeNull();
  });

  test("needs no check where the task says that none can tell", () => {
    expect(
      decided(claimedDone({ definition: { unchecked: true, verify: [] } }), c.land({ checks: [] })).task,
    ).toMatchObject({ state: "verified" });
  });

  test("is refused to whoever did not move the target, and to whoever means another attempt", () => {
    expect(decided(claimedDone(), c.land({ moved: false })).rejection).toBe(
      "landing_void: no review is due for F-1: its target has to move",
    );
    expect(
      decided(claimedDone({ task: { attempts: 3 }, rest: { landing: null } }), c.begin({ attempt: 2 })).rejection,
    ).toBe("landing_void: F-1 is at attempt 3, and not at 2");
  });

  test("goes to its review first, with the checks that were green; after a review that was voided it is refused", () => {
    const due = claimedDone({ definition: { lane: "reviewed" } });
    const { facts, task, after } = decided(due, c.land({ moved: false }));
    expect(facts).toEqual(["check.recorded", "landing.ended", "task.requeued"]);
    expect(decided(due, c.land()).rejection).toBe("review_due: F-1 cannot land: a review is due");
    expect(task).toEqual({ state: "pending", reason: "review_due", phase: 1 });
    expect(after.landing).toBeNull();
    const voided = claimedDone({ definition: { lane: "reviewed" }, task: { phase: 1 } });
    expect(decided(voided, c.land()).rejection).toBe("review_due: F-1 cannot land: a review is due");
    const approved = claimedDone({ definition: { lane: "reviewed" }, task: { phase: 1, approved: true } });
    expect(decided(approved, c.land()).rejection).toBeNull();
  });
});

describe("a landing that fails", () => {
  test("by a conflict is a setback: back to work, verdict void", () => {
    const before = claimedDone({ definition: { lane: "reviewed" }, task: { phase: 1, approved: true } });
    const { facts, task } = decided(before, c.landingFail("conflict"));
    expect(facts).toEqual(["landing.ended", "task.requeued"]);
    expect(task).toEqual({
      state: "pending",
      reason: "conflict",
      conflicts: 1,
      unlanded: true,
      phase: 0,
      approved: false,
      last_error: "what happened",
    });
  });

  test.each(["scope_broken", "workspace_broken", "no_changes"] as const)("by %s costs a try", (cause) => {
    expect(decided(claimedDone(), c.landingFail(cause)).task).toMatchObject({
      state: "pending",
      reason: cause,
      tries: 1,
      last_error: "what happened",
    });
  });

  test.each([
    [0, 60_000],
    [1, 300_000],
    [2, 900_000],
  ])("by what the machine refused, %i times before, is put off by %i ms", (environment, ms) => {
    const { facts, task, after } = decided(claimedDone({ task: { environment } }), c.landingFail("environment"));
    expect(facts).toEqual(["landing.ended", "landing.put_off"]);
    expect(task).toEqual({ due_at: NOW + ms, last_error: "what happened", environment: environment + 1 });
    expect(after.items).toEqual([]);
  });

  test("by what the machine still refuses after all the waiting asks a person, and the waiting begins anew", () => {
    const { task, after } = decided(claimedDone({ task: { environment: 3 } }), c.landingFail("environment"));
    expect(task).toMatchObject({ state: "blocked", reason: "environment", environment: 0 });
    expect(after.items[0]).toMatchObject({ kind: "checks", text: "what happened" });
  });

  test.each([
    ["protected_files", "worktree", ["keep_mine", "allow", "retry", "fail"]],
    ["protected_files", "in_place", ["allow", "retry", "fail"]],
    ["weakened_checks", "worktree", ["allow", "retry", "fail"]],
    ["green_before", "worktree", ["allow", "retry", "fail"]],
  ] as const)("by %s in mode %s may be let pass by a person, for this attempt's work", (cause, mode, names) => {
    const { after } = decided(claimedDone({ task: { mode } }), c.landingFail(cause));
    expect(after.items[0]!.options.map(({ name }) => name)).toEqual(names);
    const [first] = names;
    const ruled = decided(after, c.answer(first)).after;
    expect(ruled.task).toMatchObject({ state: "claimed_done", rulings: { [cause]: first } });
    expect(decided(after, c.answer("retry")).after.task).toMatchObject({ state: "pending", rulings: null });
  });

  test.each(["protected_files", "publish_refused"] as const)("by %s asks a person", (cause) => {
    const { facts, task, after } = decided(claimedDone(), c.landingFail(cause));
    expect(facts).toEqual(["landing.ended", "item.opened", "task.blocked"]);
    expect(task).toEqual({ state: "blocked", reason: cause, last_error: "what happened" });
    expect(after.items[0]).toMatchObject({ kind: "checks", text: "what happened" });
  });

  test("is heard only from its holder", () => {
    const { rejection } = decided(claimedDone({ landing: { token: 9 } }), c.landingFail("conflict"));
    expect(rejection).toBe("stale_token: token 6 no longer holds F-1: a newer one holds the task");
  });
});
