/** What attempts change though their task does not own it: said by default, sent back where the task says `outside: refuse`. */

import { describe, expect, test } from "vitest";
import { attemptsOf, eventsIn, gitIn, type Lab, makeLab, runLab, taskRow } from "../../fixtures/lab.ts";

const WORKTREE = { workspace: { mode: "worktree" } };

/** Renames a file, makes one executable, deletes one, adds one of its own and one outside. */
const MOVER = [
  "set -e",
  "git mv other.txt moved.txt",
  "chmod +x tool.sh",
  "git rm -q old.txt",
  "mkdir -p own && echo x > own/a.txt",
  "echo y > 'beside the way.txt'",
].join("\n");

const FILES = { "other.txt": "one\ntwo\nthree\n", "tool.sh": "true\n", "old.txt": "old\n" };
const CHANGED = ["beside the way.txt", "moved.txt", "old.txt", "other.txt", "tool.sh"];

async function warnings(lab: Lab) {
  const told = (await eventsIn(lab)).filter((event) => event.type === "scope.warned");
  return told.map(({ task, attempt, data }) => ({ task, attempt, data }));
}

describe("a change outside files_owned", () => {
  test.each([
    ["in a worktree", WORKTREE],
    ["in place", {}],
  ])(
    "%s is a warning before the checks: both names of a renamed file, modes and deleted files among them",
    async (_, config) => {
      const tasks = [
        { id: "A", verify: "test -e own/a.txt", files_owned: ["own/**"] },
        { id: "B", verify: "test -e own/a.txt", depends_on: ["A"] },
      ];
      const agent = `if test "$LOCKSTEP_TASK_ID" = A; then ${MOVER}\nelse echo z > anywhere.txt; fi`;
      const lab = await makeLab({ kind: "repository", config, agent, files: FILES, tasks });
      expect(await runLab(lab)).toMatchObject({ outcome: "done" });
      const outside = { paths: CHANGED, total: CHANGED.length };
      expect(await warnings(lab)).toEqual([{ task: "A", attempt: 1, data: outside }]);
      expect(await attemptsOf(lab, "A")).toMatchObject([{ outside }]);
      expect(await attemptsOf(lab, "B")).toMatchObject([{ outside: null }]);
      const order = (await eventsIn(lab)).filter(({ task }) => task === "A").map(({ type }) => type);
      expect(order.indexOf("scope.warned")).toBeLessThan(order.indexOf("check.recorded"));
    },
  );

  test("in a plain directory is one, too", async () => {
    const tasks = [{ id: "A", verify: "test -e own/a.txt", files_owned: ["own/**"] }];
    const agent = "mkdir own; echo x > own/a.txt; echo y > beside.txt; rm old.txt";
    const lab = await makeLab({ kind: "directory", agent, files: { "old.txt": "old\n" }, tasks });
    expect(await runLab(lab)).toMatchObject({ outcome: "done" });
    expect(await warnings(lab)).toEqual([
      { task: "A", attempt: 1, data: { paths: ["beside.txt", "old.txt"], total: 2 } },
    ]);
  });

  test("names no more than fifty files, and counts them all", async () => {
    const tasks = [{ id: "A", verify: "test -e f-70", files_owned: ["own/**"] }];
    const lab = await makeLab({ kind: "repository", config: WORKTREE, agent: "touch $(seq -f f-%g 70)", tasks });
    expect(await runLab(lab)).toMatchObject({ outcome: "done" });
    const [warning] = await warnings(lab);
    expect(warning?.data).toEqual({ paths: expect.any(Array), total: 70 });
    expect(warning?.data).toHaveProperty("paths.length", 50);
  });

  test.each([
    ["in a worktree", WORKTREE, "lockstep/lab"],
    ["in place", {}, "main"],
  ])(
    "%s goes back to the worker with evidence where the task says `outside: refuse`, and no check runs on it",
    async (_, config, branch) => {
      const tasks = [
        {
          id: "A",
          verify: "test -e own/a.txt",
          files_owned: ["own/**"],
          outside: "refuse" as const,
          retry_delay: "500ms",
        },
      ];
      // The second try finds its work and is told what to put back.
      const agent = [
        "mkdir -p own; echo x > own/a.txt",
        'case "$(cat)" in *"were changed: beside.txt; put them back"*) rm beside.txt;; *) echo y > beside.txt;; esac',
      ].join("\n");
      const lab = await makeLab({ kind: "repository", config, agent, tasks });
      expect(await runLab(lab)).toMatchObject({ outcome: "done" });
      const story = (await eventsIn(lab)).filter(({ type }) => /^(scope|check|task\.[rv])/.test(type));
      expect(story.map(({ type, attempt, data }) => [type, attempt, "cause" in data ? data.cause : null])).toEqual([
        ["scope.warned", 1, null],
        ["task.requeued", 1, "scope_broken"],
        ["check.recorded", 2, null],
        ["task.verified", 2, "landed"],
      ]);
      expect(gitIn(lab.root, "show", "--stat", "--format=", branch)).not.toContain("beside");
      expect(await taskRow(lab, "A")).toMatchObject({ tries: 1, state: "verified" });
    },
  );

  test("ends in a failed task that names the files when the tries are gone", async () => {
    const tasks = [
      { id: "A", verify: "true && test -e x", files_owned: ["own/**"], outside: "refuse" as const, tries: 1 },
    ];
    const lab = await makeLab({ kind: "repository", config: WORKTREE, agent: "touch x y", tasks });
    expect(await runLab(lab)).toMatchObject({ outcome: "failed" });
    expect(await taskRow(lab, "A")).toMatchObject({
      state: "failed",
      last_error: "files outside files_owned (own/**) were changed: x, y; put them back as they were",
    });
  });
});
