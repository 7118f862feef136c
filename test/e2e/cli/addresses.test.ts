/** How tasks and plans are named, whatever their ids hold. */

import { expect, test } from "vitest";
import type { Claim, Refusal } from "./lab.ts";
import { Lab } from "./lab.ts";

const task = (id: string) => ({ id, title: `Task ${id}`, verify: "test -f x" });

test("exact beats prefix, a unique prefix is enough, and an ambiguous one names the candidates", async () => {
  const lab = new Lab();
  await lab.load({ plan: "p", tasks: [task("F-1"), task("F-10"), task("G-1")] });
  expect((await lab.json(["why", "F-1"])).id).toBe("F-1");
  expect((await lab.json(["why", "G"])).id).toBe("G-1");
  const { error } = await lab.json<Refusal>(["why", "F"], 2);
  expect(error).toEqual({
    code: "ambiguous_task",
    message: "several tasks begin with F: F-1, F-10",
    hint: "Write more of its id.",
    candidates: ["F-1", "F-10"],
  });
  expect((await lab.json<Refusal>(["why", "X"], 2)).error.code).toBe("unknown_task");
});

test("PLAN/TASK names a task of another plan, and a task whose id looks so is still found first", async () => {
  const lab = new Lab();
  await lab.load({ plan: "one", tasks: [task("two/a"), task("b")] });
  await lab.load({ plan: "two", tasks: [task("a"), task("only")] }, "two.json");
  const several = await lab.json<Refusal>(["status"], 2);
  expect(several.error).toMatchObject({ code: "ambiguous_plan", candidates: ["one", "two"] });
  expect(await lab.json(["use", "one"])).toEqual({ plan: "one" });
  expect((await lab.json(["task", "show", "two/a"])).title).toBe("Task two/a");
  expect((await lab.json(["task", "show", "two/only"])).title).toBe("Task only");
  expect((await lab.json(["--plan", "two", "task", "show", "a"])).title).toBe("Task a");
  expect(await lab.json(["status"])).toMatchObject({ plan: "one" });
  expect((await lab.json<Refusal>(["status", "--plan", "three"], 2)).error.message).toBe("there is no plan three");
});

test("#N names an attempt, unless a task is called so", async () => {
  const lab = new Lab();
  await lab.load({ plan: "p", tasks: [task("a"), task("a#1")] });
  const claim = await lab.json<Claim>(["claim", "a"]);
  await lab.json(["task", "fail", "a", "--token", String(claim.token)]);
  expect((await lab.json(["task", "show", "a#1"])).id).toBe("a#1");
  const { error } = await lab.json<Refusal>(["task", "show", "a#2"], 2);
  expect(error).toEqual({ code: "unknown_attempt", message: "a has no attempt 2", hint: "Its attempts are 1 to 1." });
});

const ODD = [
  "two words",
  "a/b/c",
  "../up",
  "..",
  "-dash",
  "--json",
  "🚀 launch",
  "購物車",
  "it's",
  'say "hi"',
  "$(touch hacked)",
  "tab#9",
  "x".repeat(300),
];

test("a task may be called almost anything, from loading to landing", async () => {
  const lab = new Lab({ git: true, config: "workspace: {mode: in_place}\n" });
  await lab.load(
    { plan: "odd", tasks: ODD.map((id, i) => ({ ...task(id), verify: `test -f file-${i}` })) },
    "../plan.json",
  );
  for (const [i, id] of ODD.entries()) {
    const claim = await lab.json<Claim>(["claim", "--", id]);
    expect(claim.task).toBe(id);
    lab.write(`file-${i}`, "");
    expect(await lab.json(["task", "done", "--token", String(claim.token), "--", id])).toMatchObject({
      task: id,
      state: "verified",
    });
    expect((await lab.json(["task", "show", "--", id])).id).toBe(id);
  }
  expect(await lab.json(["status"])).toMatchObject({ completion_pct: 100 });
  expect(lab.git("status", "--porcelain")).toBe("");
});

test("an id with a dash needs `--`, and the refusal says so", async () => {
  const lab = new Lab();
  await lab.load({ plan: "p", tasks: [task("-x")] });
  const { code, stderr } = await lab.run(["why", "-x"]);
  expect(code).toBe(2);
  expect(stderr).toContain("an argument that begins with a dash stands behind `--`");
});
