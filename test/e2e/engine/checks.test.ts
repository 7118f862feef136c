/** Checks that misbehave, guards that were red before, and what checks leave behind: the engine's word is never wrong. */

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { askedTogether } from "../../../src/core/task/asked-together.ts";
import { answerAll } from "../../../src/engine/answer.ts";
import {
  attemptsOf,
  checksOf,
  eventsIn,
  gitIn,
  type Lab,
  landedTasks,
  makeLab,
  readText,
  runLab,
  statesIn,
  taskRow,
  writeFiles,
} from "../../fixtures/lab.ts";
import { leftProcesses } from "../../fixtures/lab-process.ts";

/** Lands a file on the plan's branch as another task's landing would. */
async function landBeside({ workspace }: Lab["context"], file: string): Promise<void> {
  const other = { plan: "lab", slug: "other", n: 1 };
  const opened = await workspace.open(other, { resume: false });
  if ("code" in opened) throw new Error(opened.text);
  writeFileSync(join(opened.dir, file), file);
  const made = await workspace.candidate({ ...other, message: `landed ${file}`, base: opened.base });
  if ("code" in made) throw new Error(made.text);
  expect(await workspace.land(other, made)).toEqual({ landed: true });
}

const one = (verify: string, over: Record<string, unknown> = {}): Promise<Lab> =>
  makeLab({
    kind: "repository",
    agent: "echo done > out.txt",
    defaults: { tries: 1 },
    tasks: [{ id: "A", verify, ...over }],
  });

describe("OMP-12: the engine runs the check, and takes its exit for what it is", () => {
  test("red: the exit code, the end of the output and the tree stand beside the task", async () => {
    const lab = await one("echo out; echo err >&2; exit 7");
    expect((await runLab(lab)).outcome).toBe("failed");
    expect(await taskRow(lab, "A")).toMatchObject({
      state: "failed",
      last_error: "verify `echo out; echo err >&2; exit 7` ended with 7: out\nerr",
    });
    const [check] = await checksOf(lab, "A");
    expect(check).toMatchObject({ kind: "verify", outcome: "red", exit_code: 7, tail: "out\nerr\n" });
    const saved = gitIn(lab.root, "rev-parse", "refs/lockstep/saved/lab/A/1^{tree}");
    expect(check!.tree).toBe(saved);
    expect(landedTasks(lab)).toEqual([]);
    expect(readText(lab.root, "out.txt")).toBe("done\n");
  });

  test("OMP: a check beyond its time is 124, and its whole process group ends with it", async () => {
    const lab = await one("sleep 600 & sleep 600; true", { verify_timeout: "800ms" });
    expect((await runLab(lab)).outcome).toBe("failed");
    expect((await checksOf(lab, "A"))[0]).toMatchObject({ outcome: "timed_out", exit_code: 124 });
    expect((await taskRow(lab, "A")).last_error).toContain("ended with 124 (timed out)");
    expect(leftProcesses(lab)).toEqual([]);
  });

  const GREEN: Record<string, string> = {
    "OMP: leaves a background child that holds its output": "sleep 600 & echo ok",
    "leaves one in a session of its own": "setsid sleep 600 & echo ok",
    "forks and lets the parent end first": "(sleep 600 &) ; echo ok",
    "closes its output": "exec >&- 2>&-; test -f out.txt",
    "prints 30 MB": "head -c 30000000 /dev/zero | tr '\\0' x; echo ok",
    "prints bytes that are no text": "printf '\\xff\\xfe\\x00 ok\\n'",
    "reads what nobody sends": "cat; echo ok",
  };

  test.for(Object.keys(GREEN))("one that %s and exits 0 is green, at once", async (what) => {
    const lab = await one(GREEN[what]!);
    const began = performance.now();
    expect((await runLab(lab)).outcome).toBe("done");
    expect(performance.now() - began).toBeLessThan(15_000);
    const [check] = await checksOf(lab, "A");
    expect(check).toMatchObject({ outcome: "green", exit_code: 0 });
    expect(check!.tail.length).toBeLessThanOrEqual(4_000);
    expect(landedTasks(lab)).toEqual(["A"]);
    expect(leftProcesses(lab)).toEqual([]);
  });

  test("one that fails behind a pipe of its own is red: the last word is bash's", async () => {
    const lab = await one("set -o pipefail; false | cat");
    expect((await runLab(lab)).outcome).toBe("failed");
  });

  test("every check of a task must be green on the one tree that lands, in their order", async () => {
    const lab = await one("", {
      verify: ['echo 1 >> "$ASIDE/ran"', 'echo 2 >> "$ASIDE/ran"; exit 1', 'echo 3 >> "$ASIDE/ran"'],
    });
    expect((await runLab(lab)).outcome).toBe("failed");
    expect(readText(lab.aside, "ran")).toBe("1\n2\n");
    expect(landedTasks(lab)).toEqual([]);
  });

  test("a check that changes the tree it checks: what lands is the tree from before, the change is kept aside", async () => {
    const lab = await one("echo tampered > out.txt");
    expect((await runLab(lab)).outcome).toBe("done");
    expect(gitIn(lab.root, "show", "main:out.txt")).toBe("done");
    expect(gitIn(lab.root, "for-each-ref", "--format=%(refname)", "refs/lockstep/saved/lab/A")).not.toBe("");
  });
});

