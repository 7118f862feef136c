/** A change that weakens what checks it is asked about before any check runs. */

import { describe, expect, test } from "vitest";
import { checksOf, gitIn, type Lab, makeLab, runLab, taskRow } from "../../fixtures/lab.ts";

const WORKTREE = { workspace: { mode: "worktree" } };

const FILES = {
  "package.json": '{\n  "scripts": {\n    "test": "node tools/run.mjs"\n  }\n}\n',
  "tools/run.mjs": 'import { rmSync } from "node:fs";\nrunTests({ failFast: true });\n',
  "sum.test.js": 'test("adds", () => {\n  expect(sum(1, 2)).toBe(3);\n});\n',
  "notes.md": "notes\n",
};

const WEAKEN = "sed -i 's/toBe(3)/toBeDefined()/' sum.test.js";

/** Two attempts at most; what it has to do is told by the brief. */
async function weakening(agent: string, over: Record<string, unknown> = {}, config: object = WORKTREE): Promise<Lab> {
  const tasks = [{ id: "A", verify: "test -e done.txt", ...over }];
  return makeLab({
    kind: "repository",
    config: { ...config },
    agent: `cat > /dev/null; touch done.txt; ${agent}`,
    files: FILES,
    tasks,
  });
}

/** In the branch that was checked out, or in the plan's own. */
function landed({ root }: Lab): boolean {
  return gitIn(root, "log", "--all", "--format=%B", "--branches=main", "--branches=lockstep/*").includes(
    "Lockstep-Task: A",
  );
}

async function asked({ context, plan, project }: Lab) {
  return (await context.store.openItems(project.id, plan.id, 10)).map(({ id, text, options }) => ({
    id,
    text,
    options: options.map(({ name }) => name),
  }));
}

async function answer(lab: Lab, option: string, text: string | null = null): Promise<void> {
  const [item] = await asked(lab);
  const { store, actor } = lab.context;
  await store.submit({ type: "item.answer", plan: lab.plan.id, item: item!.id, option, text }, { actor });
}

const TOLD = [
  "the change weakens what checks it: sum.test.js:2 (assertion_weakened)",
  "- sum.test.js:2 (assertion_weakened): An assertion was replaced by one that more results satisfy. `expect(sum(1,2)).toBe(3) -> expect(sum(1,2)).toBeDefined()`",
  "Put back what was weakened. Where a test or a limit is wrong itself, say so in the summary.",
].join("\n");

describe("a change that weakens a test", () => {
  test.each([
    ["in a worktree", WORKTREE],
    ["in place", {}],
  ])("%s waits for a person, and lands as it is where they allow it", async (_, config) => {
    const lab = await weakening(WEAKEN, {}, config);
    expect(await runLab(lab)).toMatchObject({ outcome: "needs_person" });
    expect(await taskRow(lab, "A")).toMatchObject({ state: "blocked", reason: "weakened_checks", last_error: TOLD });
    expect(await asked(lab)).toEqual([{ id: "i1", text: TOLD, options: ["allow", "retry", "fail"] }]);
    expect(await checksOf(lab, "A")).toEqual([]);
    await answer(lab, "allow");
    expect(await runLab(lab)).toMatchObject({ outcome: "done" });
    expect(landed(lab)).toBe(true);
    expect(await taskRow(lab, "A")).toMatchObject({ attempts: 1, tries: 0 });
  });

  test("goes back with what was found where a person sends it back, and is judged anew", async () => {
    const agent = [
      'brief="$(cat)"',
      "touch done.txt",
      'case "$brief" in *"sum.test.js:2 (assertion_weakened)"*"it is right"*) git checkout -q main -- sum.test.js;;',
      `*) ${WEAKEN};; esac`,
    ].join("\n");
    const tasks = [{ id: "A", verify: "test -e done.txt" }];
    const lab = await makeLab({ kind: "repository", config: WORKTREE, agent, files: FILES, tasks });
    expect(await runLab(lab)).toMatchObject({ outcome: "needs_person" });
    await answer(lab, "retry", "the test is fine, it is right");
    expect(await runLab(lab)).toMatchObject({ outcome: "done" });
    expect(await taskRow(lab, "A")).toMatchObject({ state: "verified", attempts: 2 });
    expect(gitIn(lab.root, "show", "--stat", "--format=", "lockstep/lab")).not.toContain("sum.test");
  });

  test("lands at once where the task may weaken its checks", async () => {
    const lab = await weakening(WEAKEN, { weakened_checks: "allow" });
    expect(await runLab(lab)).toMatchObject({ outcome: "done" });
    expect(landed(lab)).toBe(true);
  });
});

test.each([
  [
    "a script that the check runs by way of the package",
    "npm test",
    "echo > tools/run.mjs",
    "tools/run.mjs:2 (check_step_removed)",
  ],
  [
    "the package's script",
    "npm test",
    "sed -i 's/run.mjs/run.mjs || true/' package.json",
    "package.json:3 (check_softened)",
  ],
  [
    "a cache",
    "test -e done.txt",
    "mkdir -p node_modules/.cache; touch node_modules/.cache/x",
    "node_modules/.cache/x (artefact_committed)",
  ],
  ["a test that is no text any more", "test -e done.txt", "printf '\\0' >> sum.test.js", "sum.test.js (left_unread)"],
])("a change of %s is found", async (_, verify, agent, gist) => {
  const lab = await weakening(agent, { verify });
  expect(await runLab(lab)).toMatchObject({ outcome: "needs_person" });
  expect((await asked(lab))[0]?.text.split("\n")[0]).toBe(`the change weakens what checks it: ${gist}`);
});

test("planted files are found in a plain directory, where nobody keeps what a changed test held before", async () => {
  const tasks = [{ id: "A", verify: "test -e done.txt" }];
  const agent = `touch done.txt; ${WEAKEN}; mkdir -p .husky; echo 'npm test' > .husky/pre-push`;
  const lab = await makeLab({ kind: "directory", agent, files: FILES, tasks });
  expect(await runLab(lab)).toMatchObject({ outcome: "needs_person" });
  expect(
    (await asked(lab))[0]?.text
      .split("\n")
      .slice(1, -1)
      .map((line) => line.split(":")[0]),
  ).toEqual(["- .husky/pre-push (hook_planted)"]);
});

test("an honest change is landed without a question", async () => {
  const lab = await weakening("echo more >> notes.md; echo 'export const a = 1;' > a.js");
  expect(await runLab(lab)).toMatchObject({ outcome: "done" });
  expect(landed(lab)).toBe(true);
});
