/** Agents in worktrees that lie, take git into their own hands or break their place: the right outcome, and a plain word for it. */

import { describe, expect, test } from "vitest";
import { agentFile, attemptsOf, gitIn, readText } from "../../fixtures/lab.ts";
import { BRANCH, COMMIT, ended, LANDED, landed, misbehaves, SAVED } from "../../fixtures/misbehaving.ts";

describe("an agent that lies", () => {
  test("and did nothing is believed by no check, whatever it says", async () => {
    const lab = await misbehaves("echo all tests pass");
    expect(await ended(lab)).toEqual({
      state: "failed",
      last_error: "verify `test -f out.txt` ended with 1",
    });
    expect((await attemptsOf(lab, "A"))[0]).toMatchObject({ outcome: "succeeded", summary: "all tests pass" });
  });

  test("and did nothing has failed where changes are required, also when the check is green", async () => {
    const tasks = [
      { id: "A", verify: "test -f base.txt", changes: "required" as const },
      { id: "B", verify: "test -f B.txt" },
    ];
    const lab = await misbehaves("echo all tests pass", { tasks });
    expect(await ended(lab)).toEqual({
      state: "failed",
      last_error: "the task requires changes, and the attempt left none",
    });
  });
});

describe("an agent that takes git into its own hands", () => {
  test("commits by itself: its work lands once", async () => {
    const lab = await misbehaves(`exec "${process.execPath}" "${agentFile("commits")}"`);
    expect(await ended(lab)).toEqual(LANDED);
    expect(landed(lab, "out.txt")).toBe("done");
    expect(gitIn(lab.root, "log", "--format=%s", BRANCH).split("\n").sort()).toEqual([
      "A",
      "B",
      "I did it all by myself",
      "first",
      "second",
    ]);
  });

  test("commits by itself and is red: nothing of it lands, and its commit is kept", async () => {
    const lab = await misbehaves(`echo x > wrong.txt; git add -A; ${COMMIT} -m mine`);
    expect(await ended(lab)).toEqual({ state: "failed", last_error: "verify `test -f out.txt` ended with 1" });
    expect(gitIn(lab.root, "log", "-1", "--format=%s", SAVED)).toBe("mine");
    expect(gitIn(lab.root, "show", `${SAVED}:wrong.txt`)).toBe("x");
  });

  test("leaves the index half staged: what lands are the files", async () => {
    const lab = await misbehaves(
      "echo half > out.txt; git add out.txt; echo done > out.txt; git rm -q --cached base.txt",
    );
    expect(await ended(lab)).toEqual(LANDED);
    expect(landed(lab, "out.txt")).toBe("done");
  });

  test("leaves the index half staged and fails: the files are saved", async () => {
    const lab = await misbehaves("echo half > out.txt; git add out.txt; echo done > out.txt; echo no model; exit 1");
    expect(await ended(lab)).toEqual({ state: "failed", last_error: "it ended with 1: no model" });
    expect(gitIn(lab.root, "show", `${SAVED}:out.txt`)).toBe("done");
  });

  test("switches to a branch of its own: the work lands on the target, and its branch stays", async () => {
    const lab = await misbehaves(`git switch -q -c mine; echo done > out.txt; git add -A; ${COMMIT} -m "on mine"`);
    expect(await ended(lab)).toEqual(LANDED);
    expect(gitIn(lab.root, "log", "-1", "--format=%s", "mine")).toBe("on mine");
  });

  test("leaves a detached HEAD: its work lands", async () => {
    const lab = await misbehaves(
      `git checkout -q --detach; echo done > out.txt; git add -A; ${COMMIT} -m detached; echo more > more.txt`,
    );
    expect(await ended(lab)).toEqual(LANDED);
    expect([landed(lab, "out.txt"), landed(lab, "more.txt")]).toEqual(["done", "more"]);
  });

  test("rewrites the history that it was given: what it changed lands, the target's history stays", async () => {
    const lab = await misbehaves(`echo done > out.txt; git add -A; ${COMMIT} --amend -m rewritten`);
    expect(await ended(lab)).toEqual(LANDED);
    expect(gitIn(lab.root, "log", "--format=%s", BRANCH).split("\n").sort()).toEqual(["A", "B", "first", "second"]);
  });

  test("begins a history anew has failed, is told so, and its commit is kept", async () => {
    const lab = await misbehaves(
      `git checkout -q --orphan new; echo done > out.txt; git add -A; ${COMMIT} -m anew; git branch -q -M lockstep-work/lab/A`,
    );
    const { state, last_error } = await ended(lab);
    const anew = gitIn(lab.root, "rev-parse", SAVED);
    expect({ state, last_error }).toEqual({
      state: "failed",
      last_error: `the history of lockstep-work/lab/A was begun anew: commit ${anew.slice(0, 12)} has nothing in common with what the attempt was given; lab/A#1 has to build on that`,
    });
    expect(gitIn(lab.root, "show", `${SAVED}:out.txt`)).toBe("done");
  });

  test("resets to an older commit takes back nobody's work", async () => {
    const lab = await misbehaves("git reset -q --hard HEAD^; echo done > out.txt", {
      tasks: [
        { id: "0", verify: "test -f 0.txt" },
        { id: "A", verify: "test -f out.txt", depends_on: ["0"] },
        { id: "B", verify: "test -f B.txt", depends_on: ["0"] },
      ],
    });
    expect(await ended(lab)).toEqual(LANDED);
    expect([landed(lab, "0.txt"), landed(lab, "out.txt")]).toEqual(["0", "done"]);
  });

  test("leaves locks behind is in nobody's way", async () => {
    const lab = await misbehaves(
      [
        "echo done > out.txt",
        'own=$(git rev-parse --git-dir); touch "$own/index.lock" "$own/HEAD.lock"',
        'touch "$(git rev-parse --git-common-dir)/refs/heads/lockstep-work/lab/A.lock"',
      ].join("\n"),
    );
    expect(await ended(lab)).toEqual(LANDED);
  });

  test("adds a submodule has failed, is told what to do, and its files are kept", async () => {
    const lab = await misbehaves(
      [
        'git init -q "$ASIDE/other"; cd "$ASIDE/other"; echo lib > lib.txt; git add -A',
        `${COMMIT} -m other; cd - > /dev/null`,
        'git -c protocol.file.allow=always submodule --quiet add "$ASIDE/other" lib',
        "echo edited > lib/lib.txt; echo done > out.txt",
      ].join("\n"),
    );
    expect(await ended(lab)).toEqual({
      state: "failed",
      last_error:
        '"lib" was added as a submodule, whose files git would leave out: add it to the branch yourself, or let the task commit the files themselves',
    });
    expect(gitIn(lab.root, "show", `${SAVED}:lib/lib.txt`)).toBe("edited");
    expect(gitIn(lab.root, "show", `${SAVED}:out.txt`)).toBe("done");
  });

  test("commits a repository that it made inside has failed as well: its files would not have landed", async () => {
    const lab = await misbehaves(
      [
        `mkdir inner; git init -q inner; cd inner; echo "lost?" > file.txt; git add -A; ${COMMIT} -m inner; cd ..`,
        `echo done > out.txt; git -c advice.addEmbeddedRepo=false add -A; ${COMMIT} -m mine`,
      ].join("\n"),
    );
    expect(await ended(lab)).toEqual({
      state: "failed",
      last_error: '"inner" is a repository of its own, whose files git would leave out: remove its .git, or ignore it',
    });
    expect(gitIn(lab.root, "show", `${SAVED}:inner/file.txt`)).toBe("lost?");
  });

  test("makes a repository inside its worktree has failed, is told what to do, and its files are kept", async () => {
    const lab = await misbehaves(`exec "${process.execPath}" "${agentFile("nests-a-repository")}"`);
    expect(await ended(lab)).toEqual({
      state: "failed",
      last_error: '"inner" is a repository of its own, whose files git would leave out: remove its .git, or ignore it',
    });
    expect(gitIn(lab.root, "show", `${SAVED}:inner/file.txt`)).toBe("lost?");
  });
});

