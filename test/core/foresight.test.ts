import { describe, expect, test } from "vitest";
import { foreseenText, foreseenWithText, noticeOf } from "../../src/core/attempt/foreseen.ts";
import { explain } from "../../src/core/schedule/explain.ts";
import { CALM } from "../../src/core/schedule/facts.ts";
import type { AttemptForesee } from "../../src/core/task/commands/attempts.ts";
import type { ForeseenConflict } from "../../src/core/task/rows.ts";
import { decided } from "../fixtures/decided.ts";
import { ATTEMPT, claimedDone, DEFINITION, inProgress, NOW, rows } from "../fixtures/loaded.ts";

const WITH_F2: ForeseenConflict = { with: "F-2", files: ["src/a.ts"], total: 1 };
const WITH_TARGET: ForeseenConflict = { with: null, files: ["src/a.ts", "src/b.ts"], total: 9 };
const foresee = (...conflicts: ForeseenConflict[]): AttemptForesee => ({
  type: "attempt.foresee",
  plan: "plan",
  task: "F-1",
  attempt: 1,
  conflicts,
});

describe("a conflict that is foreseen", () => {
  test("is told once for as long as it stays the same, anew with other files, and when it is gone", () => {
    const first = decided(inProgress(), foresee(WITH_F2));
    expect(first).toMatchObject({ facts: ["conflict.foreseen"], attempt: { foreseen: [WITH_F2] }, task: {} });
    expect(decided(first.after, foresee(WITH_F2)).facts).toEqual([]);
    const more = { ...WITH_F2, files: ["src/a.ts", "src/c.ts"], total: 2 };
    const other = decided(first.after, foresee(more, WITH_TARGET));
    expect(other).toMatchObject({
      facts: ["conflict.foreseen", "conflict.foreseen"],
      attempt: { foreseen: [more, WITH_TARGET] },
    });
    expect(decided(other.after, foresee(WITH_TARGET))).toMatchObject({
      facts: ["conflict.gone"],
      attempt: { foreseen: [WITH_TARGET] },
    });
    expect(decided(first.after, foresee())).toMatchObject({ facts: ["conflict.gone"], attempt: { foreseen: null } });
  });

  test("is of work that is under way, and of the attempt that was looked at", () => {
    expect(decided(claimedDone(), foresee(WITH_F2)).facts).toEqual(["conflict.foreseen"]);
    expect(decided(rows(), foresee(WITH_F2)).rejection).toBe(
      "illegal_move: F-1 has no work that could conflict: it is pending",
    );
    expect(decided(inProgress(), { ...foresee(WITH_F2), attempt: 2 }).rejection).toBe(
      "illegal_move: F-1 is at attempt 1, and not at 2",
    );
  });

  test("stands beside what is done with the task, for both", () => {
    const { task } = inProgress();
    const about = {
      row: task!,
      definition: DEFINITION,
      kind: "run",
      agent: null,
      landing: null,
      queued: null,
    } as const;
    const asked = {
      ...about,
      items: [],
      attempt: { ...ATTEMPT, foreseen: [WITH_F2, WITH_TARGET] },
      leaseExpiresAt: null,
    };
    const foreseenBy = [{ task: "F-3", conflict: { ...WITH_F2, with: "F-1" } }];
    const { reason, reasons } = explain(CALM, { ...asked, foreseenBy }, NOW);
    expect(reason.code).toBe("in_progress");
    expect(reasons.slice(1)).toEqual([
      {
        code: "conflict_foreseen",
        text: "it will conflict with F-2 in src/a.ts, which started first",
        until: null,
        by: ["F-2"],
      },
      {
        code: "conflict_foreseen",
        text: "it will conflict with what its target has by now in src/a.ts, src/b.ts and 7 more",
        until: null,
        by: [],
      },
      {
        code: "conflict_foreseen",
        text: "F-3 will conflict with it in src/a.ts, and started later",
        until: null,
        by: ["F-3"],
      },
    ]);
  });

  test("is put into words for people, and for an agent that hears of no other task", () => {
    expect(foreseenText(WITH_F2)).toBe("will conflict with F-2 in src/a.ts, which started first");
    expect(foreseenWithText("F-3", WITH_F2)).toBe("F-3 will conflict with it in src/a.ts, and started later");
    const task = { target: "refs/heads/lockstep/p", mode: "worktree" } as const;
    expect(noticeOf(WITH_F2, task)).not.toContain("F-2");
    expect(noticeOf(WITH_F2, task)).toContain("src/a.ts");
    expect(noticeOf(WITH_TARGET, task)).toContain("`git merge lockstep/p`");
    // In a clone there is nothing to merge.
    expect(noticeOf(WITH_TARGET, { ...task, mode: "clone" })).toContain("Your repository does not have it");
  });
});
