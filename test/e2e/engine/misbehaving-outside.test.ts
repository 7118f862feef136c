/** Agents that write into other places than their worktree: found and told, neither landed nor undone. */

import { renameSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import {
  eventsIn,
  gitIn,
  type Lab,
  makeLab,
  readText,
  runLab,
  statesIn,
  taskRow,
  writeFiles,
} from "../../fixtures/lab.ts";
import { BRANCH, landed, landedOn, misbehaves, SAVED } from "../../fixtures/misbehaving.ts";

describe("an agent that writes outside its worktree", () => {
  const changes = async (lab: Lab): Promise<unknown[]> =>
    (await eventsIn(lab))
      .filter(({ type }) => type === "checkout.changed")
      .map(({ task, data }) => ({ task, ...data }));

  test("into the user's checkout is found and told, and what it wrote is neither landed nor undone", async () => {
    const lab = await misbehaves(
      'echo done > out.txt; echo lost > "$ASIDE/project/base.txt"; echo new > "$ASIDE/project/new.txt"; rm "$ASIDE/project/dir/base.txt"',
    );
    await runLab(lab);
    expect(await statesIn(lab)).toEqual({ A: "verified", B: "verified" });
    const paths = ["base.txt", "dir/base.txt", "new.txt"];
    const saved = "refs/lockstep/saved-checkout/1";
    expect(await changes(lab)).toEqual([{ task: "A", paths, total: 3, saved, unseen: null, beside: [] }]);
    expect(gitIn(lab.root, "ls-tree", "-r", "--name-only", BRANCH).split("\n")).toEqual([
      ".gitignore",
      "B.txt",
      "base.txt",
      "dir/base.txt",
      "lockstep.yaml",
      "out.txt",
    ]);
    expect(gitIn(lab.root, "diff", "--name-status", "main", saved).split("\n")).toEqual([
      "M\tbase.txt",
      "D\tdir/base.txt",
      "A\tnew.txt",
    ]);
    expect(landed(lab, "base.txt")).toBe("base");
    expect([readText(lab.root, "base.txt"), readText(lab.root, "new.txt")]).toEqual(["lost\n", "new\n"]);
  });

  test("takes back what the user has not committed is told as well; what the user changed before is not", async () => {
    const lab = await misbehaves('cd "$ASIDE/project"; git checkout -q base.txt');
    writeFiles(lab.root, { "base.txt": "mine\n", "dir/base.txt": "mine too\n", "notes.txt": "mine\n" });
    await runLab(lab);
    expect(await changes(lab)).toEqual([
      { task: "A", paths: ["base.txt"], total: 1, saved: null, unseen: null, beside: [] },
    ]);
    await runLab(lab);
    expect(await changes(lab)).toHaveLength(1);
  });

  test("more than 50 files are counted, and the others at work are named", async () => {
    const wait = 'until test -e "$ASIDE/written"; do sleep 0.05; done';
    const write = 'cd "$ASIDE/project"; for i in $(seq 60); do echo x > "n$i"; done; touch "$ASIDE/written"';
    const lab = await makeLab({
      kind: "repository",
      agent: `if test "$LOCKSTEP_TASK_ID" = A; then ${write}; else touch "$ASIDE/B works"; ${wait}; until test -e "$ASIDE/told"; do sleep 0.05; done; fi`,
      config: { workspace: { mode: "worktree" } },
      tasks: [
        { id: "A", verify: 'touch "$ASIDE/told"' },
        { id: "B", verify: "test -f base.txt" },
      ],
      files: { "base.txt": "base\n" },
    });
    await runLab(lab, { jobs: 2 });
    const [change, ...more] = (await changes(lab)) as { paths: string[]; total: number; beside: string[] }[];
    expect(more).toEqual([]);
    expect(change).toMatchObject({ task: "A", total: 60, unseen: null, beside: ["B#1"] });
    expect(change!.paths).toHaveLength(50);
  });

  test("takes the user's repository away is told so", async () => {
    const lab = await misbehaves('echo done > out.txt; mv "$ASIDE/project/.git" "$ASIDE/project/.gone"');
    const gone = `no git repository at ${lab.root}: its .git is gone or broken; restore it, or run \`git init\``;
    expect(await runLab(lab)).toMatchObject({ outcome: "needs_person", held: gone });
    expect(await taskRow(lab, "A")).toMatchObject({ state: "failed", last_error: gone });
    expect(await changes(lab)).toEqual([{ task: "A", paths: [], total: 0, saved: null, unseen: gone, beside: [] }]);
    renameSync(join(lab.root, ".gone"), join(lab.root, ".git"));
    await runLab(lab);
    expect(await statesIn(lab)).toEqual({ A: "failed", B: "verified" });
    expect(gitIn(lab.root, "show", `${SAVED}:out.txt`)).toBe("done");
  });

  test("into a sibling's worktree is told where that task owns its files", async () => {
    const lab = await makeLab({
      kind: "repository",
      agent: [
        'if test "$LOCKSTEP_TASK_ID" = A; then',
        '  until test -s "$ASIDE/place of B"; do sleep 0.05; done; echo A > "$(cat "$ASIDE/place of B")/from-A.txt"; echo A > A.txt',
        "else",
        '  pwd > "$ASIDE/next"; mv "$ASIDE/next" "$ASIDE/place of B"; until test -e from-A.txt; do sleep 0.05; done; echo B > B.txt',
        "fi",
      ].join("\n"),
      config: { workspace: { mode: "worktree" } },
      tasks: ["A", "B"].map((id) => ({ id, verify: `test -f ${id}.txt`, files_owned: [`${id}.txt`] })),
    });
    await runLab(lab, { jobs: 2 });
    expect(await statesIn(lab)).toEqual({ A: "verified", B: "verified" });
    expect(landedOn(lab)).toEqual(["A", "B"]);
    const warned = (await eventsIn(lab)).filter(({ type }) => type === "scope.warned");
    expect(warned).toMatchObject([{ task: "B", data: { paths: ["from-A.txt"], total: 1 } }]);
  });
});
