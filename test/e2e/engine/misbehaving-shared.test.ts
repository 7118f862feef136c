/** Agents that change what all attempts share: it is put right, told, and takes nobody's work away. */

import { chmodSync, existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { provePlan } from "../../../src/engine/prove.ts";
import {
  eventsIn,
  gitIn,
  type Lab,
  type LabWish,
  makeLab,
  readText,
  runLab,
  statesIn,
  writeFiles,
} from "../../fixtures/lab.ts";
import { leftProcesses } from "../../fixtures/lab-process.ts";
import {
  BRANCH,
  COMMIT,
  ended,
  LANDED,
  landed,
  landedOn,
  misbehaves,
  SAVED,
  WELL,
} from "../../fixtures/misbehaving.ts";

describe("an agent that changes what all attempts share", () => {
  /** B is a git user like any other, and commits itself. */
  const COMMITS = `${WELL}\ngit add -A\n${COMMIT} -m "by B"`;

  const AFTER_0 = [
    { id: "0", verify: "test -f 0.txt" },
    { id: "A", verify: "test -f out.txt", depends_on: ["0"] },
    { id: "B", verify: "test -f B.txt", depends_on: ["0"] },
  ];

  const shares = (script: string, over: Partial<LabWish> = {}): Promise<Lab> =>
    misbehaves(script, {
      agent: `if test "$LOCKSTEP_TASK_ID" = A; then pwd > "$ASIDE/place of A"\n${script}\nelse ${COMMITS}\nfi`,
      tasks: AFTER_0,
      ...over,
    });

  const mended = async (lab: Lab): Promise<unknown[]> =>
    (await eventsIn(lab)).flatMap((event) => (event.type === "repository.mended" ? event.data.mended : []));

  const aside = (lab: Lab, name: string): string =>
    join(lab.aside, "state", "lockstep", "projects", lab.project.id, "worktrees", name);

  const tipOf = (lab: Lab, task: string): string =>
    gitIn(lab.root, "log", "-1", "--format=%H", `--grep=^Lockstep-Task: ${task}$`, BRANCH);

  test("plants hooks: they never run, are put aside, and the user's own are as they were", async () => {
    const lab = await shares(
      [
        'hooks=$(git rev-parse --git-common-dir)/hooks; echo done > out.txt; mkdir -p "$hooks"',
        "for hook in pre-commit post-checkout reference-transaction post-index-change; do",
        `  printf '#!/bin/sh\\ntouch "%s/ran"\\n' "$ASIDE" > "$hooks/$hook"; chmod +x "$hooks/$hook"`,
        "done",
      ].join("\n"),
    );
    const own = join(lab.root, ".git", "hooks", "pre-commit");
    writeFiles(lab.root, { ".git/hooks/pre-commit": "#!/bin/sh\nexit 0\n" });
    chmodSync(own, 0o755);
    expect(await ended(lab)).toEqual(LANDED);
    expect(existsSync(join(lab.aside, "ran"))).toBe(false);
    expect(readText(own)).toBe("#!/bin/sh\nexit 0\n");
    expect(await mended(lab)).toEqual([
      `hooks/post-checkout was added: it is taken away again, and what it was is in ${aside(lab, "planted-hooks-post-checkout")}`,
      `hooks/post-index-change was added: it is taken away again, and what it was is in ${aside(lab, "planted-hooks-post-index-change")}`,
      `hooks/pre-commit was changed: it is as before again, and what it was is in ${aside(lab, "planted-hooks-pre-commit")}`,
      `hooks/reference-transaction was added: it is taken away again, and what it was is in ${aside(lab, "planted-hooks-reference-transaction")}`,
    ]);
    expect(readText(aside(lab, "planted-hooks-pre-commit"))).toContain("/ran");
  });

  test("plants settings that run programs: they never run, are taken out again, and others stay", async () => {
    const lab = await shares(
      [
        'echo done > out.txt; mkdir "$ASIDE/evil"',
        `printf '#!/bin/sh\\ntouch "%s/ran"\\ncat\\n' "$ASIDE" > "$ASIDE/evil/pre-commit"; chmod +x "$ASIDE/evil/pre-commit"`,
        'echo "* filter=evil merge=evil" > "$(git rev-parse --git-common-dir)/info/attributes"',
        'git config core.hooksPath "$ASIDE/evil"; git config filter.evil.clean "\'$ASIDE/evil/pre-commit\'"',
        "git config filter.evil.smudge \"'$ASIDE/evil/pre-commit'\"; git config merge.evil.driver \"touch '$ASIDE/ran'\"",
        "git config branch.mine.remote origin",
      ].join("\n"),
    );
    gitIn(lab.root, "config", "alias.mine", "log");
    const before = readText(lab.root, ".git", "config");
    await runLab(lab);
    expect(await statesIn(lab)).toEqual({ "0": "verified", A: "verified", B: "verified" });
    expect(existsSync(join(lab.aside, "ran"))).toBe(false);
    expect(readText(lab.root, ".git", "config")).toBe(`${before}[branch "mine"]\n\tremote = origin\n`);
    expect(await mended(lab)).toEqual([
      `the setting core.hookspath was set to ${JSON.stringify(join(lab.aside, "evil"))}: it is taken out again`,
      `the setting filter.evil.clean was set to ${JSON.stringify(`'${lab.aside}/evil/pre-commit'`)}: it is taken out again`,
      `the setting filter.evil.smudge was set to ${JSON.stringify(`'${lab.aside}/evil/pre-commit'`)}: it is taken out again`,
      `the setting merge.evil.driver was set to ${JSON.stringify(`touch '${lab.aside}/ran'`)}: it is taken out again`,
      `info/attributes was added: it is taken away again, and what it was is in ${aside(lab, "planted-info-attributes")}`,
    ]);
  });

  test("gives its own worktree settings takes them to no other task", async () => {
    const lab = await shares(
      [
        'echo done > out.txt; mkdir "$ASIDE/evil"; git config extensions.worktreeConfig true',
        `printf '#!/bin/sh\\ntouch "%s/ran"\\n' "$ASIDE" > "$ASIDE/evil/pre-commit"; chmod +x "$ASIDE/evil/pre-commit"`,
        'git config --worktree core.hooksPath "$ASIDE/evil"',
      ].join("\n"),
    );
    await runLab(lab);
    expect(await statesIn(lab)).toEqual({ "0": "verified", A: "verified", B: "verified" });
    expect(existsSync(join(lab.aside, "ran"))).toBe(false);
    expect(await mended(lab)).toEqual([
      `the setting core.hookspath was set to ${JSON.stringify(join(lab.aside, "evil"))}: it is taken out again`,
    ]);
  });

  test("breaks the configuration: it is as before, and the broken one is put aside", async () => {
    const lab = await shares('echo done > out.txt; echo "[broken" >> "$ASIDE/project/.git/config"');
    expect(await ended(lab)).toEqual(LANDED);
    expect(await mended(lab)).toEqual([
      `the configuration config could not be read any more: it is as before again, and what it was is in ${aside(lab, "planted-config")}`,
    ]);
  });

  test("moves the target to its own commit has not landed: its check decides, and is red", async () => {
    const lab = await shares(
      `echo x > wrong.txt; git add -A; ${COMMIT} -m mine; git update-ref refs/heads/${BRANCH} HEAD`,
    );
    expect(await ended(lab)).toEqual({ state: "failed", last_error: "verify `test -f out.txt` ended with 1" });
    const moved = gitIn(lab.root, "rev-parse", SAVED);
    expect(gitIn(lab.root, "log", "-1", "--format=%s", SAVED)).toBe("mine");
    expect(await mended(lab)).toEqual([
      `the branch ${BRANCH} was moved to ${moved.slice(0, 12)}, which no check has passed: it is at ${tipOf(lab, "0").slice(0, 12)} again, and that commit is kept at ${SAVED}: \`git cherry-pick ${SAVED}\` on the base or in a task`,
    ]);
  });

  test.each([
    ["puts a commit on the target, and its task is verified", "echo done > out.txt", `refs/heads/${BRANCH}:`],
    ["puts a commit on the target, and its task fails", "echo evil > other.txt", '"$(git write-tree)"'],
    ["puts a commit on the target that throws files away", "echo done > out.txt", "main:"],
  ])("%s: nothing lands on that, and it is kept", async (_, work, tree) => {
    const lab = await shares(
      `echo evil > evil.txt; git add evil.txt; evil=$(git -c user.name=a -c user.email=a@localhost commit-tree -m evil $(git rev-parse ${tree}) -p refs/heads/${BRANCH}); git rm -q --cached evil.txt; rm evil.txt; ${work}; git update-ref refs/heads/${BRANCH} $evil`,
    );
    const { state } = await ended(lab);
    expect(state).toBe(work.includes("out.txt") ? "verified" : "failed");
    expect(gitIn(lab.root, "log", "--format=%s", BRANCH).split("\n")).not.toContain("evil");
    expect(landed(lab, "0.txt")).toBe("0");
    expect(gitIn(lab.root, "ls-tree", "--name-only", BRANCH)).not.toContain("evil.txt");
    const evil = gitIn(lab.root, "rev-parse", SAVED);
    expect(gitIn(lab.root, "log", "-1", "--format=%s", SAVED)).toBe("evil");
    expect(await mended(lab)).toEqual([
      `the branch ${BRANCH} was moved to ${evil.slice(0, 12)}, which no check has passed: it is at ${tipOf(lab, "0").slice(0, 12)} again, and that commit is kept at ${SAVED}: \`git cherry-pick ${SAVED}\` on the base or in a task`,
    ]);
    expect(await provePlan(lab.context, lab.plan)).toMatchObject({ ok: true });
  });

  test("takes the target back to an older commit takes nobody's work away", async () => {
    const lab = await shares(`echo done > out.txt; git update-ref refs/heads/${BRANCH} HEAD^`);
    expect(await ended(lab)).toEqual(LANDED);
    expect(landed(lab, "0.txt")).toBe("0");
    const older = gitIn(lab.root, "rev-parse", "main");
    expect(await mended(lab)).toEqual([
      `the branch ${BRANCH} was moved to ${older.slice(0, 12)}, which no check has passed: it is at ${tipOf(lab, "0").slice(0, 12)} again`,
    ]);
  });

  test("deletes the target deletes nobody's work", async () => {
    const lab = await shares(`echo done > out.txt; git update-ref -d refs/heads/${BRANCH}`);
    expect(await ended(lab)).toEqual(LANDED);
    expect(landed(lab, "0.txt")).toBe("0");
    expect(await mended(lab)).toEqual([
      `the branch ${BRANCH} was deleted: it is at ${tipOf(lab, "0").slice(0, 12)} again`,
    ]);
  });

  test("checks the target out and commits there: its work is checked like any other, and lands once", async () => {
    const lab = await shares(`git switch -q ${BRANCH}; echo done > out.txt; git add -A; ${COMMIT} -m "on the target"`);
    expect(await ended(lab)).toEqual(LANDED);
    expect(landed(lab, "out.txt")).toBe("done");
  });

  test("checks the target out while another lands there keeps what the other landed", async () => {
    const wait = (file: string): string => `until test -e "$ASIDE/${file}"; do sleep 0.05; done`;
    const lab = await makeLab({
      kind: "repository",
      agent: [
        `if test "$LOCKSTEP_TASK_ID" = A; then git switch -q ${BRANCH}; touch "$ASIDE/switched"`,
        `  until git cat-file -e ${BRANCH}:B.txt 2> /dev/null; do sleep 0.05; done; echo A > A.txt`,
        `else ${wait("switched")}; echo B > B.txt; fi`,
      ].join("\n"),
      config: { workspace: { mode: "worktree" } },
      tasks: ["A", "B"].map((id) => ({ id, verify: `test -f ${id}.txt` })),
    });
    await runLab(lab, { jobs: 2 });
    expect(await statesIn(lab)).toEqual({ A: "verified", B: "verified" });
    expect([landed(lab, "A.txt"), landed(lab, "B.txt")]).toEqual(["A", "B"]);
    expect(landedOn(lab)).toEqual(["A", "B"]);
  });

  test("deletes what lockstep keeps of others: it is kept again", async () => {
    const lab = await shares(
      'echo done > out.txt; git for-each-ref --format="delete %(refname)" refs/lockstep | git update-ref --stdin',
    );
    expect(await ended(lab)).toEqual(LANDED);
    expect(gitIn(lab.root, "for-each-ref", "--format=%(refname)", "refs/lockstep/attempts").split("\n")).toEqual(
      ["0", "A", "B"].map((id) => `refs/lockstep/attempts/lab/${id}/1`),
    );
    expect(await mended(lab)).toEqual(["a ref below refs/lockstep was deleted: 1 of them is there again"]);
  });

  test.each([
    ["moves", "git update-ref refs/heads/lockstep-work/lab/B $(git rev-parse HEAD)"],
    ["deletes", "git update-ref -d refs/heads/lockstep-work/lab/B"],
  ])("%s the work branch of another who is at work: both land what they did", async (_, misbehave) => {
    const wait = (file: string): string => `until test -e "$ASIDE/${file}"; do sleep 0.05; done`;
    const lab = await makeLab({
      kind: "repository",
      agent: [
        `if test "$LOCKSTEP_TASK_ID" = A; then ${wait("committed")}; echo A > A.txt; git add -A; ${COMMIT} -m "by A"; ${misbehave}; touch "$ASIDE/moved"`,
        `else echo B > B.txt; git add -A; ${COMMIT} -m "by B"; touch "$ASIDE/committed"; ${wait("moved")}; echo more > more.txt; fi`,
      ].join("\n"),
      config: { workspace: { mode: "worktree" } },
      tasks: ["A", "B"].map((id) => ({ id, verify: `test -f ${id}.txt` })),
    });
    await runLab(lab, { jobs: 2 });
    expect(await statesIn(lab)).toEqual({ A: "verified", B: "verified" });
    expect(landedOn(lab)).toEqual(["A", "B"]);
    expect(["A.txt", "B.txt", "more.txt"].map((path) => landed(lab, path))).toEqual(["A", "B", "more"]);
    expect(gitIn(lab.root, "log", "--format=%s", BRANCH).split("\n").sort()).toContain("by B");
  });

  test("removes the worktree of another who is at work: that one has failed, is told so, and the next try is whole", async () => {
    const wait = (file: string): string => `until test -e "$ASIDE/${file}"; do sleep 0.05; done`;
    const lab = await makeLab({
      kind: "repository",
      agent: [
        'if test "$LOCKSTEP_TASK_ID" = A; then',
        `  ${wait("B works")}; git worktree remove --force "$(cat "$ASIDE/place of B")"; git worktree prune; touch "$ASIDE/removed"; echo A > A.txt`,
        `else pwd > "$ASIDE/place of B"; test -e "$ASIDE/removed" || { touch "$ASIDE/B works"; ${wait("removed")}; exit 0; }; echo B > B.txt; fi`,
      ].join("\n"),
      config: { workspace: { mode: "worktree" } },
      tasks: ["A", "B"].map((id) => ({ id, verify: `test -f ${id}.txt` })),
    });
    await runLab(lab, { jobs: 2 });
    expect(await statesIn(lab)).toEqual({ A: "verified", B: "verified" });
    const requeued = (await eventsIn(lab)).filter(({ type }) => type === "task.requeued");
    expect(requeued).toMatchObject([
      {
        task: "B",
        data: {
          cause: "workspace_broken",
          set: {
            last_error:
              "the worktree of lab/B#1 is gone, and with it all that was not committed: an agent has to leave its worktree in place",
          },
        },
      },
    ]);
    expect(leftProcesses(lab)).toEqual([]);
  });

  test("leaves locks of what all share behind is in nobody's way once they are old", async () => {
    const lab = await shares(
      `echo done > out.txt; for name in config refs/heads/${BRANCH}; do touch -d "1 minute ago" "$ASIDE/project/.git/$name.lock"; done; git config --file "$ASIDE/project/.git/config" --list > /dev/null; echo "[alias] x = y" >> "$ASIDE/project/.git/config"`,
    );
    expect(await ended(lab)).toEqual(LANDED);
  });
});
