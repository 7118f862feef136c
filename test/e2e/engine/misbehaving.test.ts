/** Agents that fail, hang, flood, fork, or take git into their own hands: the right outcome, and a plain word for it. */

import { existsSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import {
  agentFile,
  attemptsOf,
  gitIn,
  type Lab,
  type LabWish,
  landedTasks,
  makeLab,
  readText,
  runLab,
  taskRow,
} from "../../fixtures/lab.ts";
import { leftProcesses } from "../../fixtures/lab-process.ts";

const NODE = process.execPath;

describe("agents that misbehave", () => {
  const misbehaves = (name: string, over: Partial<LabWish> = {}): Promise<Lab> =>
    makeLab({
      kind: "repository",
      argv: [NODE, agentFile(name)],
      defaults: { tries: 1, timeout: "60s" },
      files: { "check.sh": "test -f out.txt\n", ".gitattributes": "" },
      tasks: [{ id: "A", verify: "bash check.sh" }],
      ...over,
    });

  const ended = async (lab: Lab) => {
    const { outcome } = await runLab(lab);
    const { state, last_error } = await taskRow(lab, "A");
    return { outcome, state, last_error };
  };

  test("one that exits 1 has failed, with its last words", async () => {
    const lab = await misbehaves("exits-1");
    expect(await ended(lab)).toEqual({
      outcome: "failed",
      state: "failed",
      last_error: "it ended with 1: no model today",
    });
  });

  test("one that hangs is ended at its time limit", async () => {
    const lab = await misbehaves("hangs", { defaults: { tries: 1, timeout: "1500ms" } });
    const { last_error, ...end } = await ended(lab);
    expect(end).toEqual({ outcome: "failed", state: "failed" });
    expect(last_error).toMatch(/^no end within 1\.5 s(: thinking)?$/);
    expect((await attemptsOf(lab, "A"))[0]).toMatchObject({ outcome: "timed_out" });
    expect(leftProcesses(lab)).toEqual([]);
  });

  test("OMW: what one leaves running, also in sessions of its own, is ended with it", async () => {
    const lab = await misbehaves("leaves-children");
    expect(await ended(lab)).toEqual({ outcome: "done", state: "verified", last_error: null });
    expect(leftProcesses(lab)).toEqual([]);
  });

  test("one that closes its standard input at once, before a long prompt is written, does its work all the same", async () => {
    const lab = await misbehaves("closes-stdin", {
      tasks: [{ id: "A", prompt: "blah ".repeat(400_000), verify: "bash check.sh" }],
    });
    expect(await ended(lab)).toEqual({ outcome: "done", state: "verified", last_error: null });
  });

  test("one that prints 50 MB is kept in bounds: head, tail, and a row of 4,000 characters", async () => {
    const lab = await misbehaves("prints-50-mb");
    expect(await ended(lab)).toEqual({ outcome: "done", state: "verified", last_error: null });
    const { summary } = (await attemptsOf(lab, "A"))[0]!;
    expect(summary!.length).toBeLessThanOrEqual(4_000);
    expect(summary!.endsWith("the last word")).toBe(true);
    const folder = join(lab.aside, "state", "lockstep");
    const logs = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) =>
      name.endsWith("A-1/transcript.log"),
    );
    expect(logs).toHaveLength(1);
    expect(statSync(join(folder, logs[0]!)).size).toBeLessThan(10 * 1024 * 1024);
  });

  test("OMP OMW: one that is missing has failed, and the loop goes on", async () => {
    const lab = await misbehaves("x", { argv: ["no-such-agent", "{task_id}"] });
    expect(await ended(lab)).toEqual({
      outcome: "failed",
      state: "failed",
      last_error:
        'it could not be started: no program "no-such-agent": give its path, or put its directory on the PATH',
    });
  });

  test("OMP OMW: a task whose agent is not configured has failed by name", async () => {
    const lab = await misbehaves("exits-1");
    const end = await runLab(lab, { agent: "nobody" });
    expect(end.outcome).toBe("failed");
  });

  test("one that commits by itself: its work is checked and lands once, as one commit of the engine's", async () => {
    const lab = await misbehaves("commits");
    expect(await ended(lab)).toMatchObject({ outcome: "done", state: "verified" });
    expect(gitIn(lab.root, "log", "--format=%s", "main")).toBe("A\nfirst");
    expect(gitIn(lab.root, "for-each-ref", "--format=%(subject)", "refs/lockstep/saved")).toContain(
      "I did it all by myself",
    );
    expect(gitIn(lab.root, "status", "--porcelain")).toBe("");
  });

  test("one that commits by itself and is red moves nothing", async () => {
    const lab = await misbehaves("commits", { files: { "check.sh": "exit 1\n" } });
    expect((await ended(lab)).outcome).toBe("failed");
    expect(gitIn(lab.root, "log", "--format=%s", "main")).toBe("first");
    expect(gitIn(lab.root, "symbolic-ref", "HEAD")).toBe("refs/heads/main");
    expect(readText(lab.root, "out.txt")).toBe("done\n");
  });

  test("one that switches to a branch of its own: the work lands on the target, and its branch stays", async () => {
    const lab = await misbehaves("switches-branch");
    expect(await ended(lab)).toMatchObject({ outcome: "done", state: "verified" });
    expect(landedTasks(lab)).toEqual(["A"]);
    expect(gitIn(lab.root, "symbolic-ref", "HEAD")).toBe("refs/heads/main");
    expect(gitIn(lab.root, "log", "--format=%s", "-1", "my-branch")).toBe("on my branch");
    expect(gitIn(lab.root, "status", "--porcelain")).toBe("");
  });

  test("one that deletes the repository has failed, and nothing is made anew in its place", async () => {
    const lab = await misbehaves("deletes-git");
    const { state, last_error } = await ended(lab);
    expect(state).toBe("failed");
    expect(last_error).toBe(
      `no git repository at ${lab.root}: its .git is gone or broken; restore it, or run \`git init\``,
    );
    expect(existsSync(join(lab.root, ".git"))).toBe(false);
    expect(readText(lab.root, "out.txt")).toBe("done\n");
  });

  test("one that leaves the index half staged: what lands are the files", async () => {
    const lab = await misbehaves("stages-half");
    expect(await ended(lab)).toMatchObject({ outcome: "done", state: "verified" });
    expect(gitIn(lab.root, "show", "main:out.txt")).toBe("done");
    expect(gitIn(lab.root, "status", "--porcelain")).toBe("");
  });

  test("one that makes a repository inside the repository has failed, and is told what to do", async () => {
    const lab = await misbehaves("nests-a-repository");
    const { state, last_error } = await ended(lab);
    expect(state).toBe("failed");
    expect(last_error).toBe(
      '"inner" is a repository of its own, whose files git would leave out: remove its .git, or ignore it',
    );
    expect(readText(lab.root, "inner", "file.txt")).toBe("lost?\n");
  });

  test("one that edits a protected file waits for a person, and nothing of it lands", async () => {
    const lab = await misbehaves("edits-a-test", { config: { protect: ["*.sh"] } });
    const { outcome, state } = await ended(lab);
    expect({ outcome, state }).toEqual({ outcome: "needs_person", state: "blocked" });
    const [item, ...more] = await lab.context.store.openItems(lab.project.id, lab.plan.id, 10);
    expect(item).toMatchObject({ task: "A", kind: "checks", text: "protected files were changed: check.sh" });
    expect(more).toEqual([]);
    expect(landedTasks(lab)).toEqual([]);
    const { store, actor } = lab.context;
    await store.submit(
      { type: "item.answer", plan: lab.plan.id, item: item!.id, option: "allow", text: null },
      { actor },
    );
    expect((await runLab(lab)).outcome).toBe("done");
    expect(landedTasks(lab)).toEqual(["A"]);
  });

  test("one that changes nothing where changes are required has failed", async () => {
    const lab = await misbehaves("exits-1", {
      argv: ["true"],
      tasks: [{ id: "A", verify: "test -d .", changes: "required" }],
    });
    expect(await ended(lab)).toEqual({
      outcome: "failed",
      state: "failed",
      last_error: "the task requires changes, and the attempt left none",
    });
  });
});
