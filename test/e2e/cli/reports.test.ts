/** What agents say of their work, by their tools and from their shell, in the built command line. */

import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { agentFile } from "../../fixtures/lab.ts";
import { type Claim, Lab, MAIN } from "./lab.ts";

const CALLS = agentFile("calls-its-tools");

const call = (tool: string, given: object): string => `'${JSON.stringify({ [tool]: given })}'`;

/** A lab whose agent is a shell script; `$ASIDE` is a directory beside the project. */
function labOf(script: string, tasks: object[], config: object = {}): Lab {
  const lab = new Lab();
  const agent = { adapter: "command", command: ["bash", "-c", script], env: { ASIDE: lab.base, CALLS } };
  const whole = { agents: { coder: agent }, workspace: { mode: "none" }, ...config };
  lab.write("lockstep.yaml", JSON.stringify(whole));
  lab.write("plan.json", JSON.stringify({ plan: "p", defaults: { agent: "coder", tries: 1 }, tasks }));
  return lab;
}

const TASK = { id: "A", title: "The tax", prompt: "Add the tax.", verify: "test -d ." };

interface Shown {
  attempts: { outcome: string; summary: string; report: object | null }[];
  state: string;
}

const REPORT = { files: ["tax.ts"], not_done: ["its test", "its page"], verdict: null, handoff: null };

test("a report by a tool that was made while no engine lived is applied by the next one", async () => {
  const done = { summary: "The tax is added.", files: REPORT.files, not_done: REPORT.not_done };
  const lab = labOf(
    `touch "$ASIDE/begun"; until test -e "$ASIDE/go"; do sleep 0.1; done; node "$CALLS" ${call("report_done", done)} > "$ASIDE/said"; touch "$ASIDE/end"`,
    [TASK],
  );
  const aside = (name: string): string => join(lab.base, name);
  const engine = lab.start(["run", "plan.json"]);
  await expect.poll(() => existsSync(aside("begun")), { timeout: 20_000 }).toBe(true);
  engine.kill("SIGKILL");
  await new Promise((resolve) => engine.once("exit", resolve));
  lab.write("../go", "");
  await expect.poll(() => existsSync(aside("end")), { timeout: 20_000 }).toBe(true);
  expect(readFileSync(aside("said"), "utf8")).toBe('{"ok":true}\n');
  expect((await lab.json<Shown>(["task", "show", "A"])).state).toBe("in_progress");
  expect(await lab.run(["run"])).toMatchObject({ code: 0 });
  expect((await lab.json<Shown>(["task", "show", "A"])).attempts).toMatchObject([
    { outcome: "succeeded", summary: "The tax is added.", report: REPORT },
  ]);
  const shown = (await lab.run(["task", "show", "A"])).stdout;
  expect(shown).toContain(
    "  reported  The tax is added.\n  files     tax.ts\n  not done  its test\n  not done  its page\n",
  );
});

test("of two attempts at work at once neither is told anything of the other, nor opened by its token", async () => {
  const other = { ...TASK, id: "B", title: "The discount", prompt: "Add the discount." };
  const script = `node "$CALLS" ${call("get_task", {})} > "$ASIDE/$LOCKSTEP_TASK_ID.task"
    env | grep ^LOCKSTEP_RUNNER > "$ASIDE/env.$$"; mv "$ASIDE/env.$$" "$ASIDE/$LOCKSTEP_TASK_ID.env"; until test -e "$ASIDE/go"; do sleep 0.1; done`;
  const lab = labOf(script, [TASK, other]);
  const ran = lab.run(["run", "plan.json"]);
  const file = (name: string): string => join(lab.base, name);
  await expect.poll(() => ["A.env", "B.env"].every((name) => existsSync(file(name))), { timeout: 20_000 }).toBe(true);
  const read = (id: string) => {
    const text = readFileSync(file(`${id}.env`), "utf8");
    const [, url] = /^LOCKSTEP_RUNNER=(.*)$/m.exec(text)!;
    const [, token] = /^LOCKSTEP_RUNNER_TOKEN=(.*)$/m.exec(text)!;
    return { url: url!, token: token! };
  };
  const told = readFileSync(file("A.task"), "utf8");
  expect(JSON.parse(told)).toMatchObject({
    attempt: "A#1",
    task: { id: "A", title: "The tax", prompt: "Add the tax.", verify: ["test -d ."] },
    last_failure: null,
    report: { verdict: false, handoff: false },
  });
  expect(told).not.toContain("discount");
  const body = '{"jsonrpc":"2.0","id":1,"method":"ping"}';
  const knock = (url: string, token: string) =>
    fetch(`${url}/mcp`, { method: "POST", headers: { authorization: `Bearer ${token}` }, body });
  expect((await knock(read("A").url, read("A").token)).status).toBe(200);
  expect((await knock(read("A").url, read("B").token)).status).toBe(401);
  lab.write("../go", "");
  expect(await ran).toMatchObject({ code: 0 });
});