describe("what checks leave behind", () => {
  test.for(["repository", "directory"] as const)(
    "%s: files that no rule ignores do not stop the next task, and are kept",
    async (kind) => {
      const lab = await makeLab({
        kind,
        agent: 'echo done > "$LOCKSTEP_TASK_ID.txt"',
        tasks: [
          { id: "A", verify: "mkdir -p report && echo A > report/coverage.txt" },
          { id: "B", depends_on: ["A"], verify: "mkdir -p report && echo B > report/coverage.txt" },
        ],
      });
      expect((await runLab(lab)).outcome).toBe("done");
      if (kind === "directory") return;
      expect(landedTasks(lab)).toEqual(["A", "B"]);
      expect(gitIn(lab.root, "ls-tree", "-r", "--name-only", "main")).not.toContain("coverage");
      expect(gitIn(lab.root, "show", "refs/lockstep/saved/lab/A/1:report/coverage.txt")).toBe("A");
      expect(gitIn(lab.root, "show", "refs/lockstep/saved/lab/B/1:report/coverage.txt")).toBe("B");
    },
  );
});

describe("what a person lets pass", () => {
  const answered = async (lab: Lab, option: string): Promise<void> => {
    expect((await runLab(lab)).outcome).toBe("needs_person");
    const [item] = await lab.context.store.openItems(lab.project.id, lab.plan.id, 10);
    await answer(lab, item!.id, option);
    expect((await runLab(lab)).outcome).toBe("done");
  };

  test.each(["keep_mine", "allow"])("protected files, %s: the rest of the work lands", async (option) => {
    const lab = await makeLab({
      kind: "repository",
      config: { workspace: { mode: "worktree" }, protect: ["check.sh"] },
      files: { "check.sh": "exit 0\n" },
      agent: "echo done > out.txt; echo '# mine' >> check.sh",
      tasks: [{ id: "A", verify: "bash check.sh && test -f out.txt" }],
    });
    await answered(lab, option);
    expect(gitIn(lab.root, "show", "lockstep/lab:out.txt")).toBe("done");
    expect(gitIn(lab.root, "show", "lockstep/lab:check.sh")).toBe(option === "allow" ? "exit 0\n# mine" : "exit 0");
  });

  test("red_first: checks that were green before the work are asked about, red ones are not", async () => {
    const lab = await makeLab({
      kind: "repository",
      agent: 'echo done > "$LOCKSTEP_TASK_ID.txt"',
      defaults: { red_first: true },
      tasks: [
        { id: "A", verify: "test -f A.txt" },
        { id: "B", verify: "test -d .git" },
      ],
    });
    await answered(lab, "allow");
    expect(await statesIn(lab)).toEqual({ A: "verified", B: "verified" });
    const [asked] = (await eventsIn(lab)).filter(({ type }) => type === "item.opened");
    expect(asked).toMatchObject({
      task: "B",
      data: { item: { text: "already green before the work, so it proves nothing of it: `test -d .git`" } },
    });
    expect((await checksOf(lab, "A")).map(({ outcome }) => outcome)).toEqual(["red", "green"]);
  });
});