describe("an agent that breaks its own place", () => {
  test("deletes its .git: its work lands all the same", async () => {
    const lab = await misbehaves(`exec "${process.execPath}" "${agentFile("deletes-git")}"`);
    expect(await ended(lab)).toEqual(LANDED);
    expect(landed(lab, "out.txt")).toBe("done");
  });

  test("deletes its whole worktree has failed, and is told so", async () => {
    const lab = await misbehaves('echo done > out.txt; rm -rf "$PWD"');
    expect(await ended(lab)).toEqual({
      state: "failed",
      last_error:
        "the worktree of lab/A#1 is gone, and with it all that was not committed: an agent has to leave its worktree in place",
    });
  });

  test("deletes its whole worktree, has failed too when something stands there again: the rest was not meant to go", async () => {
    const lab = await misbehaves('place=$PWD; cd /; rm -rf "$place"; mkdir "$place"; echo done > "$place/out.txt"');
    expect(await ended(lab)).toEqual({
      state: "failed",
      last_error:
        "the worktree of lab/A#1 is gone, and with it all that was not committed: an agent has to leave its worktree in place",
    });
    expect(gitIn(lab.root, "show", `${SAVED}:out.txt`)).toBe("done");
  });

  test("commits and then removes its worktree: its work lands", async () => {
    const lab = await misbehaves(
      `echo done > out.txt; git add -A; ${COMMIT} -m mine; git worktree remove --force "$PWD"`,
    );
    expect(await ended(lab)).toEqual(LANDED);
    expect(landed(lab, "out.txt")).toBe("done");
  });

  test("makes a file of 200 MB is only slow", async () => {
    const lab = await misbehaves("truncate -s 200M out.txt");
    expect(await ended(lab)).toEqual(LANDED);
    expect(gitIn(lab.root, "cat-file", "-s", `${BRANCH}:out.txt`)).toBe(String(200 * 1024 * 1024));
  });

  test("makes a link out of the tree: the link lands, and what is there is not touched", async () => {
    const lab = await misbehaves('echo mine > "$ASIDE/outside"; rm -r dir; ln -s "$ASIDE" dir; echo done > out.txt');
    expect(await ended(lab)).toEqual(LANDED);
    expect(gitIn(lab.root, "ls-tree", BRANCH, "dir")).toMatch(/^120000 blob /);
    expect(readText(lab.aside, "outside")).toBe("mine\n");
  });

  test("sets an executable bit and nothing else has made a change", async () => {
    const tasks = [
      { id: "A", verify: "test -x base.txt", changes: "required" as const },
      { id: "B", verify: "test -f B.txt" },
    ];
    const lab = await misbehaves("chmod +x base.txt", { tasks });
    expect(await ended(lab)).toEqual(LANDED);
    expect(gitIn(lab.root, "ls-tree", BRANCH, "base.txt")).toMatch(/^100755 /);
  });

  test("renames a file in nothing but its case: it lands so", async () => {
    const tasks = [
      { id: "A", verify: "test -f dir/BASE.txt && test ! -e dir/base.txt", changes: "required" as const },
      { id: "B", verify: "test -f B.txt" },
    ];
    const lab = await misbehaves("mv dir/base.txt dir/BASE.txt", { tasks });
    expect(await ended(lab)).toEqual(LANDED);
    expect(gitIn(lab.root, "ls-tree", "--name-only", BRANCH, "dir/")).toBe("dir/BASE.txt");
  });

  test("writes only what .gitignore names has changed nothing", async () => {
    const tasks = [
      { id: "A", verify: "test -f base.txt", changes: "required" as const },
      { id: "B", verify: "test -f B.txt" },
    ];
    const lab = await misbehaves("echo done > ignored", { tasks });
    expect(await ended(lab)).toEqual({
      state: "failed",
      last_error: "the task requires changes, and the attempt left none",
    });
  });

  test("leaves processes at work in its place: they are ended", async () => {
    const lab = await misbehaves(
      'echo done > out.txt; setsid bash -c "while :; do date >> late.txt; sleep 0.05; done" > /dev/null 2>&1 & sleep 0.2',
    );
    expect(await ended(lab)).toEqual(LANDED);
  });
});
