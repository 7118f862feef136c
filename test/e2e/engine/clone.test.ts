/** Attempts whose git is a clone of their own: what an agent does there reaches the repository as checked work, or not at all. */

import { existsSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { provePlan } from "../../../src/engine/prove.ts";
import type { CrashPoint } from "../../fixtures/crash-point.ts";
import { attemptsOf, eventsIn, gitIn, type Lab, makeLab, readText, runLab, writeFiles } from "../../fixtures/lab.ts";
import { AGENT, crashAt, crashLab, finishes, outcomesOf, system } from "../../fixtures/lab-crash.ts";
import { COMMIT, ended, LANDED, misbehaves, SAVED, WELL } from "../../fixtures/misbehaving.ts";
import { independentProof } from "../../prove/independent-prove.ts";
import { placeOf } from "../../prove/proof-place.ts";

const BRANCH = "lockstep/lab";
const CONFIG = { workspace: { mode: "clone" } };

async function isProved(lab: Lab): Promise<boolean> {
  const [{ ok }, other] = [await provePlan(lab.context, lab.plan), independentProof(placeOf(lab))];
  expect(other.ok).toBe(ok);
  return ok;
}

const repositoryOf = ({ root }: Lab): unknown => ({
  refs: gitIn(
    root,
    "for-each-ref",
    "--format=%(refname) %(objectname)",
    "refs/heads/main",
    "refs/tags",
    "refs/remotes",
  ),
  config: readText(root, ".git/config"),
  hooks: readdirSync(join(root, ".git/hooks")).sort(),
  checkout: gitIn(root, "--no-optional-locks", "status", "--porcelain", "--ignored"),
});

describe("a plan whose attempts have clones", () => {
  test("lands what agents committed and what they left, sees what it depends on, and is proved twice", async () => {
    const script = [
      'git remote > "$ASIDE/remotes"; git status --porcelain > "$ASIDE/status"; git rev-parse --git-common-dir > "$ASIDE/common"',
      'echo "$LOCKSTEP_TASK_ID" > "$LOCKSTEP_TASK_ID.txt"; git add -A',
      `test "$LOCKSTEP_TASK_ID" = B || ${COMMIT} -m "by the agent"; git tag "of-$LOCKSTEP_TASK_ID"`,
    ].join("\n");
    const tasks = [
      { id: "A", verify: "test -e A.txt" },
      { id: "B", depends_on: ["A"], verify: "test -e A.txt -a -e B.txt" },
    ];
    const lab = await makeLab({ kind: "repository", config: CONFIG, agent: script, tasks });
    const before = repositoryOf(lab);
    expect(await runLab(lab, { jobs: 2 })).toMatchObject({ outcome: "done" });
    expect(gitIn(lab.root, "ls-tree", "--name-only", BRANCH).split("\n")).toEqual(
      expect.arrayContaining(["A.txt", "B.txt"]),
    );
    expect(repositoryOf(lab)).toEqual(before);
    expect(readText(lab.aside, "remotes") + readText(lab.aside, "status")).toBe("");
    expect(readText(lab.aside, "common")).toBe(".git\n");
    expect(gitIn(lab.root, "log", "-1", "--format=%s", "refs/lockstep/branches/lab/A/1/tags/of-A")).toBe(
      "by the agent",
    );
    expect(await isProved(lab)).toBe(true);
  });

  test("two that change one line: the later one finds the conflict in its clone, commits what it made of it, and both stand", async () => {
    const script = [
      "set -e",
      "if grep -q '<<<<<<<' shared.txt 2>/dev/null; then",
      '  test -e other.txt; test -n "$(git ls-files --unmerged)"',
      "  grep -v -e '<<<<<<<' -e '=======' -e '>>>>>>>' shared.txt > t; mv t shared.txt",
      `  git add -A; ${COMMIT} -m resolved; git fsck --no-dangling >&2; git log --oneline --stat >&2`,
      'else echo "$LOCKSTEP_TASK_ID" >> shared.txt; echo more >> other.txt; fi',
    ].join("\n");
    const tasks = ["A", "B"].map((id) => ({ id, verify: `grep -qx ${id} shared.txt`, retry_delay: "500ms" }));
    const lab = await makeLab({ kind: "repository", config: CONFIG, agent: script, tasks });
    expect(await runLab(lab, { jobs: 2 })).toMatchObject({ outcome: "done" });
    expect(gitIn(lab.root, "show", `${BRANCH}:shared.txt`).split("\n").sort()).toEqual(["A", "B"]);
    expect([...(await attemptsOf(lab, "A")), ...(await attemptsOf(lab, "B"))].length).toBe(3);
    expect(await isProved(lab)).toBe(true);
  });
});

describe("an agent that", () => {
  /** A program that leaves a trace wherever it is run. */
  const EVIL = `evil="$ASIDE/evil"; printf '#!/bin/sh\\ntouch "%s/ran"\\ncat\\n' "$ASIDE" > "$evil"; chmod +x "$evil"`;

  const HARMS: Record<string, string> = {
    "plants hooks": [
      "mkdir -p .git/hooks; for hook in pre-commit post-checkout reference-transaction post-index-change; do",
      '  cp "$evil" ".git/hooks/$hook"; done',
    ].join("\n"),
    "plants settings that run programs": [
      'git config core.hooksPath "$ASIDE"; git config core.fsmonitor "$evil"; git config core.sshCommand "$evil"',
      'git config filter.evil.clean "$evil"; git config filter.evil.smudge "$evil"; git config filter.evil.required true',
      'git config diff.external "$evil"; git config gpg.program "$evil"; git config commit.gpgSign true',
      'git config uploadpack.packObjectsHook "$evil"; git config core.alternateRefsCommand "$evil"',
      'echo "* filter=evil merge=evil" > .git/info/attributes; git config merge.evil.driver "$evil"',
      "git config extensions.partialClone evil; git config remote.evil.promisor true",
      'git config remote.evil.url "ext::$evil"; git config protocol.ext.allow always; git config core.worktree /tmp',
    ].join("\n"),
    "names the repository of another as its own": [
      'printf "%s/elsewhere\\n" "$ASIDE" > .git/commondir; mkdir -p "$ASIDE/elsewhere"',
    ].join("\n"),
    "leads its objects elsewhere": [
      'git init -q "$ASIDE/other"; echo "$ASIDE/other/.git/objects" > .git/objects/info/alternates',
      'mv .git/objects "$ASIDE/objects"; ln -s "$ASIDE/objects" .git/objects',
    ].join("\n"),
    "leaves pipes where git has files":
      "rm -f .git/packed-refs .git/refs/stash; mkfifo .git/packed-refs .git/MERGE_HEAD .git/refs/stash",
  };

  test.each(Object.keys(HARMS))("%s: nothing of it runs, and its work lands", async (harm) => {
    const script = `echo done > out.txt; git add -A; ${COMMIT} -m "by A"\n${EVIL}\n${HARMS[harm]}`;
    const lab = await misbehaves(script, { config: { ...CONFIG, jobs: 1 } });
    const before = repositoryOf(lab);
    expect(await ended(lab)).toEqual(LANDED);
    expect(existsSync(join(lab.aside, "ran"))).toBe(false);
    expect(repositoryOf(lab)).toEqual(before);
    expect((await eventsIn(lab)).filter(({ type }) => type === "repository.mended")).toEqual([]);
    expect(await isProved(lab)).toBe(true);
  });

  test("moves and deletes every branch there moves none of the repository", async () => {
    const script = [
      `echo done > out.txt; git add -A; ${COMMIT} -m "by A"`,
      "for branch in main lockstep/lab lockstep-work/lab/B; do git update-ref refs/heads/$branch HEAD; done",
      "git update-ref refs/lockstep/attempts/lab/B/1 HEAD; git update-ref -d refs/heads/main",
    ].join("\n");
    const lab = await misbehaves(script, { config: { ...CONFIG, jobs: 1 } });
    expect(await ended(lab)).toEqual(LANDED);
    expect(await isProved(lab)).toBe(true);
  });

  test("takes objects out of its clone fails alone: its files are saved, its clone is put aside, the next is whole", async () => {
    const script = [
      `echo done > out.txt; git add -A; ${COMMIT} -m "by A"`,
      'rm -f ".git/objects/$(git rev-parse HEAD: | sed "s,^..,&/,")"',
    ].join("\n");
    const lab = await misbehaves(script, { config: { ...CONFIG, jobs: 1 } });
    expect((await ended(lab)).state).toBe("failed");
    expect(gitIn(lab.root, "show", `${SAVED}:out.txt`)).toBe("done");
    const folder = join(lab.aside, "state/lockstep/projects", lab.project.id, "worktrees");
    expect(statSync(join(folder, "1.repository")).isDirectory()).toBe(true);
    expect(gitIn(lab.root, "fsck", "--no-dangling")).toBe("");
  });

  test("makes a commit that git does not let pass is refused, and the repository never has it", async () => {
    const script = [
      "echo done > out.txt; git add -A; tree=$(git write-tree)",
      'printf "tree %s\\nauthor nobody\\ncommitter nobody\\n\\nbad\\n" "$tree" > "$ASIDE/bad"',
      'bad=$(git hash-object -t commit -w --literally --stdin < "$ASIDE/bad"); echo $bad > .git/refs/heads/lockstep-work/lab/A',
      'echo $bad > "$ASIDE/hash"',
    ].join("\n");
    const lab = await misbehaves(script, { config: { ...CONFIG, jobs: 1 } });
    expect((await ended(lab)).state).toBe("failed");
    expect(() => gitIn(lab.root, "cat-file", "-e", readText(lab.aside, "hash").trim())).toThrow();
    expect(gitIn(lab.root, "show", `${SAVED}:out.txt`)).toBe("done");
  });

  test("is given what the user has set, and nothing that leads to the repository", async () => {
    const script = `git config --list --local > "$ASIDE/config"; cat .git/info/exclude > "$ASIDE/exclude"; echo done > out.txt`;
    const lab = await misbehaves(script, { config: { ...CONFIG, jobs: 1 } });
    gitIn(lab.root, "config", "filter.words.clean", 'tr "a" \\\\"b');
    gitIn(lab.root, "config", "remote.origin.url", "https://example.invalid/x");
    writeFiles(lab.root, { ".git/info/exclude": "mine\n" });
    expect(await ended(lab)).toEqual(LANDED);
    const config = readText(lab.aside, "config");
    expect(config).toContain('filter.words.clean=tr "a" \\\\"b\n');
    expect(config).not.toMatch(/remote|hookspath/);
    expect(config).not.toContain(lab.root);
    expect(readText(lab.aside, "exclude")).toBe("mine\n");
  });
});

/** Commits its line, and makes a branch of its own. */
const COMMITS = `${AGENT}; git add -A; ${COMMIT} -m "by the agent"; git branch -f mine`;

const STEPS: Record<string, CrashPoint> = {
  "the clone is about to be made": system("spawn", "--no-hardlinks", "before"),
  "the clone is made": system("spawn", "--no-hardlinks", "after"),
  "the clone is about to take its place": system("renameSync", "1.clone-", "before"),
  "the clone has taken its place": system("renameSync", "1.clone-", "after"),
  "it is noted what was given": system("renameSync", "1.clone.json", "after"),
  "commits are about to be fetched": system("spawn", "1.front-", "before"),
  "commits are being fetched": system("spawn", "1.front-", "after"),
  "branches are about to be fetched": system("spawn", "1.front-", "before", 2),
  "branches are being fetched": system("spawn", "1.front-", "after", 2),
  "the work branch has moved, and that is about to be noted": system("renameSync", "1.clone.json", "before", 2),
  "it is noted that all was taken over": system("renameSync", "1.clone.json", "after", 2),
  "it is noted what the work branch will stand at": system("renameSync", "1.clone.json", "after", 3),
};

describe("kill -9 of an engine whose attempts have clones", () => {
  test.for(Object.keys(STEPS))("when %s: the next run finishes the plan, and nothing is begun twice", async (step) => {
    const lab = await crashLab("worktree", { agent: COMMITS, config: CONFIG });
    await crashAt(lab, STEPS[step]!);
    await finishes(lab);
    const isLost = /clone|given/.test(step);
    expect(await outcomesOf(lab, "A")).toEqual(isLost ? ["lost", "succeeded"] : ["succeeded"]);
    expect(await outcomesOf(lab, "B")).toEqual(["succeeded"]);
    expect(gitIn(lab.root, "for-each-ref", "--format=%(refname)", "refs/lockstep/saved")).toBe("");
    expect(gitIn(lab.root, "fsck", "--no-dangling")).toBe("");
    expect(await isProved(lab)).toBe(true);
  });
});

test("a well-behaved agent finds its clone as a worktree would be", async () => {
  const lab = await misbehaves(WELL.replaceAll("$LOCKSTEP_TASK_ID.txt", "out.txt"), { config: { ...CONFIG, jobs: 1 } });
  expect(await ended(lab)).toEqual(LANDED);
});
