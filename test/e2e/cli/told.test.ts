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

test("a check whose program the machine has not is told with what to do, in the run, in `why` and in `status`", async () => {
  const lab = new Lab({ git: true, config: CONFIG });
  await lab.load({ plan: "p", tasks: [{ id: "a", title: "a", verify: "no-such-linter" }] }, "../plan.json");
  const run = await lab.run(["run", "--no-wait"]);
  expect(run.code).toBe(75);
  const missing = "there is no program `no-such-linter` on the PATH of checks: install it and have it checked again";
  expect(run.stderr).toMatch(
    /\nnot run {3}a#1 {2}verify `no-such-linter` could not be run, exit 127, [\d.]+ s, on the candidate: there is no/,
  );
  expect((await lab.run(["why", "a"])).stdout).toContain(
    `claimed_done: it is landed again later: verify \`no-such-linter\` could not be run: ${missing}`,
  );
  expect((await lab.run(["status"])).stdout).toContain(
    "put off: verify `no-such-linter` could not be run: there is no",
  );
  expect(await lab.json(["task", "show", "a"])).toMatchObject({ state: "claimed_done" });
});