test("the same report is made from a shell, and what its phase may not say is refused in words", async () => {
  const lab = labOf(
    `lockstep self done 'All of it' --verdict approved 2> "$ASIDE/verdict"; echo $? >> "$ASIDE/verdict"
     lockstep self done 'All of it' --handoff anna 2> "$ASIDE/handoff"
     lockstep self done 'Most of it' --file tax.ts --not-done 'its test' --not-done=its\\ page`,
    [TASK],
  );
  expect(await lab.run(["run", "plan.json"])).toMatchObject({ code: 0 });
  const said = (name: string): string => readFileSync(join(lab.base, name), "utf8");
  expect(said("verdict")).toBe(
    "error: this phase is no review and yields no verdict: report without one\nhint: `lockstep self --help` has examples.\n1\n",
  );
  expect(said("handoff")).toContain("error: no other agent follows this phase: report without a handoff\n");
  expect((await lab.json<Shown>(["task", "show", "A"])).attempts).toMatchObject([
    { summary: "Most of it", report: REPORT },
  ]);
});

test("the verdict that a review reports is the task's", async () => {
  const script = `node "$CALLS" ${call("report_done", { summary: "Fine." })} > "$ASIDE/refused"
    lockstep self done 'The tax is missing.' --verdict rejected`;
  const lab = labOf(script, [{ ...TASK, lane: "reviewed" }]);
  await lab.json(["plan", "load", "plan.json"]);
  const { token } = await lab.json<Claim>(["claim", "A", "--as", "anna"]);
  await lab.json(["task", "done", "A", "--token", String(token)]);
  await lab.run(["run", "--max-tasks", "1"]);
  expect(readFileSync(join(lab.base, "refused"), "utf8")).toBe(
    "this phase is a review: verdict must be one of approved, rejected, rewrite, product, and summary says why\n",
  );
  const { attempts } = await lab.json<Shown>(["task", "show", "A"]);
  expect(attempts[1]).toMatchObject({
    outcome: "succeeded",
    summary: "The tax is missing.",
    report: { verdict: "rejected" },
  });
  const { stdout } = await lab.run(["events"]);
  expect(stdout).toContain("rejected");
});

test("a client without HTTP has the same tools by `lockstep self mcp`", async () => {
  const messages = [
    { id: 1, method: "initialize", params: { protocolVersion: "2025-06-18" } },
    { method: "notifications/initialized" },
    { id: 2, method: "tools/call", params: { name: "report_done", arguments: { summary: "All." } } },
    { id: 3, method: "tools/call", params: { name: "land", arguments: {} } },
  ].map((message) => JSON.stringify({ jsonrpc: "2.0", ...message }));
  const script = `printf '%s\\n' ${[...messages, "{"].map((message) => `'${message}'`).join(" ")} | lockstep self mcp > "$ASIDE/said"
    LOCKSTEP_RUNNER_TOKEN=guessed lockstep self mcp <<< '${messages[0]}' > "$ASIDE/closed"`;
  const lab = labOf(script, [TASK]);
  expect(await lab.run(["run", "plan.json"])).toMatchObject({ code: 0 });
  const said = (name: string) =>
    readFileSync(join(lab.base, name), "utf8")
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line))
      .toSorted((a, b) => a.id - b.id);
  expect(said("said")).toMatchObject([
    { id: null, error: { message: "this is no JSON" } },
    { id: 1, result: { protocolVersion: "2025-06-18" } },
    { id: 2, result: { content: [{ text: '{"ok":true}' }] } },
    { id: 3, error: { message: 'there is no tool "land"' } },
  ]);
  expect(said("closed")).toEqual([
    { jsonrpc: "2.0", id: 1, error: { code: -32_000, message: "this runner does not know that token" } },
  ]);
  expect((await lab.json<Shown>(["task", "show", "A"])).attempts).toMatchObject([{ summary: "All." }]);
});

test("where loopback is down reports come over a socket, from the shell and by tools", async () => {
  const message = { jsonrpc: "2.0", id: 1, method: "tools/call" };
  const done = JSON.stringify({ ...message, params: { name: "report_done", arguments: { summary: "All." } } });
  const script = `lockstep self progress half; lockstep self mcp <<< '${done}'; echo "$LOCKSTEP_RUNNER" > "$ASIDE/where"`;
  const lab = labOf(script, [TASK]);
  const argv = ["--user", "--map-root-user", "--net", process.execPath, MAIN, "run", "plan.json"];
  const ran = spawnSync("unshare", argv, { cwd: lab.dir, env: lab.env, encoding: "utf8" });
  expect(ran).toMatchObject({ status: 0 });
  expect(readFileSync(join(lab.base, "where"), "utf8")).toMatch(/^unix:\/.*\/runner$/m);
  expect((await lab.json<Shown>(["task", "show", "A"])).attempts).toMatchObject([{ summary: "All." }]);
  expect((await lab.run(["events"])).stdout).toContain("half");
});
