/** A limit holds every agent of its account: in this project and the next, over a dead engine, and not a moment too long. */

import { once } from "node:events";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { Lab } from "./lab.ts";

/**
 * Takes the place of Claude Code: notes when it was started. The first to come makes a limit whose end it tells as `WORDS`
 * says, by a typed event or in its words; whoever comes too early is turned away again; all others succeed.
 */
const PROGRAM = `
import { appendFileSync, existsSync, readFileSync, writeFileSync } from "node:fs";
const out = (fields) => console.log(JSON.stringify(fields));
const dir = process.env.LIMITS;
const now = Date.now();
appendFileSync(dir + "/starts", now + "\\n");
if (!existsSync(dir + "/reset")) writeFileSync(dir + "/reset", String(Math.ceil(now / 1000) + Number(process.env.SECONDS)));
const reset = Number(readFileSync(dir + "/reset", "utf8"));
const end = { type: "result", subtype: "success", is_error: false, result: "Done.", usage: { input_tokens: 1, output_tokens: 2 }, total_cost_usd: 0.01 };
if (now >= reset * 1000) out(end);
else {
  if (process.env.WORDS === "typed") out({ type: "rate_limit_event", rate_limit_info: { status: "rejected", rateLimitType: "five_hour", resetsAt: reset } });
  const words = process.env.WORDS === "text" ? "limit reached|" + reset : "You've hit your limit";
  out({ ...end, is_error: true, api_error_status: 429, result: words });
  process.exitCode = 1;
}
`;

const TASKS = [
  { id: "a", title: "A", agent: "one", verify: "test -d ." },
  { id: "b", title: "B", agent: "two", verify: "test -d ." },
  { id: "c", title: "C", agent: "other", verify: "test -d ." },
];

const MONTHLY = { SECONDS: "2000000" };

function labWith(words: "typed" | "text" | "none", seconds = "6"): Lab {
  const agent = "adapter: claude, command: [node, claude.mjs]";
  const env = `env: {LIMITS: LIMITS_DIR, WORDS: ${words}, SECONDS: "${seconds}"}`;
  const lab = new Lab();
  lab.write(
    "lockstep.yaml",
    `agents:
  one: {${agent}, model: sonnet, ${env}}
  two: {${agent}, jobs: 2, ${env}}
  other: {adapter: command, command: ["true"]}
workspace: {mode: none}
`.replaceAll("LIMITS_DIR", lab.dir),
  );
  lab.write("claude.mjs", PROGRAM);
  return lab;
}

const startsIn = (lab: Lab): number[] => readFileSync(join(lab.dir, "starts"), "utf8").trim().split("\n").map(Number);
const resetOf = (lab: Lab): number => Number(readFileSync(join(lab.dir, "reset"), "utf8")) * 1_000;

interface Held {
  key: string;
  until: string;
  why: string;
  known_from: string;
}

test("field report 42: two agents of one account wait for its limit, over an engine that was killed, and go on by themselves when it is over", async () => {
  const lab = labWith("typed");
  await lab.load({ plan: "p", tasks: TASKS });
  // It does not wait, so it ends parked; what draws on nothing held is done.
  const parked = await lab.run(["run", "--jobs", "1", "--no-wait"]);
  expect(parked).toMatchObject({ code: 75 });
  const until = new Date(resetOf(lab)).toISOString();
  expect(parked.stdout + parked.stderr).toContain(`held      account claude until ${until}\n`);
  const { held, counts } = await lab.json<{ held: Held[]; counts: object }>(["status"]);
  expect(held).toEqual([{ key: "account:claude", until, why: "You've hit your limit", known_from: "signal" }]);
  expect(counts).toMatchObject({ pending: 2, verified: 1 });
  const why = await lab.json<{ reason: object }>(["why", "b"]);
  const text = "account claude (of agents one, two) is held: You've hit your limit";
  expect(why.reason).toEqual({ code: "model_held", text, until, by: ["account:claude"] });
  expect((await lab.run(["why", "b"])).stdout).toContain(`model_held: ${text} (until ${until})\n`);
  expect((await lab.run(["status"])).stdout).toContain(
    `held       account claude  free at ${until}: You've hit your limit`,
  );

  const killed = lab.start(["run"]);
  onTestFinished(() => void killed.kill("SIGKILL"));
  await once(killed.stderr, "data");
  killed.kill("SIGKILL");
  await once(killed, "close");
  expect(Date.now()).toBeLessThan(resetOf(lab));

  const done = await lab.run(["run"]);
  expect(done).toMatchObject({ code: 0 });
  const [first, ...later] = startsIn(lab);
  expect(first).toBeLessThan(resetOf(lab));
  expect(later).toHaveLength(2);
  for (const start of later) {
    expect(start).toBeGreaterThanOrEqual(resetOf(lab));
    expect(start).toBeLessThan(resetOf(lab) + 10_000);
  }
  expect(await lab.json(["task", "show", "a"])).toMatchObject({
    state: "verified",
    attempts: [{ outcome: "rate_limited" }, { outcome: "succeeded" }],
  });
  expect(await lab.json(["status"])).toMatchObject({ held: [] });
  const events = (await lab.run(["events", "--json"])).stdout;
  for (const type of ["hold.set", "hold.forgotten"]) expect(events.split(`"type":"${type}"`)).toHaveLength(2);
});

