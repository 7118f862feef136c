/** Each fault at each step of a landing: nothing is called verified that is not, and the engine mends it or `prove` tells. */

import { describe, expect, onTestFinished, test } from "vitest";
import type { Fault, Step } from "../fixtures/faults.ts";
import { HARMS, IDLE_MOVE, idleGit, STEPS, WRONG_CANDIDATES } from "../fixtures/faults.ts";
import { makeLab } from "../fixtures/lab.ts";
import { carryThroughFaults, type FaultCount } from "./fault-run.ts";

interface Suffered extends FaultCount {
  outcome: string;
}

/** One task for each step, whose landing suffers the fault there. */
async function suffer(fault: Fault, steps: readonly Step[], mode: "worktree" | "squash"): Promise<Suffered> {
  const ids = steps.map((_, index) => `T${index}`);
  const tasks = ids.map((id, index) => ({
    id,
    verify: `test -e ${id}.txt`,
    depends_on: ids.slice(0, index).slice(-1),
  }));
  const config = { workspace: { mode: "worktree" }, ...(mode === "squash" ? { land: { mode } } : {}) };
  const lab = await makeLab({ kind: "repository", config, tasks, agent: "touch {task_id}.txt" });
  if (fault === IDLE_MOVE) {
    const path = process.env["PATH"];
    process.env["PATH"] = `${idleGit(lab)}:${path}`;
    onTestFinished(() => {
      process.env["PATH"] = path;
    });
  }
  return carryThroughFaults(
    lab,
    steps.map((step, index) => ({ task: `T${index}`, step, fault })),
  );
}

/** Ten landings, each looked at by both proofs. */
const TIME_MS = 120_000;

describe("nothing is called verified that is not", { timeout: TIME_MS }, () => {
  const repository = (Object.keys(HARMS) as (keyof typeof HARMS)[]).filter((name) => name !== "its engine is killed");
  // Kills at each step: see the tests of crashes, whose every plan both proofs look at in the end.
  test.for(repository)("when %s, at each step of a landing", async (fault) => {
    const steps = fault.startsWith("the attempt's") ? STEPS.slice(STEPS.indexOf("its work is pinned")) : STEPS;
    const { lies, fired, outcome, unproved } = await suffer(fault, steps, "worktree");
    expect({ lies, fired, outcome }).toEqual({ lies: [], fired: steps.length, outcome: "done" });
    // What is forced or deleted in the repository is put back, or told where nobody could know better.
    if (!fault.startsWith("the attempt's")) expect(unproved).toEqual([]);
  });

  test.for(Object.keys(WRONG_CANDIDATES) as Fault[])("when a candidate is %s: another one is built", async (fault) => {
    const steps = ["its candidate is built", "its candidate is built"] as const;
    expect(await suffer(fault, steps, "worktree")).toMatchObject({ lies: [], fired: 2, outcome: "done", unproved: [] });
    expect(await suffer(fault, steps, "squash")).toMatchObject({ lies: [], fired: 2, outcome: "done", unproved: [] });
  });

  test("when git says that it moved the target, and did not: it is moved again", async () => {
    const found = await suffer(IDLE_MOVE, ["its target is to move", "its target is to move"], "worktree");
    expect(found).toMatchObject({ lies: [], fired: 2, outcome: "done", unproved: [] });
  });
});
