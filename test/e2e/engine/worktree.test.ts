/** Many agents at once, each in a work tree of its own; what they land stands on the plan's branch. */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { attemptsOf, gitIn, type Lab, makeLab, runLab, statesIn } from "../../fixtures/lab.ts";

const BRANCH = "lockstep/lab";
const CONFIG = { workspace: { mode: "worktree" } };

function landedOn(lab: Lab): string[] {
  const format = "--format=%(trailers:key=Lockstep-Task,valueonly,separator=%x2C)";
  return gitIn(lab.root, "log", "--first-parent", format, BRANCH)
    .split("\n")
    .filter((line) => line !== "");
}

/** Writes a file of its own. */
const AGENT = 'echo {task_id} > "$LOCKSTEP_SLUG.txt"';

describe("worktrees", () => {
  test("OMW-1: four at once land each task once, dependants see what they depend on, and the checkout stays as it was", async () => {
    const tasks = [
      ...["A", "B", "C", "D"].map((id) => ({ id, verify: `test -e ${id}.txt` })),
      { id: "E", depends_on: ["A", "B", "C", "D"], verify: "test -e A.txt && test -e D.txt && test -e E.txt" },
    ];
    const lab = await makeLab({ kind: "repository", config: CONFIG, agent: AGENT, tasks });
    const before = [gitIn(lab.root, "rev-parse", "HEAD"), gitIn(lab.root, "status", "--porcelain")];
    expect(await runLab(lab, { jobs: 4 })).toMatchObject({ outcome: "done" });
    expect(landedOn(lab).sort()).toEqual(["A", "B", "C", "D", "E"]);
    expect(landedOn(lab)[0]).toBe("E");
    expect([gitIn(lab.root, "rev-parse", "HEAD"), gitIn(lab.root, "status", "--porcelain")]).toEqual(before);
    expect(gitIn(lab.root, "ls-tree", "--name-only", BRANCH).split("\n")).toContain("E.txt");
    expect(await lab.context.store.verify()).toEqual([]);
  });

  test("two that change one line: the later one is told of the conflict, resolves it, and both changes stand", async () => {
    const script = [
      "set -e",
      "if grep -q '<<<<<<<' shared.txt 2>/dev/null; then grep -v -e '<<<<<<<' -e '=======' -e '>>>>>>>' shared.txt > t; mv t shared.txt",
      'else echo "$LOCKSTEP_TASK_ID" >> shared.txt; fi',
    ].join("\n");
    const tasks = ["A", "B"].map((id) => ({ id, verify: `grep -qx ${id} shared.txt`, retry_delay: "500ms" }));
    const lab = await makeLab({ kind: "repository", config: CONFIG, agent: script, tasks });
    expect(await runLab(lab, { jobs: 2 })).toMatchObject({ outcome: "done" });
    expect(gitIn(lab.root, "show", `${BRANCH}:shared.txt`).split("\n").sort()).toEqual(["A", "B"]);
    const attempts = [...(await attemptsOf(lab, "A")), ...(await attemptsOf(lab, "B"))];
    expect(attempts.length).toBe(3);
  });

  test("a red check keeps the work for the next try, which stands in the same place again", async () => {
    const script = 'echo more >> work.txt; test -e first || { touch "$LOCKSTEP_WORKSPACE/first"; }';
    const tasks = [{ id: "A", verify: "test $(wc -l < work.txt) -ge 2", retry_delay: "500ms" }];
    const lab = await makeLab({ kind: "repository", config: CONFIG, agent: script, tasks });
    expect(await runLab(lab, { jobs: 2 })).toMatchObject({ outcome: "done" });
    expect((await attemptsOf(lab, "A")).length).toBe(2);
    expect(await statesIn(lab)).toEqual({ A: "verified" });
    expect(readFileSync(join(lab.root, "lockstep.yaml"), "utf8")).toContain("worktree");
  });

  test("the ignore rules that one agent leaves hide nothing of the next one's work in that place", async () => {
    const rules = 'test "$LOCKSTEP_TASK_ID" != A || echo "*" > sub/.gitignore';
    const agent = `mkdir -p sub; ${rules}; echo x > "sub/$LOCKSTEP_SLUG.txt"`;
    const ids = ["A", "B", "C", "D", "E", "F"];
    const tasks = ids.map((id) => ({ id, verify: id === "A" ? "test -d ." : `test -s sub/${id}.txt` }));
    const lab = await makeLab({ kind: "repository", config: CONFIG, agent, tasks });
    expect(await runLab(lab, { jobs: 1 })).toMatchObject({ outcome: "done" });
    expect(landedOn(lab).sort()).toEqual(["B", "C", "D", "E", "F"]);
  });
});