test("field report 39: where only its words tell when a limit is over, they are believed, and called a guess", async () => {
  const lab = labWith("text", MONTHLY.SECONDS);
  await lab.load({ plan: "p", tasks: TASKS });
  expect(await lab.run(["run", "--jobs", "1", "--no-wait"])).toMatchObject({ code: 75 });
  const { held } = await lab.json<{ held: Held[] }>(["status"]);
  expect(held).toMatchObject([{ key: "account:claude", known_from: "text" }]);
  expect(held[0]!.until).toBe(new Date(resetOf(lab) + 1_000).toISOString());
  expect((await lab.run(["why", "b"])).stdout).toContain("(when it is over is read from its words: a guess)");
  expect(startsIn(lab)).toHaveLength(1);
});

test("a limit that says nothing of its end is tried again in a minute, and every project of the store knows of it", async () => {
  const lab = labWith("none", MONTHLY.SECONDS);
  await lab.load({ plan: "p", tasks: TASKS });
  const began = Date.now();
  expect(await lab.run(["run", "--jobs", "1", "--no-wait"])).toMatchObject({ code: 75 });
  const ended = Date.now();
  const { held } = await lab.json<{ held: Held[] }>(["status"]);
  expect(held).toMatchObject([{ key: "account:claude", known_from: "backoff" }]);
  expect(Date.parse(held[0]!.until)).toBeGreaterThanOrEqual(began + 60_000);
  expect(Date.parse(held[0]!.until)).toBeLessThanOrEqual(ended + 60_000);

  const other = join(lab.base, "other");
  mkdirSync(other);
  const agents =
    "{mine: {adapter: claude, command: [node], account: of my own}, his: {adapter: claude, command: [node]}}";
  writeFileSync(join(other, "lockstep.yaml"), `agents: ${agents}\nworkspace: {mode: none}\n`);
  writeFileSync(
    join(other, "plan.json"),
    JSON.stringify({ plan: "q", tasks: [{ id: "d", title: "D", verify: "test -d ." }] }),
  );
  expect(JSON.parse((await lab.run(["agent", "list", "--json"], { cwd: other })).stdout)).toMatchObject({
    agents: [
      {
        name: "mine",
        version: null,
        probe: null,
        adapter: "claude",
        model: null,
        account: "of my own",
        jobs: null,
        live: 0,
        held: null,
      },
      {
        name: "his",
        version: null,
        probe: null,
        adapter: "claude",
        model: null,
        account: "claude",
        jobs: null,
        live: 0,
        held: null,
      },
    ],
  });
  expect(await lab.run(["plan", "load", "plan.json"], { cwd: other })).toMatchObject({ code: 0 });
  const listed = JSON.parse((await lab.run(["agent", "list", "--json"], { cwd: other })).stdout);
  expect(listed.agents).toMatchObject([
    { name: "mine", version: null, probe: null, held: null },
    { name: "his", version: null, probe: null, held: held[0] },
  ]);
  expect(await lab.run(["run", "--no-wait", "--agent", "his"], { cwd: other })).toMatchObject({ code: 75 });
  // A plan that needs nothing of what is held does not wait for it.
  expect(await lab.run(["run", "--no-wait", "--agent", "none"], { cwd: other })).toMatchObject({ code: 0 });
  expect((await lab.run(["agent", "list"])).stdout).toMatch(
    /^one {4}claude {3}sonnet {2}0 at work +held until \S+Z, a guess: account claude: You've hit your limit\ntwo .*0 of 2 at work +held .*\nother {2}command {2}- {7}0 at work *\n$/,
  );
  expect((await lab.run(["agent", "release", "three"])).stderr).toContain("agent three is not configured");
  expect(await lab.run(["agent", "release", "two"])).toMatchObject({
    code: 0,
    stdout: "released  account claude, for one too\n",
  });
  expect(await lab.json(["agent", "release", "one"])).toEqual({ agent: "one", released: [] });
  expect(await lab.json(["status"])).toMatchObject({ held: [] });
  // Nobody was let through since, so the next pause is longer.
  expect(await lab.run(["run", "--jobs", "1", "--no-wait"])).toMatchObject({ code: 75 });
  const again = (await lab.json<{ held: Held[] }>(["status"])).held[0]!;
  expect(Date.parse(again.until)).toBeGreaterThanOrEqual(ended + 300_000);
});

