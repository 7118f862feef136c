/** Two that change one line: it is known while both are at work, and told to the one that started later. */

import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { explainTask } from "../../../src/engine/why.ts";
import { attemptsOf, eventsIn, gitIn, type Lab, makeLab, readText, runLab, taskRow } from "../../fixtures/lab.ts";

const PACE = { everyMs: 100, pauses: 1 };

/** A writes, and stays until B was told of it. B writes after A, and takes in what A landed as soon as it hears of that. */
const AGENT = [
  "set -e",
  "hear() {",
  '  until lockstep self progress working 2>&1 | tee -a "$ASIDE/said" | grep -q "$1"; do sleep 0.2; done',
  "}",
  'if test "$LOCKSTEP_TASK_ID" = A; then',
  '  echo A > shared.txt; touch "$ASIDE/written"',
  '  until test -e "$ASIDE/go"; do sleep 0.1; done; exit 0',
  "fi",
  'until test -e "$ASIDE/written"; do sleep 0.1; done',
  "echo B > shared.txt",
  "hear 'was begun before yours'",
  'touch "$ASIDE/told"',
  "hear 'What has landed on lockstep/lab since you began'",
  "git add -A; git -c user.name=b -c user.email=b@localhost commit -qm B",
  "git -c user.name=b -c user.email=b@localhost merge -q lockstep/lab || printf 'A\\nB\\n' > shared.txt",
  "git add -A; git -c user.name=b -c user.email=b@localhost commit -qm merged",
].join("\n");

const TASKS = ["A", "B"].map((id) => ({ id, title: `Write ${id}`, verify: `grep -qx ${id} shared.txt` }));

async function labOf(foresight: typeof PACE | null, agent = AGENT): Promise<Lab> {
  const lab = await makeLab({ kind: "repository", config: { workspace: { mode: "worktree" } }, agent, tasks: TASKS });
  const settings = { ...lab.context.settings, foresight };
  return { ...lab, context: { ...lab.context, settings } };
}

async function whyOf(lab: Lab, id: string): Promise<string[]> {
  const record = await lab.context.store.task(lab.plan.id, id);
  return (await explainTask(lab.context, record!)).reasons.map(({ code, text }) => `${code}: ${text}`);
}

describe("a conflict to come", () => {
  test("is told to the later of two at work, and again when the other has landed: it takes that in, and lands at once", async () => {
    const lab = await labOf(PACE);
    const run = runLab(lab, { jobs: 2 });
    const told = join(lab.aside, "told");
    await expect.poll(() => existsSync(told), { timeout: 25_000 }).toBe(true);
    expect(await whyOf(lab, "B")).toContain(
      "conflict_foreseen: it will conflict with A in shared.txt, which started first",
    );
    expect(await whyOf(lab, "A")).toContain(
      "conflict_foreseen: B will conflict with it in shared.txt, and started later",
    );
    writeFileSync(join(lab.aside, "go"), "");
    expect((await run).outcome).toBe("done");
    expect(gitIn(lab.root, "show", "lockstep/lab:shared.txt")).toBe("A\nB");
    expect((await attemptsOf(lab, "B")).map(({ outcome }) => outcome)).toEqual(["succeeded"]);
    expect(await taskRow(lab, "B")).toMatchObject({ conflicts: 0, tries: 0 });
    const events = (await eventsIn(lab)).filter(({ type }) => type.startsWith("conflict."));
    expect(events.slice(0, 3).map(({ type, task, attempt, data }) => [type, task, attempt, data])).toEqual([
      ["conflict.foreseen", "B", 1, { with: "A", files: ["shared.txt"], total: 1 }],
      ["conflict.gone", "B", 1, { with: "A" }],
      ["conflict.foreseen", "B", 1, { with: null, files: ["shared.txt"], total: 1 }],
    ]);
    // Each was said once, and of A itself nothing.
    expect(readText(lab.aside, "said").match(/was begun before yours/g)).toHaveLength(1);
    expect(readText(lab.aside, "said")).not.toMatch(/\bA\b/);
  });

  test("is nobody's where nobody looks", async () => {
    const lab = await labOf(null, 'echo "$LOCKSTEP_TASK_ID" > "$LOCKSTEP_TASK_ID.txt"; echo x > shared.txt');
    await runLab(lab, { jobs: 2 });
    expect((await eventsIn(lab)).filter(({ type }) => type.startsWith("conflict."))).toEqual([]);
  });
});
