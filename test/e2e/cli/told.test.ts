/** What a run says of changes outside a task's files and of hooks that failed, to people and to scripts. */

import { expect, test } from "vitest";
import { Lab } from "./lab.ts";

const CONFIG = `
agents:
  good: {adapter: command, command: [bash, -c, "echo {task_id} > {slug}; echo x > beside.txt"]}
defaults: {agent: good, retry_delay: 1ms}
workspace: {mode: worktree}
hooks: {task_settled: "echo nobody hears >&2; exit 4", run_ended: "exit 5"}
`;

const PLAN = { plan: "p", tasks: [{ id: "a", title: "a", verify: "test -s a", files_owned: ["a"] }] };

const OUTSIDE = "1 file outside files_owned: beside.txt";

test("files that a task does not own are named while the run goes on, at its end, and wherever the task is shown", async () => {
  const lab = new Lab({ git: true, config: CONFIG });
  await lab.load(PLAN, "../plan.json");
  const run = await lab.run(["run"]);
  expect(run.code).toBe(0);
  expect(run.stderr).toContain(`outside   a#1  ${OUTSIDE}\n`);
  expect(run.stdout).toContain(`outside  a  ${OUTSIDE}\n`);
  expect((await lab.run(["task", "show", "a"])).stdout).toContain(`  ${OUTSIDE}\n`);
  expect((await lab.run(["events"])).stdout).toContain(`scope.warned  a#1  ${OUTSIDE}\n`);
  expect(await lab.json(["task", "show", "a"])).toMatchObject({
    state: "verified",
    attempts: [{ outside: { paths: ["beside.txt"], total: 1 } }],
  });
});

test("hooks that fail are told of and change nothing; the end of the run stays the last line of its stream", async () => {
  const lab = new Lab({ git: true, config: CONFIG });
  await lab.load(PLAN, "../plan.json");
  const run = await lab.run(["run", "--json"]);
  expect(run.code).toBe(0);
  const events = run.stdout
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as { type: string; task?: string; data: Record<string, unknown> });
  expect(events.filter(({ type }) => type === "hook.failed")).toMatchObject([
    { task: "a", data: { hook: "task_settled", outcome: "red", exit_code: 4, tail: "nobody hears\n" } },
    { data: { hook: "run_ended", outcome: "red", exit_code: 5, tail: "" } },
  ]);
  expect(events.at(-1)).toMatchObject({ type: "run.ended", data: { outcome: "done" } });
  const told = (await lab.run(["events"])).stdout;
  expect(told).toContain("hook.failed  a#1  task_settled red, exit 4: nobody hears\n");
  expect(told).toMatch(/hook\.failed {2}run_ended red, exit 5\n$/);
});