test("clean: true checks without what earlier checks left, and sets the place up anew", async () => {
  const lab = await makeLab({
    kind: "repository",
    config: { workspace: { mode: "worktree", setup: ["echo set up >> ignored"] } },
    agent: 'echo "$LOCKSTEP_TASK_ID" > "$LOCKSTEP_TASK_ID.txt"',
    tasks: [
      { id: "A", verify: "echo left >> ignored; test -f A.txt" },
      { id: "B", depends_on: ["A"], verify: 'test "$(wc -l < ignored)" -eq 2' },
      { id: "C", depends_on: ["B"], clean: true, verify: 'test "$(cat ignored)" = "set up"' },
    ],
  });
  expect((await runLab(lab)).outcome).toBe("done");
});

describe("guards", () => {
  test("green before and red after: by the task, which gets another try", async () => {
    const lab = await makeLab({
      kind: "repository",
      agent:
        'if [ -e "$ASIDE/again" ]; then git checkout -q good.txt; else touch "$ASIDE/again"; rm good.txt; fi; echo done > out.txt',
      files: { "good.txt": "good" },
      tasks: [{ id: "A", verify: "test -f out.txt", guards: ["test -f good.txt"] }],
    });
    expect((await runLab(lab)).outcome).toBe("done");
    const checks = (await checksOf(lab, "A")).map(({ attempt, kind, outcome }) => [attempt, kind, outcome]);
    expect(checks).toEqual([
      [1, "guard", "green"],
      [1, "verify", "green"],
      [1, "guard", "red"],
      [1, "guard", "red"],
      [2, "verify", "green"],
      [2, "guard", "green"],
    ]);
    expect(await taskRow(lab, "A")).toMatchObject({ state: "verified", attempts: 2 });
  });

  /** Red in the runs of these numbers, the first of which is before the work. */
  const redIn = (...runs: number[]): string =>
    `n=$(cat "$ASIDE/n" || echo 0); echo $((n + 1)) > "$ASIDE/n"; [[ ! " ${runs.join(" ")} " =~ " $n " ]]`;
  const withGuard = (guard: string): Promise<Lab> =>
    makeLab({
      kind: "repository",
      agent: 'echo "$LOCKSTEP_TASK_ID" > "$LOCKSTEP_TASK_ID.txt"',
      tasks: [{ id: "A", verify: "test -f A.txt", guards: [guard] }],
    });
  const outcomes = async (lab: Lab) => (await checksOf(lab, "A")).map(({ kind, outcome }) => `${kind} ${outcome}`);

  test("red once and then green on the same tree: flaky, told, and no try spent", async () => {
    const lab = await withGuard(redIn(1));
    expect((await runLab(lab)).outcome).toBe("done");
    expect(await outcomes(lab)).toEqual(["guard green", "verify green", "guard red", "guard green"]);
    expect(await taskRow(lab, "A")).toMatchObject({ attempts: 1, tries: 0 });
    const told = (await eventsIn(lab)).filter(({ type }) => type === "check.flaky");
    expect(told.map(({ data }) => data)).toMatchObject([{ command: redIn(1), reds: 1 }]);
  });

  test("red twice on the same tree: by the task; one that is known to be flaky is given more chances", async () => {
    const lab = await makeLab({
      kind: "repository",
      agent: 'echo "$LOCKSTEP_TASK_ID" > "$LOCKSTEP_TASK_ID.txt"',
      tasks: [
        { id: "A", verify: "test -f A.txt", guards: [redIn(1, 2, 3, 5, 6, 7)] },
        { id: "B", depends_on: ["A"], verify: "test -f B.txt", guards: [redIn(1, 2, 3, 5, 6, 7)] },
      ],
    });
    expect((await runLab(lab)).outcome).toBe("done");
    const lines = async (task: string) =>
      (await checksOf(lab, task))
        .filter(({ kind }) => kind === "guard")
        .map(({ attempt, outcome }) => [attempt, outcome]);
    // Runs 1 and 2 are of the first attempt; 3 is red and 4 green on one tree.
    expect(await lines("A")).toEqual([
      [1, "green"],
      [1, "red"],
      [1, "red"],
      [2, "red"],
      [2, "green"],
    ]);
    // What the second task starts from is the tree of run 4.
    expect(await lines("B")).toEqual([
      [1, "red"],
      [1, "red"],
      [1, "red"],
      [1, "green"],
    ]);
  });

  test("green until the target moved, and red on the new tip: a setback, and no try spent", async () => {
    const guard = "! { test -f clash.txt && ! test -f mended.txt; }";
    const lab = await makeLab({
      kind: "repository",
      config: { workspace: { mode: "worktree" } },
      agent: "echo A > A.txt; test ! -f clash.txt || touch mended.txt",
      tasks: [{ id: "A", verify: "test -f A.txt", guards: [guard] }],
    });
    const { workspace } = lab.context;
    const land: typeof workspace.land = async (task, candidate) => {
      if (task.n === 1) await landBeside(lab.context, "clash.txt");
      return workspace.land(task, candidate);
    };
    const moved = { ...lab, context: { ...lab.context, workspace: { ...workspace, land } } };
    expect((await runLab(moved)).outcome).toBe("done");
    expect(await taskRow(lab, "A")).toMatchObject({ attempts: 2, tries: 0, conflicts: 1 });
    const back = (await eventsIn(lab)).filter(({ type }) => type === "task.requeued");
    expect(back.map(({ data }) => data)).toMatchObject([{ cause: "red_together" }]);
    expect(gitIn(lab.root, "ls-tree", "--name-only", "lockstep/lab")).toContain("mended.txt");
  });

  const redBefore = (): Promise<Lab> =>
    makeLab({
      kind: "repository",
      agent: 'echo done > "$LOCKSTEP_TASK_ID.txt"',
      defaults: { guards: ['test -e "$ASIDE/mended"'] },
      tasks: [{ id: "A", verify: "test -f A.txt" }],
    });

  test("red before: one item in the inbox, no try spent; when it is mended and answered, the work lands as it is", async () => {
    const lab = await redBefore();
    expect((await runLab(lab)).outcome).toBe("needs_person");
    expect(await taskRow(lab, "A")).toMatchObject({ state: "blocked", reason: "base_red", tries: 0 });
    const items = await lab.context.store.openItems(lab.project.id, lab.plan.id, 10);
    expect(items).toHaveLength(1);
    expect(items[0]).toMatchObject({
      task: "A",
      kind: "checks",
      options: [{ name: "check_again" }, { name: "retry" }, { name: "fail" }],
    });
    writeFileSync(join(lab.aside, "mended"), "");
    await answer(lab, items[0]!.id, "check_again");
    expect((await runLab(lab)).outcome).toBe("done");
    expect(landedTasks(lab)).toEqual(["A"]);
    expect((await taskRow(lab, "A")).attempts).toBe(1);
  });

  test("red before for many: one question, whose answer is for all whom it holds", async () => {
    const lab = await makeLab({
      kind: "repository",
      agent: 'echo done > "$LOCKSTEP_TASK_ID.txt"',
      config: { workspace: { mode: "worktree" } },
      defaults: { guards: ['test -e "$ASIDE/mended"'] },
      tasks: ["A", "B", "C"].map((id) => ({ id, verify: `test -f ${id}.txt` })),
    });
    expect((await runLab(lab, { jobs: 3 })).outcome).toBe("needs_person");
    const { store } = lab.context;
    const items = await store.openItems(lab.project.id, lab.plan.id, 10);
    const [asked, ...more] = askedTogether(items);
    expect([asked?.tasks.sort(), more]).toEqual([["A", "B", "C"], []]);
    expect((await store.summary(lab.plan.id))?.open_items).toBe(1);
    writeFileSync(join(lab.aside, "mended"), "");
    const command = { plan: lab.plan.id, item: asked!.item.id, option: "check_again", text: null };
    expect(await answerAll(lab.context, command)).toMatchObject({ ok: true });
    expect(await answerAll(lab.context, command)).toMatchObject({ ok: false, rejection: { code: "item_closed" } });
    expect((await runLab(lab, { jobs: 3 })).outcome).toBe("done");
    expect((await attemptsOf(lab, "B")).length).toBe(1);
  });

  test("red before, until another task mends it: those whom it held go on by themselves, and what is red then is their own", async () => {
    const lab = await makeLab({
      kind: "repository",
      agent:
        'case "$LOCKSTEP_TASK_ID" in Z) touch mended;; B) test -e B.txt && rm -f broken || touch broken;; esac; echo done > "$LOCKSTEP_TASK_ID.txt"',
      config: { workspace: { mode: "worktree" } },
      defaults: { guards: ["test -e mended && test ! -e broken"] },
      tasks: ["A", "B", "Z"].map((id) => ({ id, verify: `test -f ${id}.txt` })),
    });
    expect((await runLab(lab, { jobs: 1 })).outcome).toBe("done");
    expect(await statesIn(lab)).toEqual({ A: "verified", B: "verified", Z: "verified" });
    const events = await eventsIn(lab);
    const moves = (id: string) =>
      events.flatMap(({ type, task, data }) =>
        task === id && type.startsWith("task.") && "cause" in data ? data.cause : [],
      );
    expect(moves("A")).toEqual(["claimed", "work_done", "base_red", "answered", "landed"]);
    expect(moves("B").slice(2, 5)).toEqual(["base_red", "answered", "checks_red"]);
  });

  test("check_again after others worked in the same place never lands their files as this task's", async () => {
    const lab = await makeLab({
      kind: "repository",
      agent: 'test "$LOCKSTEP_TASK_ID" != B || { echo half > B.txt; exit 1; }; echo done > "$LOCKSTEP_TASK_ID.txt"',
      defaults: { tries: 1 },
      tasks: [
        { id: "A", verify: "test -d .", guards: ['test -e "$ASIDE/mended"'] },
        { id: "B", verify: "test -d ." },
      ],
    });
    expect((await runLab(lab)).outcome).toBe("needs_person");
    expect(await statesIn(lab)).toEqual({ A: "blocked", B: "failed" });
    expect(gitIn(lab.root, "status", "--porcelain")).toBe("?? B.txt");
    writeFileSync(join(lab.aside, "mended"), "");
    const [item] = await lab.context.store.openItems(lab.project.id, lab.plan.id, 10);
    await answer(lab, item!.id, "check_again");
    expect((await runLab(lab)).outcome).toBe("failed");
    expect(await statesIn(lab)).toEqual({ A: "verified", B: "failed" });
    expect(gitIn(lab.root, "ls-tree", "--name-only", "main")).not.toContain("B.txt");
    expect(gitIn(lab.root, "show", "main:A.txt")).toBe("done");
    expect(gitIn(lab.root, "show", "refs/lockstep/saved/lab/B/1:B.txt")).toBe("half");
  });

  test("check_again while a worker has the same place waits for that worker", async () => {
    const { claimIn } = await import("../../fixtures/lab.ts");
    const { taskDone } = await import("../../../src/engine/external.ts");
    const lab = await makeLab({
      kind: "repository",
      tasks: [
        { id: "A", verify: "test -f A.txt", guards: ['test -e "$ASIDE/mended"'] },
        { id: "B", verify: "test -f B.txt" },
      ],
    });
    const first = await claimIn(lab, "A");
    writeFiles(lab.root, { "A.txt": "A" });
    await taskDone(lab.context, { plan: lab.plan, task: "A", token: first.lease.token, summary: null });
    expect((await taskRow(lab, "A")).state).toBe("blocked");
    const second = await claimIn(lab, "B");
    writeFiles(lab.root, { "B.txt": "B" });
    writeFileSync(join(lab.aside, "mended"), "");
    const [item] = await lab.context.store.openItems(lab.project.id, lab.plan.id, 10);
    await answer(lab, item!.id, "check_again");
    await taskDone(lab.context, { plan: lab.plan, task: "B", token: second.lease.token, summary: null });
    expect(await taskRow(lab, "B")).toMatchObject({ state: "verified" });
    expect(gitIn(lab.root, "ls-tree", "--name-only", "main")).not.toContain("A.txt");
    expect(gitIn(lab.root, "show", "refs/lockstep/saved/lab/A/1:A.txt")).toBe("A");
  });
});

