/** What `status` and `why` say of a plan that does not go on: what failed, what is held, and what a person does next. */

import { expect, test } from "vitest";
import { readPlanFacts } from "../../../src/cli/plan-facts.ts";
import { readWaits } from "../../../src/cli/plan-waits.ts";
import { makeLab } from "../../fixtures/lab.ts";
import { Lab } from "./lab.ts";

test("after a run with failures status names what failed, why and what to do, and why names the commands", async () => {
  const lab = new Lab({
    config:
      'agents: {coder: {adapter: command, command: ["sh", "-c", "echo no idea >&2; exit 3"]}}\nworkspace: {mode: none}\n',
  });
  const tasks = [1, 2, 3, 4, 5, 6, 7].map((n) => ({ id: `F-${n}`, title: `T${n}`, verify: "test -d .", tries: 1 }));
  await lab.load({ plan: "p", tasks });
  expect((await lab.run(["run", "--agent", "coder"])).stdout).toContain("next: look at what failed");
  const { stdout } = await lab.run(["status"]);
  expect(stdout).toMatch(
    /\nfailed {5}F-1 {2}it ended with 3: no idea\n {11}F-2 {2}.*\n {11}F-3 {2}.*\n {11}F-4 {2}.*\n {11}F-5 {2}.*\n {11}and 2 more in `lockstep plan show p --state failed`\nnext {7}look at what failed, `lockstep task retry TASK`, then `lockstep run p`\n$/,
  );
  expect((await lab.run(["why", "F-1"])).stdout).toBe(
    "F-1  ✗ failed\n  failed: it ended with 3: no idea\n  next: `lockstep task show F-1` and `lockstep logs F-1` show what went wrong, `lockstep task retry F-1` tries it again\n",
  );
});

const command = { adapter: "command", command: ["true"] };

test("ready tasks are told by what holds each, and the earliest end of that comes next", async () => {
  const { context, plan, project } = await makeLab({
    kind: "none",
    tasks: ["second", "first", "first", "free"].map((agent, n) => ({
      id: `T${n}`,
      title: `T${n}`,
      agent,
      verify: "test -d .",
    })),
    defaults: { agent: "first" },
    config: {
      agents: {
        first: { ...command, account: "one" },
        second: { ...command, account: "two" },
        free: { ...command, account: "three" },
      },
    },
  });
  const soon = context.clock.now() + 600_000;
  const submit = (key: string, until: number, why: string) =>
    context.store.submit({ type: "hold.set", project: project.id, key, until, why }, { actor: "test" });
  await submit("account:one", soon + 1, "no money");
  await submit("account:two", soon, "no log-in");
  expect(await readWaits(context, plan.id, null)).toEqual({
    waits: [
      { count: 2, at_least: false, why: "ready: account one (of agent first) is held: no money" },
      { count: 1, at_least: false, why: "ready: account two (of agent second) is held: no log-in" },
      { count: 1, at_least: false, why: "ready" },
    ],
    opens_at: soon,
  });
});

test("a run of which every agent waits for a person says so above all else, and no longer once one is answered", async () => {
  const script = "lockstep self ask 'Which tax?' net gross; exec sleep 600";
  const agents = { coder: { adapter: "command", command: ["bash", "-c", script] } };
  const lab = new Lab({
    config: JSON.stringify({ agents, defaults: { agent: "coder" }, workspace: { mode: "none" } }),
  });
  await lab.load({ plan: "p", tasks: ["A", "B", "C"].map((id) => ({ id, title: id, verify: "test -d ." })) });
  const ended = lab.run(["run", "--jobs", "2"]);
  const needs = async () => (await lab.json<{ needs_you: number }>(["status"])).needs_you;
  await expect.poll(needs, { timeout: 30_000 }).toBe(2);
  const words = "places are taken by agents that wait for you";
  expect((await lab.run(["status"])).stdout).toMatch(new RegExp(`\\nall 2 ${words}: answer (i1, i2|i2, i1)\\n`));
  await lab.json(["answer", "i1", "net"]);
  expect((await lab.run(["status"])).stdout).not.toContain(words);
  await lab.run(["stop"]);
  await ended;
});

test("what no agent of the project draws on is counted, not listed", async () => {
  const { context, plan, project } = await makeLab({
    kind: "none",
    tasks: [{ id: "A", title: "A", verify: "test -d ." }],
    defaults: { agent: "first" },
    config: { agents: { first: { ...command, account: "one" } } },
  });
  const until = context.clock.now() + 600_000;
  for (const key of ["account:one", "account:two", "account:three"])
    await context.store.submit({ type: "hold.set", project: project.id, key, until, why: "x" }, { actor: "test" });
  const { holds, held_elsewhere } = await readPlanFacts(context.store, plan, async () => context);
  expect({ keys: holds.map(({ key }) => key), held_elsewhere }).toEqual({ keys: ["account:one"], held_elsewhere: 2 });
});
