/** One plan carried to its end over real files: who is next, what failures hold back, and what tries are told. */

import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { explainTask } from "../../../src/engine/why.ts";
import {
  attemptsOf,
  eventsIn,
  gitIn,
  type LabWish,
  landedTasks,
  makeLab,
  orderOf,
  readText,
  runLab,
  statesIn,
  taskRow,
} from "../../fixtures/lab.ts";

const WRITES = 'echo done > "$LOCKSTEP_TASK_ID.txt"';
const KINDS: LabWish["kind"][] = ["repository", "directory", "none"];

describe("order", () => {
  test("OMP-13 OR-8: in a repository each task has landed before the next is given out", async () => {
    const lab = await makeLab({
      kind: "repository",
      agent: `git log --format=%s -1 >> "$ASIDE/seen"; ${WRITES}`,
      tasks: [
        { id: "C", depends_on: ["B"], verify: "test -f B.txt -a -f C.txt" },
        { id: "B", depends_on: ["A"], verify: "test -f A.txt -a -f B.txt" },
        { id: "A", verify: "test -f A.txt" },
      ],
    });
    expect((await runLab(lab)).outcome).toBe("done");
    expect(landedTasks(lab)).toEqual(["A", "B", "C"]);
    expect(readText(lab.aside, "seen")).toBe("first\nA\nB\n");
    expect(gitIn(lab.root, "status", "--porcelain")).toBe("");
  });

  test.for(KINDS)(
    "OMP-10: %s: priority first, then wave, then the longest path, then F-2 before F-10",
    async (kind) => {
      const verify = "test -d .";
      const lab = await makeLab({
        kind,
        tasks: [
          { id: "F-10", verify },
          { id: "F-2", verify },
          { id: "leaf", depends_on: ["root"], wave: 3, verify },
          { id: "root", verify },
          { id: "late", wave: 2, verify },
          { id: "urgent", priority: 1, wave: 9, verify },
        ],
      });
      expect((await runLab(lab)).outcome).toBe("done");
      expect(await orderOf(lab, "task.claimed")).toEqual(["urgent", "root", "F-2", "F-10", "late", "leaf"]);
      expect(await orderOf(lab, "task.verified")).toEqual(["urgent", "root", "F-2", "F-10", "late", "leaf"]);
    },
  );
});

describe("failures", () => {
  test.for(KINDS)(
    "OMP-13: %s: a failed task never unlocks its dependants, and a retry carries the plan on",
    async (kind) => {
      const lab = await makeLab({
        kind,
        agent: `test "$LOCKSTEP_TASK_ID" != B -o -e "$ASIDE/mended" || exit 1; ${WRITES}`,
        defaults: { tries: 2 },
        tasks: [
          { id: "A", verify: "test -f A.txt" },
          { id: "B", verify: "test -f B.txt" },
          { id: "C", depends_on: ["A", "B"], verify: "test -f C.txt" },
          { id: "D", depends_on: ["C"], verify: "test -f D.txt" },
        ],
      });
      const end = await runLab(lab);
      expect(end.outcome).toBe("failed");
      expect(await statesIn(lab)).toEqual({ A: "verified", B: "failed", C: "pending", D: "pending" });
      const waiting = await lab.context.store.task(lab.plan.id, "C");
      expect((await explainTask(lab.context, waiting!)).reason).toMatchObject({
        code: "dependency_failed",
        text: "depends on B that ended without being verified",
        by: ["B"],
      });

      await lab.context.store.submit(
        { type: "task.retry", plan: lab.plan.id, task: "B", fresh: false },
        { actor: "test" },
      );
      const { writeFileSync } = await import("node:fs");
      writeFileSync(join(lab.aside, "mended"), "");
      expect((await runLab(lab)).outcome).toBe("done");
      expect(await statesIn(lab)).toEqual({ A: "verified", B: "verified", C: "verified", D: "verified" });
      if (kind === "repository") expect(landedTasks(lab)).toEqual(["A", "B", "C", "D"]);
    },
  );

  test("OMP: an agent that fails is never taken for done, even where its check would be green", async () => {
    const lab = await makeLab({
      kind: "repository",
      agent: "exit 3",
      defaults: { tries: 1 },
      tasks: [{ id: "A", unchecked: true }],
    });
    expect((await runLab(lab)).outcome).toBe("failed");
    expect(await taskRow(lab, "A")).toMatchObject({
      state: "failed",
      last_error: "it ended with 3",
      reason: "tries_gone",
    });
    expect(await orderOf(lab, "task.claimed_done")).toEqual([]);
  });

  test("OMW: exit 0 is not done: the check decides; each try waits twice as long as the last one, and is told why that one failed", async () => {
    const lab = await makeLab({
      kind: "repository",
      agent: 'cat >> "$ASIDE/told"; jq -c .last_failure "$LOCKSTEP_BRIEF" >> "$ASIDE/failures"; echo x >> tries.txt',
      defaults: { retry_delay: "200ms" },
      tasks: [
        {
          id: "A",
          prompt: "Make three lines.",
          verify: "echo $(wc -l < tries.txt) lines; test $(wc -l < tries.txt) = 3",
        },
      ],
    });
    expect((await runLab(lab)).outcome).toBe("done");
    const attempts = await attemptsOf(lab, "A");
    expect(attempts.map(({ n, outcome }) => [n, outcome])).toEqual([
      [1, "succeeded"],
      [2, "succeeded"],
      [3, "succeeded"],
    ]);
    const red = (lines: number) =>
      `verify \`echo $(wc -l < tries.txt) lines; test $(wc -l < tries.txt) = 3\` ended with 1: ${lines} lines`;
    const failures = readText(lab.aside, "failures")
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(failures).toEqual([null, red(1), red(2)]);
    const first = "Make three lines.\n";
    const told = (lines: number) =>
      `Make three lines.\n\nThe last try at this task did not succeed. What the engine saw:\n\n${red(lines)}\n`;
    expect(readText(lab.aside, "told")).toBe(first + told(1) + told(2));
    const events = await eventsIn(lab);
    const reds = events.filter((event) => event.type === "task.requeued").map((event) => event.at);
    const waits = attempts.slice(1).map((attempt, i) => attempt.started_at - reds[i]!);
    expect(waits[0]).toBeGreaterThanOrEqual(200);
    expect(waits[1]).toBeGreaterThanOrEqual(400);
  });

  test("an earlier try's files are still there for the next one, and nothing of them is lost", async () => {
    const lab = await makeLab({
      kind: "repository",
      agent: 'ls *.txt >> "$ASIDE/seen" 2> /dev/null; echo "$(ls | wc -l)" > "try$(ls *.txt 2> /dev/null | wc -l).txt"',
      tasks: [{ id: "A", verify: "test -f try0.txt -a -f try1.txt" }],
    });
    expect((await runLab(lab)).outcome).toBe("done");
    expect(readText(lab.aside, "seen")).toBe("try0.txt\n");
    expect(gitIn(lab.root, "show", "--name-only", "--format=%s")).toBe("A\n\ntry0.txt\ntry1.txt");
    expect(gitIn(lab.root, "ls-tree", "--name-only", "refs/lockstep/saved/lab/A/1")).toContain("try0.txt");
  });
});

