/** What a plan used and cost: told by its agents, priced by its table, partial where an agent was cut off, else unknown. */

import { once } from "node:events";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { Lab } from "./lab.ts";

/** Tells a model and what it used so far; `hangs` then waits, the first time. */
const says = (usage: string): string =>
  `echo '{"type":"session","session":"s","model":"m-1"}'; echo '{"type":"usage",${usage}}'`;

const ENDS = `echo '{"type":"result"}'`;

const CONFIG = `
agents:
  plain: {adapter: command, command: [bash, -c, ${JSON.stringify(`${says('"input":1000000,"output":100')}; ${ENDS}`)}]}
  own: {adapter: command, command: [bash, -c, ${JSON.stringify(`${says('"input":7,"cost_usd":0.25')}; ${ENDS}`)}]}
  mute: {adapter: command, command: ["true"]}
  hangs: {adapter: command, command: [bash, -c, ${JSON.stringify(`${says('"input":500000')}; if ! test -f once; then touch once; touch at-work; sleep 600; fi; ${ENDS}`)}]}
defaults: {retry_delay: 1ms}
prices: {m-1: {input: 2, output: 10}}
workspace: {mode: in_place}
`;

const task = (id: string, agent: string) => ({ id, title: id, agent, verify: "test -d ." });

/** The process that holds the one agent which is at work. */
function runnerIn(lab: Lab): number {
  const state = join(lab.base, "state");
  const file = readdirSync(state, { recursive: true, encoding: "utf8" }).find((name) => name.endsWith("runner.json"))!;
  return JSON.parse(readFileSync(join(state, file), "utf8")).runner.pid;
}

interface Line {
  key: string | null;
}

test("each task, agent, model and day has its usage and its cost, and what nobody knows is unknown", async () => {
  const lab = new Lab({ config: CONFIG });
  const tasks = [task("a", "plain"), task("b", "own"), task("c", "mute"), task("d", "hangs")];
  await lab.load({ plan: "p", tasks });
  expect((await lab.run(["cost"])).stderr).toBe("no attempt by an agent has ended yet\n");
  const run = lab.start(["run", "--jobs", "1"]);
  onTestFinished(() => void run.kill("SIGKILL"));
  const ended = once(run, "close");
  await expect.poll(() => existsSync(join(lab.dir, "at-work")), { timeout: 25_000 }).toBe(true);
  const running = async () => (await lab.json<{ attempts: { model: string }[] }>(["task", "show", "d"])).attempts[0]!;
  await expect.poll(async () => (await running()).model, { timeout: 20_000 }).toBe("m-1");
  expect(await lab.run(["kill", "d", "--at-once"])).toMatchObject({ code: 0 });
  expect(await ended).toEqual([0, null]);

  const { lines, total } = await lab.json<{ lines: Line[]; total: object }>(["cost"]);
  const usage = { input: 0, output: 0, cache_read: 0, cache_write: 0 };
  const known = (agent: number, prices: number, unknown: number) => ({ agent, prices, unknown });
  expect(lines).toEqual([
    {
      key: "a",
      attempts: 1,
      usage: { ...usage, input: 1_000_000, output: 100 },
      untold: 0,
      partial: 0,
      cost_usd: 2.001,
      cost_known: known(0, 1, 0),
    },
    {
      key: "d",
      attempts: 2,
      usage: { ...usage, input: 1_000_000 },
      untold: 0,
      partial: 1,
      cost_usd: 2,
      cost_known: known(0, 2, 0),
    },
    {
      key: "b",
      attempts: 1,
      usage: { ...usage, input: 7 },
      untold: 0,
      partial: 0,
      cost_usd: 0.25,
      cost_known: known(1, 0, 0),
    },
    {
      key: "c",
      attempts: 1,
      usage: { ...usage, cache_read: null, cache_write: null },
      untold: 1,
      partial: 0,
      cost_usd: null,
      cost_known: known(0, 0, 1),
    },
  ]);
  expect(total).toMatchObject({
    key: null,
    attempts: 5,
    untold: 1,
    partial: 1,
    cost_usd: 4.251,
    cost_known: known(1, 3, 1),
  });
  expect((await lab.json<{ lines: Line[] }>(["cost", "p", "--by", "agent"])).lines.map(({ key }) => key)).toEqual([
    "plain",
    "hangs",
    "own",
    "mute",
  ]);
  expect((await lab.json<{ lines: Line[] }>(["cost", "--by", "model"])).lines.map(({ key }) => key)).toEqual([
    "m-1",
    null,
  ]);
  expect((await lab.json<{ lines: Line[] }>(["cost", "--by", "day"])).lines).toMatchObject([
    { key: new Date().toISOString().slice(0, 10) },
  ]);
  expect(await lab.run(["cost"])).toEqual({
    code: 0,
    stdout: `task   attempts     input   output  cache read  cache write                      cost
a             1   1000000      100           0            0                     $2.00
d             2  1000000+       0+          0+           0+            at least $2.00
b             1         7        0           0            0                   $0.2500
c             1   unknown  unknown     unknown      unknown                   unknown
total         5  2000007+     100+          0+           0+  at least $4.25 + unknown
`,
    stderr: "1 of 5 attempts did not tell what they used\n1 of 5 attempts were cut off: they used at least that\n",
  });
  expect(await lab.run(["cost", "--by", "year"])).toMatchObject({ code: 2 });
});

test("an attempt whose runner was killed keeps what was heard of it last, as partial", async () => {
  const lab = new Lab({ config: CONFIG });
  await lab.load({ plan: "p", tasks: [task("d", "hangs")] });
  const run = lab.start(["run"]);
  onTestFinished(() => void run.kill("SIGKILL"));
  const ended = once(run, "close");
  await expect.poll(() => existsSync(join(lab.dir, "at-work")), { timeout: 25_000 }).toBe(true);
  const first = async () => (await lab.json<{ attempts: { model: string }[] }>(["task", "show", "d"])).attempts[0]!;
  await expect.poll(async () => (await first()).model, { timeout: 20_000 }).toBe("m-1");
  process.kill(runnerIn(lab), "SIGKILL");
  expect(await ended).toEqual([0, null]);
  expect(await lab.json(["task", "show", "d"])).toMatchObject({
    attempts: [
      { outcome: "lost", usage: { input: 500_000 }, partial: true },
      { outcome: "succeeded", usage: { input: 500_000 }, partial: false },
    ],
  });
});
