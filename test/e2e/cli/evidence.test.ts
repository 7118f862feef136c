/** What a task has changed, and the proof of what was verified, as people and scripts ask for them. */

import { expect, test } from "vitest";
import type { Refusal } from "./lab.ts";
import { Lab } from "./lab.ts";

const CONFIG = `
agents:
  good: {adapter: command, command: [bash, -c, "echo {task_id} > {slug}"]}
  bad: {adapter: command, command: [bash, -c, "echo half > {slug}; exit 3"]}
  idle: {adapter: none}
defaults: {agent: good, retry_delay: 1ms}
workspace: {mode: worktree}
`;

const task = (id: string, more: Record<string, unknown> = {}) => ({ id, title: id, verify: `test -s ${id}`, ...more });

const patchOf = (file: string, line: string): string => `+++ b/${file}\n@@ -0,0 +1 @@\n+${line}\n`;

test("a task's diff is what it landed, or else the work of it that is kept", async () => {
  const lab = new Lab({ git: true, config: CONFIG });
  const tasks = [
    task("a"),
    task("b", { agent: "bad", tries: 1 }),
    task("c", { agent: "idle", verify: "test -s a", depends_on: ["a"] }),
    task("d", { depends_on: ["b"] }),
  ];
  await lab.load({ plan: "p", tasks }, "../plan.json");
  expect((await lab.run(["run"])).code).toBe(5);
  const landed = await lab.run(["diff", "a"]);
  expect(landed).toMatchObject({ code: 0, stderr: "" });
  expect(landed.stdout.startsWith("diff --git a/a b/a\nnew file mode 100644\n")).toBe(true);
  expect(landed.stdout.endsWith(patchOf("a", "a"))).toBe(true);
  expect(await lab.json(["diff", "b"])).toMatchObject({
    task: "b",
    landed: false,
    diff: expect.stringContaining(patchOf("b", "half")),
  });
  expect(await lab.run(["diff", "c"])).toEqual({ code: 0, stdout: "", stderr: "c changed nothing\n" });
  expect((await lab.json<Refusal>(["diff", "d"], 1)).error).toEqual({
    code: "no_work",
    message: "no work of d is kept as commits",
    hint: "It has neither landed nor left work behind: `lockstep why TASK` says how it stands.",
  });
  const proof = await lab.json<{ tasks: { id: string }[] }>(["prove"]);
  expect(proof).toMatchObject({
    ok: true,
    tasks: [{ id: "a", checks: [{ command: "test -s a", exit_code: 0 }] }, { id: "c" }],
  });
});

test("prove ends with 1 and says what is wrong", async () => {
  const lab = new Lab({ git: true, config: CONFIG });
  await lab.load({ plan: "p", tasks: [task("a"), task("b")] }, "../plan.json");
  expect((await lab.run(["run"])).code).toBe(0);
  const landed = lab.git("rev-parse", "--short=10", "refs/lockstep/attempts/p/a/1");
  const before = await lab.run(["prove"]);
  expect(before.code).toBe(0);
  expect(before.stdout).toContain(`✓ proved  a  landed ${landed}, 1 check\n`);
  expect(before.stdout).toContain("p: 2 of 2 verified tasks proved\n");
  const anew = await lab.run(["prove", "a", "--rerun"]);
  const proved = "p: 1 of 1 verified task proved";
  expect(anew).toEqual({
    code: 0,
    stdout: `✓ proved  a  landed ${landed}, 1 check, 1 green when run anew\n${proved}\n`,
    stderr: "",
  });
  lab.git("update-ref", "-d", "refs/lockstep/attempts/p/a/1");
  const { code, stdout } = await lab.run(["prove", "a"]);
  expect(code).toBe(1);
  expect(stdout).toBe(
    `✗ wrong  a  landed ${landed}, 1 check\n  the ref of its attempt 1 is gone\np: 0 of 1 verified task proved\n`,
  );
  expect(await lab.json(["prove"], 1)).toMatchObject({
    ok: false,
    tasks: [
      { id: "a", ok: false },
      { id: "b", ok: true },
    ],
  });
});

test("in a plain directory there is no diff, and prove says that nothing is landed", async () => {
  const lab = new Lab({ config: CONFIG.replace("worktree", "in_place") });
  await lab.load({ plan: "p", tasks: [task("a")] });
  expect((await lab.run(["run"])).code).toBe(0);
  expect((await lab.json<Refusal>(["diff", "a"], 1)).error.hint).toBe(
    "Nothing is landed in a plain directory: its files are all there is.",
  );
  expect((await lab.run(["prove"])).stdout).toBe(
    "✓ proved  a  nothing is landed here, 1 check\np: 1 of 1 verified task proved\n",
  );
});

test("finish brings the plan's work to a branch, and says why it does not", async () => {
  const lab = new Lab({ git: true, config: CONFIG });
  await lab.load({ plan: "p", tasks: [task("a")] }, "../plan.json");
  expect((await lab.json<Refusal>(["finish"], 1)).error).toEqual({
    code: "unfinished",
    message: "not every task of p is verified: a",
    hint: "`lockstep status` says how it stands; finish the plan first.",
  });
  expect((await lab.run(["run"])).code).toBe(0);
  const commit = lab.git("rev-parse", "lockstep/p");
  expect((await lab.json<Refusal>(["finish"], 1)).error.hint).toBe(
    "Pass --into BRANCH to have the branch that is checked out here moved.",
  );
  expect(await lab.run(["finish", "p", "--into", "main"])).toEqual({
    code: 0,
    stdout: `p is on main: ${commit}\n`,
    stderr: "",
  });
  expect(lab.git("rev-parse", "main")).toBe(commit);
  expect(lab.git("status", "--porcelain")).toBe("");
  expect(await lab.json(["finish", "--into", "main"])).toEqual({
    plan: "p",
    into: "main",
    from: commit,
    commit,
    checks: 0,
  });
});
