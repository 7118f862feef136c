/** An engine is killed at every named step of an attempt that works in a worktree of its own; the next one finishes the plan. */

import { describe, expect, test } from "vitest";
import type { CrashPoint } from "../../fixtures/crash-point.ts";
import { gitIn } from "../../fixtures/lab.ts";
import { AGENT, around, at, crashAt, crashLab, finishes, outcomesOf, system } from "../../fixtures/lab-crash.ts";

const RACES = "its runner is started and has not claimed the spool";

const STEPS: Record<string, CrashPoint> = {
  "the task is claimed": at("task.claim", "after"),
  "its slot is about to be marked as taken": system("renameSync", "1.taken.json", "before"),
  "its slot is marked as taken": system("renameSync", "1.taken.json", "after"),
  "its place is ready and not yet marked so": system("renameSync", "1.taken.json", "before", 2),
  "its place is open": around("open", "after"),
  "its spool is made and the runner not started": system("spawn", "runner.cjs", "before"),
  [RACES]: system("spawn", "runner.cjs", "after"),
  "the agent is held and not yet known": at("attempt.start", "before"),
  "the agent's process is recorded": at("attempt.start", "after"),
  "the agent has ended": at("attempt.settle", "before"),
  "the attempt is settled": at("attempt.settle", "after"),
  "the landing has begun": at("landing.begin", "after"),
  "the candidate is built": around("candidate", "after"),
  "the check is held": { port: "processes", call: "holdCheck", when: "after" },
  "the check's process is recorded": at("landing.begin", "after", 2),
  "the work is about to be pinned": around("pin", "before"),
  "the work is pinned": around("pin", "after"),
  "the check was green": at("check.record", "before"),
  "the green check is recorded": at("check.record", "after"),
  "the target is about to move": around("land", "before"),
  "the move of the target is foretold": system("renameSync", "targets.json", "after", 3),
  "the target has moved": around("land", "after"),
  "the landing is recorded": at("landing.move", "after"),
  "the second task's landing is recorded": at("landing.move", "after", 2),
  "the run has ended": at("run.end", "after"),
};

describe("kill -9 of an engine whose attempts have worktrees", () => {
  test.for(Object.keys(STEPS))("when %s: the next run finishes the plan, and adopts what lives", async (step) => {
    const lab = await crashLab("worktree");
    await crashAt(lab, STEPS[step]!);
    await finishes(lab);
    // What was alive, or had ended well, is never begun again.
    const outcomes = await outcomesOf(lab, "A");
    // A runner on its way is adopted, or given up: by who is first, the runner or the next engine.
    if (step === RACES) expect([["succeeded"], ["lost", "succeeded"]]).toContainEqual(outcomes);
    else {
      const isLost = /claimed|slot|ready|open|runner not started/.test(step);
      expect(outcomes).toEqual(isLost ? ["lost", "succeeded"] : ["succeeded"]);
    }
    expect(await outcomesOf(lab, "B")).toEqual(["succeeded"]);
  });
});

const RED = `echo try >> tries.txt; test -e "$ASIDE/again" || { touch "$ASIDE/again"; exit 1; }; ${AGENT}`;

const SAVES: Record<string, CrashPoint> = {
  "its work is about to be saved": around("save", "before"),
  "its work is kept at a ref": system("spawn", "refs/lockstep/saved", "after"),
  "its work is saved": around("save", "after"),
  "it is settled": at("attempt.settle", "after"),
};

describe("kill -9 of an engine whose attempt failed", () => {
  test.for(Object.keys(SAVES))("when %s: the work is kept once, and the next try goes on with it", async (step) => {
    const lab = await crashLab("worktree", { agent: RED });
    await crashAt(lab, SAVES[step]!);
    await finishes(lab);
    expect(await outcomesOf(lab, "A")).toEqual(["failed", "succeeded"]);
    const saved = gitIn(lab.root, "for-each-ref", "--format=%(refname)", "refs/lockstep/saved");
    expect(saved).toBe("refs/lockstep/saved/lab/A/1");
    expect(gitIn(lab.root, "show", `${saved}:tries.txt`)).toBe("try");
    expect(gitIn(lab.root, "show", "lockstep/lab~1:tries.txt")).toBe("try\ntry");
  });
});

const SETUP = { mode: "worktree", setup: ['test -e "$ASIDE/fine" || { touch "$ASIDE/fine"; exit 1; }'] };

describe("kill -9 of an engine that hands a claim back", () => {
  test.for(["before", "after"] as const)(
    "%s the store has heard of it: the next run finishes the plan",
    async (when) => {
      const lab = await crashLab("worktree", { config: { workspace: SETUP } });
      await crashAt(lab, at("attempt.settle", when));
      await finishes(lab);
    },
  );
});