async function answer(lab: Lab, item: string, option: string): Promise<void> {
  const told = await lab.context.store.submit(
    { type: "item.answer", plan: lab.plan.id, item, option, text: null },
    { actor: "anna" },
  );
  expect(told).toMatchObject({ ok: true });
}

describe("a check that could not be started", () => {
  test("by a program that the machine has not is nobody's fault: no try, put off, and then a person", async () => {
    const lab = await one("no-such-linter --all");
    expect((await runLab(lab, { maxWaitMs: 0 })).outcome).toBe("parked");
    const text =
      "verify `no-such-linter --all` could not be run: there is no program `no-such-linter` on the PATH of checks: install it and have it checked again, or mend the check in the plan, load that and retry\nbash: line 1: no-such-linter: command not found\n";
    expect(await taskRow(lab, "A")).toMatchObject({
      state: "claimed_done",
      tries: 0,
      environment: 1,
      last_error: text,
    });
    expect(await checksOf(lab, "A")).toMatchObject([{ outcome: "error", exit_code: 127 }]);
  });

  test("because its script is not in the tree is by the task that was to write it, and says what that means", async () => {
    const lab = await one("./check.sh");
    expect((await runLab(lab)).outcome).toBe("failed");
    expect(await taskRow(lab, "A")).toMatchObject({
      tries: 1,
      last_error:
        "verify `./check.sh` ended with 127 (the shell found no such command or file): bash: line 1: ./check.sh: No such file or directory",
    });
    const unexecutable = await one("./out.txt");
    expect((await runLab(unexecutable)).outcome).toBe("failed");
    expect((await taskRow(unexecutable, "A")).last_error).toMatch(
      /^verify `\.\/out\.txt` ended with 126 \(what it names cannot be executed\): /,
    );
  });

  test("before the work is no excuse for a guard that is red once it can be: that is by the task", async () => {
    const aside = mkdtempSync(join(tmpdir(), "lockstep-guard-"));
    onTestFinished(() => rmSync(aside, { recursive: true }));
    const guard = join(aside, "guard");
    const lab = await makeLab({
      kind: "repository",
      agent: `echo done > out.txt; printf '#!/bin/sh\nexit 1\n' > ${guard}; chmod +x ${guard}`,
      defaults: { tries: 1 },
      tasks: [{ id: "A", verify: "test -f out.txt", guards: [guard] }],
    });
    expect((await runLab(lab)).outcome).toBe("failed");
    expect(await taskRow(lab, "A")).toMatchObject({
      state: "failed",
      tries: 1,
      last_error: `guard \`${guard}\` ended with 1`,
    });
    const guards = (await checksOf(lab, "A")).filter(({ kind }) => kind === "guard");
    expect(guards.map(({ outcome }) => outcome)).toEqual(["error", "red", "red"]);
  });
});