describe("who does the work", () => {
  test("OMP-13: a function of the library works on the brief of its one task", async () => {
    const briefs: string[] = [];
    const lab = await makeLab({
      kind: "directory",
      dispatch: async (brief) => {
        briefs.push(brief.task.id);
        expect(Object.keys(brief)).toEqual([
          "protocol",
          "attempt",
          "task",
          "report",
          "workspace",
          "prompt",
          "last_failure",
          "timeout_ms",
        ]);
        const { writeFileSync } = await import("node:fs");
        writeFileSync(join(brief.workspace, `${brief.task.id}.txt`), "done");
        return { summary: `did ${brief.task.id}` };
      },
      tasks: [
        { id: "A", verify: "test -f A.txt" },
        { id: "B", depends_on: ["A"], verify: "test -f B.txt" },
      ],
    });
    expect((await runLab(lab)).outcome).toBe("done");
    expect(briefs).toEqual(["A", "B"]);
    expect((await attemptsOf(lab, "B"))[0]).toMatchObject({ outcome: "succeeded", summary: "did B" });
  });

  test("OMP-13: what a function throws is why its attempt failed, and the loop goes on with the next task", async () => {
    const lab = await makeLab({
      kind: "directory",
      defaults: { tries: 1 },
      dispatch: async ({ task }) => {
        if (task.id === "A") throw new Error("no such model");
        return undefined;
      },
      tasks: [
        { id: "A", unchecked: true },
        { id: "B", unchecked: true },
      ],
    });
    expect((await runLab(lab)).outcome).toBe("failed");
    expect(await taskRow(lab, "A")).toMatchObject({ state: "failed", last_error: "no such model" });
    expect(await taskRow(lab, "B")).toMatchObject({ state: "verified" });
  });

  test.for(KINDS)("OMP-13: %s: a plan without agents only checks", async (kind) => {
    const lab = await makeLab({
      kind,
      files: { "there.txt": "" },
      defaults: { tries: 1 },
      tasks: [
        { id: "A", verify: "test -f there.txt" },
        { id: "B", verify: "test -f missing.txt" },
      ],
    });
    expect((await runLab(lab)).outcome).toBe("failed");
    expect(await statesIn(lab)).toEqual({ A: "verified", B: "failed" });
    if (kind === "repository") expect(landedTasks(lab)).toEqual([]);
    expect(existsSync(join(lab.root, "missing.txt"))).toBe(false);
  });
});
