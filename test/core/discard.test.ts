import { describe, expect, test } from "vitest";
import { sessionToResume } from "../../src/core/attempt/resume-session.ts";
import * as c from "../fixtures/commands.ts";
import { decided } from "../fixtures/decided.ts";
import { ATTEMPT, claimedDone, ITEM, inProgress, rows } from "../fixtures/loaded.ts";

const discard = c.stop({ as: "cancelled", why: "not like this", discards: true });
const WORKED = { target: "refs/heads/main", unlanded: true, tries: 1, work_commit: "w", worker: "anna" };
const WITHOUT = { unlanded: false, work_commit: null, worker: null };

describe("a discard", () => {
  test("of a live attempt ends it first, as cancelled; its task is pending without its work, and no try is spent", () => {
    const before = inProgress({ task: { ...WORKED, phase: 0 }, attempt: { kind: "run" } });
    const asked = decided(before, discard);
    expect(asked).toMatchObject({
      facts: ["attempt.stopping"],
      attempt: { stop: { as: "cancelled", why: "not like this", then: "pending", discards: true } },
    });
    const settled = decided(asked.after, c.settle({ outcome: "succeeded", unlanded: true, killed: true }));
    expect(settled.attempt).toMatchObject({ outcome: "cancelled" });
    expect(settled.task).toEqual({
      ...WITHOUT,
      state: "pending",
      reason: "handed_back",
      last_error: "not like this",
    });
    expect(settled.after.task).toMatchObject({ tries: 1, dirty: false });
  });

  test("of a worker's attempt settles it at once", () => {
    const { facts, task } = decided(inProgress({ task: WORKED }), discard);
    expect(facts).toEqual(["attempt.stopping", "attempt.settled", "task.requeued"]);
    expect(task).toMatchObject({ ...WITHOUT, state: "pending" });
  });

  test("takes a task back from its checks, whatever a person had let pass of its work", () => {
    const before = claimedDone({ task: { ...WORKED, due_at: 5, rulings: { protected_files: "allow" } } });
    const { facts, task } = decided(before, discard);
    expect(facts).toEqual(["attempt.stopping", "task.requeued"]);
    expect(task).toMatchObject({ ...WITHOUT, state: "pending", due_at: null, rulings: null });
  });

  test("takes a task back from the inbox, whose items are withdrawn", () => {
    const before = rows({
      task: { ...WORKED, state: "blocked", attempts: 1 },
      rest: { items: [ITEM], attempt: ATTEMPT },
    });
    expect(decided(before, discard).facts).toEqual(["item.answered", "attempt.stopping", "task.requeued"]);
  });

  test.each([
    ["the first phase under way stays the first", "full", "in_progress", 0, 0],
    ["a phase under way gives way to the one before it", "full", "in_progress", 2, 1],
    ["a review under way is of work that is gone", "full", "in_progress", 3, 2],
    ["the checks come after the last work", "full", "claimed_done", 2, 2],
    ["so do an approved review and the checks", "reviewed", "claimed_done", 1, 0],
    ["what waits for a person before the last work", "full", "blocked", 1, 0],
    ["what waits for a person at the checks", "full", "blocked", 2, 2],
  ] as const)("goes one phase back: %s", (_why, lane, state, phase, expected) => {
    const task = { ...WORKED, state, phase, attempts: 1 };
    const before = inProgress({ task, definition: { lane } });
    expect(decided(before, discard).after.task).toMatchObject({ state: "pending", phase: expected });
  });

  test("of what waits for its next try takes its work from it", () => {
    const { facts, task } = decided(rows({ task: { ...WORKED, due_at: 5 } }), discard);
    expect(facts).toEqual(["task.requeued"]);
    expect(task).toMatchObject({ ...WITHOUT, reason: "handed_back", due_at: null });
  });

  test("is refused where there is nothing to discard, and says what is there instead", () => {
    const refusal = (task: object) =>
      decided(rows({ task: { target: "refs/heads/main", ...task } }), discard).rejection;
    expect(refusal({})).toBe("nothing_to_discard: F-1 has no work that has not landed");
    expect(refusal({ state: "verified" })).toBe("illegal_move: the work of F-1 has landed");
    expect(refusal({ state: "failed" })).toBe("illegal_move: F-1 is failed");
  });

  test("is refused where it would wipe files that others share", () => {
    const refusal = (task: object) => decided(claimedDone({ task }), discard).rejection;
    expect(refusal({ mode: "in_place", target: "/a/directory" })).toBe(
      "shared_tree: the work of F-1 is in a plain directory, which cannot be reset to what was before",
    );
    expect(refusal({ mode: "none", target: "/a/directory" })).toBe(
      "shared_tree: the work of F-1 is not lockstep's to discard: its worker brought the place",
    );
  });

  test("ends the conversation that was about the work", () => {
    const asked = { ...ATTEMPT, kind: "run", state: "settled", outcome: "blocked", session: "s-1" } as const;
    const next = { ...ATTEMPT, kind: "run", n: 2 } as const;
    expect(sessionToResume(next, [asked])).toMatchObject({ session: "s-1" });
    const before = rows({ task: { ...WORKED, state: "blocked", attempts: 1 }, rest: { attempt: asked } });
    expect(sessionToResume(next, [decided(before, discard).after.attempt!])).toBeNull();
  });
});
