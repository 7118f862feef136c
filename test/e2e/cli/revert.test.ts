/** The landing of a verified task is undone by a new task. */

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { type Claim, Lab, type Refusal } from "./lab.ts";

const task = (id: string, more: object = {}) => ({ id, title: `Task ${id}`, verify: `test -s ${id}`, ...more });
const GUARDED = { guards: ["test -f README"] };

async function done(lab: Lab, id: string, files: Record<string, string>): Promise<void> {
  const { token, workspace } = await lab.json<Claim>(["claim", id]);
  for (const [name, text] of Object.entries(files)) writeFileSync(join(workspace, name), text);
  await lab.json(["task", "done", id, "--token", String(token)]);
}

async function labWith(tasks: object[], config = "agents: {}\n"): Promise<Lab> {
  const lab = new Lab({ git: true, config });
  await lab.load({ plan: "p", tasks }, "../plan.json");
  return lab;
}

const shown = (lab: Lab, name: string): string => lab.git("show", `lockstep/p:${name}`);

test("it is undone at once, under its guards, and stays on record; undoing that brings it back", async () => {
  const lab = await labWith([task("a", GUARDED), task("b", GUARDED)]);
  await done(lab, "a", { a: "1", README: "changed" });
  await done(lab, "b", { b: "1" });
  expect(await lab.json(["revert", "a"])).toMatchObject({ task: "revert-a", state: "verified" });
  expect(shown(lab, "README")).toBe("a project");
  expect(lab.git("ls-tree", "--name-only", "lockstep/p").split("\n")).toEqual(["README", "b", "lockstep.yaml"]);
  expect(await lab.json(["task", "show", "a"])).toMatchObject({ state: "verified" });
  expect(await lab.json(["prove"])).toMatchObject({ ok: true });
  expect(await lab.json(["revert", "revert-a"])).toMatchObject({ task: "revert-revert-a", state: "verified" });
  expect(shown(lab, "a")).toBe("1");
  expect(await lab.json(["revert", "a"])).toMatchObject({ task: "revert-a-2", state: "verified" });
  expect((await lab.json<Refusal>(["revert", "a"], 1)).error.message).toBe("what a brought is undone already");
});

test("a finished plan is joined with its base without the checks of what was undone", async () => {
  const lab = await labWith([task("a", GUARDED), task("b", GUARDED)]);
  await done(lab, "a", { a: "1" });
  await done(lab, "b", { b: "1" });
  expect(await lab.json(["revert", "a", "--verify", "test ! -e a"])).toMatchObject({ state: "verified" });
  lab.write("other", "1");
  lab.commit("meanwhile");
  lab.git("switch", "--quiet", "-c", "elsewhere");
  expect(await lab.json(["finish"])).toMatchObject({ checks: 3 });
});

test("where later work changed the same places it is left to an agent, who is told what to undo", async () => {
  const config =
    'agents: {fixer: {adapter: command, command: [bash, -c, "cat > ../brief; printf fixed > shared"]}}\ndefaults: {agent: fixer}\n';
  const lab = await labWith([task("a"), task("b", { depends_on: ["a"] })], config);
  await done(lab, "a", { a: "1", shared: "one\n" });
  await done(lab, "b", { b: "1", shared: "two\n" });
  expect(await lab.json<Refusal>(["revert", "a", "--verify", "grep fixed shared"], 1)).toEqual({
    error: {
      code: "dependants_relied",
      message: "a cannot be reverted: b relied on it",
      hint: "Revert those first, or pass --despite-dependants where they go well without it.",
    },
  });
  const { stdout, stderr } = await lab.run(["revert", "a", "--verify", "grep fixed shared", "--despite-dependants"]);
  expect(stderr).toBe("these relied on a: b\n");
  expect(stdout).toBe(
    "revert-a waits for `lockstep run`, or a worker: later work changed the same places, so it is left to an agent: shared\n",
  );
  expect((await lab.json<Refusal>(["revert", "a", "--unchecked", "--despite-dependants"], 1)).error.message).toBe(
    "revert-a undoes a already",
  );
  expect((await lab.run(["run"])).code).toBe(0);
  expect(shown(lab, "shared")).toBe("fixed");
  expect(await lab.json(["task", "show", "revert-a"])).toMatchObject({
    state: "verified",
    attempts: [{ outcome: "interrupted" }, { outcome: "succeeded" }],
  });
});

test("it is refused where nothing would check it, or nothing landed", async () => {
  const lab = await labWith([task("a", { changes: "optional", verify: "test -f README" }), task("b")]);
  const refusal = async (...args: string[]): Promise<string> =>
    (await lab.json<Refusal>(["revert", ...args], args.includes("true") ? 2 : 1)).error.message;
  expect(await refusal("b")).toBe("b has not landed: it is pending");
  await done(lab, "a", {});
  expect(await refusal("a")).toBe("no commit landed with a that could be undone");
  await done(lab, "b", { b: "1" });
  expect(await refusal("b")).toBe("nothing would check that b is well undone: its plan has no guards");
  expect(await refusal("b", "--verify", "true")).toBe('--verify "true" is always green');
  expect(await lab.json(["revert", "b", "--unchecked"])).toMatchObject({ state: "verified" });
});

test("what is undone badly does not land", async () => {
  const lab = await labWith([task("a", { guards: ["test -s a"], verify: "true", unchecked: true })]);
  await done(lab, "a", { a: "1" });
  expect((await lab.run(["revert", "a"])).code).not.toBe(0);
  expect(shown(lab, "a")).toBe("1");
});

test("in place the checkout is brought back", async () => {
  const lab = await labWith([task("a", GUARDED)], "workspace: {mode: in_place}\n");
  await done(lab, "a", { a: "1" });
  expect(await lab.json(["revert", "a"])).toMatchObject({ state: "verified" });
  expect(lab.git("ls-files").split("\n")).not.toContain("a");
  expect(lab.git("status", "--porcelain")).toBe("");
});
