/** Finished work waits in line for its target: in what order it lands, and what those who wait are told. */

import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { activeTasks } from "../../../src/cli/plan-facts.ts";
import { careIn } from "../../../src/compose/care.ts";
import { taskDone } from "../../../src/engine/external.ts";
import { explainTask } from "../../../src/engine/why.ts";
import { claimIn, type Lab, makeLab, openLab, orderOf, statesIn, taskRow, writeFiles } from "../../fixtures/lab.ts";

const TARGET = "lockstep/lab";
const CONFIG = { workspace: { mode: "worktree" } };

/** Hands over a task's work as another process would. */
async function handOver(lab: Lab, task: string): Promise<() => Promise<unknown>> {
  const claimed = await claimIn(lab, task);
  writeFiles(claimed.workspace.dir, { [`${task}.txt`]: task });
  const { context } = await openLab(lab);
  return () => taskDone(context, { plan: lab.plan, task, token: claimed.lease.token, summary: null });
}

async function why(lab: Lab, task: string): Promise<string> {
  const record = await lab.context.store.task(lab.plan.id, task);
  return (await explainTask(lab.context, record!)).reason.text;
}

test("what is more urgent lands before what waits longer, behind what is being landed, and all are told so", async () => {
  const check = (id: string): string => `test -e ${id}.txt`;
  const lab = await makeLab({
    kind: "repository",
    config: CONFIG,
    tasks: [
      { id: "A", verify: `${check("A")} && touch "$ASIDE/checked" && until test -e "$ASIDE/go"; do sleep 0.02; done` },
      { id: "B", verify: check("B") },
      { id: "C", verify: check("C"), priority: 1 },
    ],
  });
  const [a, b, c] = [await handOver(lab, "A"), await handOver(lab, "B"), await handOver(lab, "C")];
  const first = a();
  await expect.poll(() => existsSync(join(lab.aside, "checked")), { timeout: 20_000 }).toBe(true);
  expect(await b()).toMatchObject({ task: { row: { state: "claimed_done" } }, landing: { held: { task: "A" } } });
  expect(await c()).toMatchObject({ landing: { held: { task: "A" } } });
  expect(await why(lab, "A")).toContain("its check `test -e A.txt");
  expect(await why(lab, "C")).toBe(`second in the landing queue of ${TARGET}, behind A`);
  expect(await why(lab, "B")).toBe(`third in the landing queue of ${TARGET}, behind A and C`);
  const active = await lab.context.store.active(lab.plan.id, 10);
  const careOf = await careIn(lab.context.store, lab.plan, null);
  const tasks = await activeTasks(lab.context.store, lab.plan, active, [], careOf);
  const doings = tasks.map(({ id, doing }) => [id, doing]);
  expect(Object.fromEntries(doings)).toMatchObject({
    B: "third in the landing queue",
    C: "second in the landing queue",
  });
  writeFileSync(join(lab.aside, "go"), "");
  expect(await first).toMatchObject({ landing: { ended: true } });
  expect(await statesIn(lab)).toEqual({ A: "verified", B: "verified", C: "verified" });
  expect(await orderOf(lab, "task.verified")).toEqual(["A", "C", "B"]);
}, 90_000);

test("a landing whose target keeps moving keeps its work and is tried again later, without a try or a setback", async () => {
  const moves = `test -e A.txt && git -c user.name=b -c user.email=b@localhost commit -q --allow-empty -m "by somebody else"`;
  const lab = await makeLab({ kind: "repository", tasks: [{ id: "A", verify: moves }] });
  const claimed = await claimIn(lab, "A");
  writeFiles(claimed.workspace.dir, { "A.txt": "A" });
  await taskDone(lab.context, { plan: lab.plan, task: "A", token: claimed.lease.token, summary: null });
  expect(await taskRow(lab, "A")).toMatchObject({
    state: "claimed_done",
    tries: 0,
    conflicts: 0,
    environment: 1,
    unlanded: true,
    last_error: "the target moved 3 times while this landing was checked",
  });
  expect(await why(lab, "A")).toBe("it is landed again later: the target moved 3 times while this landing was checked");
});