/** Takes the place of Claude Code: its login is not accepted until somebody has made the file \`login\`. */
const LOGGED_OUT = `
import { appendFileSync, existsSync } from "node:fs";
const out = (fields) => console.log(JSON.stringify(fields));
appendFileSync(process.env.LIMITS + "/starts", Date.now() + "\\n");
const end = { type: "result", subtype: "success", is_error: false, result: "Done." };
if (existsSync(process.env.LIMITS + "/login")) out(end);
else {
  out({ ...end, is_error: true, api_error_status: 401, result: "Invalid API key" });
  process.exitCode = 1;
}
`;

test("a login that is not accepted holds its account, costs no try, and the run ends for a person who mends it and releases it", async () => {
  const lab = labWith("none");
  lab.write("claude.mjs", LOGGED_OUT);
  await lab.load({ plan: "p", tasks: TASKS });
  const ended = await lab.run(["run", "--jobs", "1"]);
  const error = "the model's service does not accept its login: log it in, or give it a key: Invalid API key";
  const held = `account claude (of agents one, two) is held: ${error} (until somebody has mended that and says \`lockstep agent release one\`)`;
  expect(ended).toMatchObject({ code: 3 });
  expect(ended.stderr).toContain(
    `needs you account claude is held: ${error}; when that is mended: lockstep agent release one\n`,
  );
  expect(ended.stderr).toContain(`again     a  auth: ${error}\n`);
  expect(ended.stdout).toMatch(
    /needs you {2}account claude .*\nnext: mend that, `lockstep agent release one`, then `lockstep run p`\n$/,
  );
  expect(ended.stdout.split(`needs you  ${held}\n`)).toHaveLength(2);
  expect(startsIn(lab)).toHaveLength(1);
  expect(await lab.json(["status"])).toMatchObject({
    held: [{ key: "account:claude", until: null, why: error, known_from: "person" }],
    needs_you: 1,
    counts: { pending: 2, verified: 1 },
  });
  const status = (await lab.run(["status"])).stdout;
  expect(status).toContain(`needs you  account claude is held (one, two): ${error}\n`);
  expect(status).toContain("           lockstep agent release one, when that is mended\n");
  expect(status).not.toContain("held       ");
  const command = "lockstep agent release one";
  expect(await lab.json(["inbox"])).toEqual({
    plan: "p",
    items: [],
    held: [{ key: "account:claude", agents: ["one", "two"], why: error, command }],
  });
  expect((await lab.run(["inbox"])).stdout).toBe(
    `account claude  held, and nothing of one, two starts: ${error}\n  ${command}, when that is mended\n`,
  );
  expect(await lab.json(["task", "show", "a"])).toMatchObject({
    attempts: [{ outcome: "failed", failure: "auth" }],
  });
  const { stdout } = await lab.run(["task", "show", "a"]);
  expect(stdout).toContain("0 of 3 tries used");
  expect(stdout).toContain("  auth: log it in, or give it a key, then `lockstep agent release one`\n");
  lab.write("login", "");
  expect(await lab.run(["agent", "release", "one"])).toMatchObject({
    code: 0,
    stdout: "released  account claude, for two too\n",
  });
  expect((await lab.run(["inbox"])).stderr).toBe("nothing waits for you\n");
  expect(await lab.json(["status"])).toMatchObject({ needs_you: 0 });
  expect(await lab.run(["run"])).toMatchObject({ code: 0 });
  expect(startsIn(lab)).toHaveLength(3);
});
