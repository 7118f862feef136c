/** A git is killed at each kind of command that opens a worktree or lands, alone or with its engine; its locks are no hindrance. */

import { describe, expect, test } from "vitest";
import { gitIn } from "../../fixtures/lab.ts";
import { AGENT, crashLab, finishes } from "../../fixtures/lab-crash.ts";
import { type GitDeath, gitHasDied, mortalGit } from "../../fixtures/lab-git.ts";
import { startProcess } from "../../fixtures/lab-process.ts";

type Step = [kind: "worktree" | "repository", command: string, when: GitDeath["when"], nth?: number];

/** `nth` skips the commands of the first, failed attempt where those of the second are meant. */
const STEPS: Record<string, Step> = {
  "before it adds a worktree": ["worktree", "worktree add", "before"],
  "in the middle of adding a worktree": ["worktree", "worktree add", "inside"],
  "after it added a worktree": ["worktree", "worktree add", "after"],
  "before it makes the plan's branch": ["worktree", "update-ref refs/heads/lockstep/lab", "before"],
  "holding the lock of the plan's new branch": ["worktree", "update-ref refs/heads/lockstep/lab", "inside"],
  "after it made the plan's branch": ["worktree", "update-ref refs/heads/lockstep/lab", "after"],
  "writing files into a worktree, its index locked": ["worktree", "-B lockstep-work/lab/A", "inside"],
  "after it checked a worktree out": ["worktree", "-B lockstep-work/lab/A", "after"],
  "before it cleans a worktree": ["worktree", "clean -d", "before"],
  "reading what an agent left": ["worktree", "add -A", "inside"],
  "writing the tree of what an agent left": ["worktree", "write-tree", "half"],
  "before it makes the commit of what is left": ["worktree", "commit-tree", "before"],
  "after it made the commit of what is left": ["worktree", "commit-tree", "after"],
  "holding the lock of a saved ref": ["worktree", "update-ref refs/lockstep/saved", "inside"],
  "after it kept the work at a saved ref": ["worktree", "update-ref refs/lockstep/saved", "after"],
  "holding the lock of the work's branch": ["worktree", "update-ref refs/heads/lockstep-work/lab/A", "inside"],
  "building a candidate": ["worktree", "commit-tree", "after", 2],
  "holding the lock of the work's branch, the candidate built": [
    "worktree",
    "update-ref refs/heads/lockstep-work/lab/A",
    "inside",
    3,
  ],
  "adding the worktree of the candidates": ["worktree", "worktree add", "inside", 2],
  "checking a candidate out": ["worktree", "checkout --quiet --force --no-recurse-submodules --detach", "inside"],
  "holding the lock of an attempt's ref": ["worktree", "update-ref refs/lockstep/attempts/lab/A", "inside"],
  "before it moves the target": ["worktree", "update-ref --no-deref -m lockstep: lab/A", "before"],
  "holding the lock of the target": ["worktree", "update-ref --no-deref -m lockstep: lab/A", "inside"],
  "after it moved the target": ["worktree", "update-ref --no-deref -m lockstep: lab/A", "after"],
  "reading the user's own checkout": ["repository", "add -A", "inside"],
  "writing the tree of the user's index, which is locked": ["repository", "write-tree", "half", 2],
  "holding the lock of the user's branch": ["repository", "update-ref --no-deref -m lockstep: lab/A", "inside"],
  "after it moved the user's branch": ["repository", "update-ref --no-deref -m lockstep: lab/A", "after"],
  "before it brings the user's index after the branch": ["repository", "read-tree --reset", "before"],
  "bringing the user's index after the branch": ["repository", "read-tree --reset", "half"],
};

/** Leaves something that is saved, then does the work. */
const RED = `test -e "$ASIDE/again" || { touch "$ASIDE/again"; echo x > half.txt; exit 1; }; ${AGENT}`;

async function diesAt(step: string, alone: boolean): Promise<void> {
  const [kind, command, when, nth = 1] = STEPS[step]!;
  const lab = await crashLab(kind, { agent: RED });
  const bin = mortalGit(lab, { command, when, alone, nth });
  const end = await startProcess(lab, { act: { run: true }, point: null }, bin).ended;
  expect(gitHasDied(lab)).toBe(true);
  expect(end).toEqual(alone ? { signal: null, out: "done\n", err: "" } : { signal: "SIGKILL", out: "", err: "" });
  await finishes(lab);
  expect(gitIn(lab.root, "fsck", "--no-dangling", "--strict")).toBe("");
}

describe("kill -9 of a git and its engine", () => {
  test.for(Object.keys(STEPS))("%s: the next run finishes the plan", (step) => diesAt(step, false));
});

/** One of each way in which a call fails; what is left behind is the same as with an engine that is dead too. */
const ALONE: readonly (keyof typeof STEPS)[] = [
  "in the middle of adding a worktree",
  "after it made the plan's branch",
  "writing files into a worktree, its index locked",
  "holding the lock of a saved ref",
  "after it kept the work at a saved ref",
  "checking a candidate out",
  "before it moves the target",
  "after it moved the target",
  "after it moved the user's branch",
];

describe("kill -9 of a git alone", () => {
  test.for(ALONE)("%s: its engine does again what was cut off, and nobody is asked", (step) => diesAt(step, true));
});
