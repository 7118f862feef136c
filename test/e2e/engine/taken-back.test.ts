/** An operator takes a task back after its target has moved, and before the store has heard of it. */

import { describe, expect, test } from "vitest";
import type { RowCommand } from "../../../src/core/task/commands.ts";
import { eventsIn, gitIn, type Lab, openLab, runLab, statesIn, taskRow } from "../../fixtures/lab.ts";
import { around, crashAt, crashLab, finishes } from "../../fixtures/lab-crash.ts";

const CANCEL = { type: "task.cancel", why: "enough" } as const;
const REQUEUE = { type: "attempt.stop", as: "interrupted", why: "again", then: "pending" } as const;

const tip = (lab: Lab, ref: string): string => gitIn(lab.root, "rev-parse", ref);

async function landedUnheard(): Promise<Lab> {
  const lab = await crashLab("worktree");
  await crashAt(lab, around("land", "after"));
  expect(tip(lab, "lockstep/lab~1")).toBe(tip(lab, "main"));
  return { ...lab, ...(await openLab(lab)) };
}

async function say(lab: Lab, wish: typeof CANCEL | typeof REQUEUE): Promise<void> {
  const command = { plan: lab.plan.id, task: "A", ...wish } as RowCommand;
  expect(await lab.context.store.submit(command, { actor: "anna" })).toMatchObject({ ok: true });
}

async function failures(lab: Lab): Promise<string[]> {
  return (await eventsIn(lab)).flatMap(({ type, data }) => (type === "engine.failed" ? [data.error] : []));
}

describe("work that stands on its target when its task is taken back", () => {
  test("is taken off it when the task was cancelled, and kept at the attempt's ref", async () => {
    const lab = await landedUnheard();
    const landed = tip(lab, "lockstep/lab");
    await say(lab, CANCEL);
    expect((await runLab(lab)).outcome).toBe("failed");
    expect(await statesIn(lab)).toEqual({ A: "cancelled", B: "pending" });
    expect(tip(lab, "lockstep/lab")).toBe(tip(lab, "main"));
    expect(tip(lab, "refs/lockstep/attempts/lab/A/1")).toBe(landed);
    expect(await failures(lab)).toEqual([]);
  });

  test("is not done twice when the task was handed back", async () => {
    const lab = await landedUnheard();
    await say(lab, REQUEUE);
    await finishes(lab);
    expect((await taskRow(lab, "A")).attempts).toBe(2);
    expect(await failures(lab)).toEqual([]);
  });

  test("is taken off by the next engine, when the one that did so dies right before or after", async () => {
    for (const when of ["before", "after"] as const) {
      const lab = await landedUnheard();
      await say(lab, CANCEL);
      await crashAt(lab, around("takeBack", when));
      expect((await runLab({ ...lab, ...(await openLab(lab)) })).outcome).toBe("failed");
      expect(tip(lab, "lockstep/lab")).toBe(tip(lab, "main"));
    }
  });

  test("is taken off by its own engine, which hears of it when it tells of the landing", async () => {
    const lab = await crashLab("worktree");
    const { context } = await openLab(lab);
    const { land } = lab.context.workspace;
    lab.context.workspace.land = async (...landing) => {
      const landed = await land(...landing);
      lab.context.workspace.land = land;
      await context.store.submit({ plan: lab.plan.id, task: "A", ...CANCEL }, { actor: "anna" });
      return landed;
    };
    expect((await runLab(lab)).outcome).toBe("failed");
    expect(await statesIn(lab)).toEqual({ A: "cancelled", B: "pending" });
    expect(tip(lab, "lockstep/lab")).toBe(tip(lab, "main"));
    expect(await failures(lab)).toEqual([]);
  });

  test("stays where more stands on it, which is told", async () => {
    const lab = await landedUnheard();
    const landed = tip(lab, "lockstep/lab");
    await say(lab, CANCEL);
    gitIn(lab.root, "worktree", "add", "-q", `${lab.aside}/theirs`, "lockstep/lab");
    expect((await runLab(lab)).outcome).toBe("failed");
    expect(tip(lab, "lockstep/lab")).toBe(landed);
    expect(await failures(lab)).toEqual([
      `its work had landed as ${landed} when it was taken back: it stays on refs/heads/lockstep/lab`,
    ]);
  });
});
