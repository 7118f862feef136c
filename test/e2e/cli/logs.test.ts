/** What an agent did, as `lockstep logs` and `attach` show it: in words, or as its program printed it. */

import { once } from "node:events";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { Refusal } from "./lab.ts";
import { Lab } from "./lab.ts";

/** Takes the place of Claude Code: says something, asks for two commands, of which one works and one fails, and waits. */
const PROGRAM = `
import { existsSync, watch, writeFileSync } from "node:fs";
import { createInterface } from "node:readline";
const out = (fields) => console.log(JSON.stringify(fields));
const says = (...content) => out({ type: "assistant", message: { content } });
const gives = (id, content, is_error = false) => out({ type: "user", message: { content: [{ type: "tool_result", tool_use_id: id, content, is_error }] } });
const waiting = new Map();
createInterface({ input: process.stdin }).on("line", (line) => {
  const told = JSON.parse(line);
  if (told.type === "control_response") waiting.get(told.response.request_id)(told.response.response);
  if (told.type === "user") void work();
}).on("close", () => process.exit(0));
const may = (id, command) => new Promise((resolve) => {
  waiting.set(id, resolve);
  out({ type: "control_request", request_id: id, request: { subtype: "can_use_tool", tool_name: "Bash", input: { command } } });
});
async function work() {
  out({ type: "system", subtype: "init", session_id: "s-1", model: "m-1" });
  says({ type: "text", text: "I add the tax.\\nThen I test it." }, { type: "tool_use", id: "t1", name: "Bash", input: { command: "npm test" } });
  await may("1", "npm test");
  gives("t1", "12 passed\\n0 failed");
  says({ type: "tool_use", id: "t2", name: "Bash", input: { command: "rm -rf dist" } });
  await may("2", "rm -rf dist");
  gives("t2", "not allowed", true);
  writeFileSync("at-work", "");
  while (!existsSync("go")) await new Promise((resolve) => { const seen = watch(".", () => { seen.close(); resolve(); }); });
  says({ type: "text", text: "The tax is added." });
  out({ type: "result", subtype: "success", is_error: false, result: "The tax is added." });
}
`;

const CONFIG = `
agents:
  coder: {adapter: claude, command: [node, agent.mjs], tools: {deny: ["run(rm *)"], allow: ["run(npm *)"]}}
  bad: {adapter: command, command: [bash, -c, "echo too bad; exit 3"]}
workspace: {mode: in_place}
defaults: {tries: 1, retry_delay: 1ms}
`;

const BEGINNING = `session  s-1  m-1
I add the tax.
Then I test it.
→  Bash  npm test
allowed  Bash  npm test: by the rule run(npm *)
←  Bash  12 passed
→  Bash  rm -rf dist
denied  Bash  rm -rf dist: not allowed: by the rule run(rm *)
note  a tool failed: not allowed
`;
const WHOLE = `${BEGINNING}The tax is added.\n`;
const ENDED = "attempt 1 of A has ended: succeeded\n";

async function labAtWork(): Promise<{ lab: Lab; ended: Promise<number | null> }> {
  const lab = new Lab({ config: CONFIG });
  lab.write("agent.mjs", PROGRAM);
  await lab.load({ plan: "p", tasks: [{ id: "A", title: "A", agent: "coder", verify: "test -d ." }] });
  const run = lab.start(["run"]);
  const ended = once(run, "close").then(([code]) => code as number | null);
  await expect.poll(() => existsSync(join(lab.dir, "at-work")), { timeout: 20_000 }).toBe(true);
  return { lab, ended };
}

test("what an agent says, its tools and what was ruled on its calls are told in words, while it works and afterwards", async () => {
  const { lab, ended } = await labAtWork();
  const watching = [
    ["logs", "A", "-f"],
    ["attach", "A"],
  ].map((args) => {
    const child = lab.start(args);
    const said = { out: "", err: "" };
    child.stdout.setEncoding("utf8").on("data", (text: string) => (said.out += text));
    child.stderr.setEncoding("utf8").on("data", (text: string) => (said.err += text));
    return { said, closed: once(child, "close") };
  });
  for (const { said } of watching) await expect.poll(() => said.out, { timeout: 20_000 }).toBe(BEGINNING);
  expect(await lab.run(["logs", "A"])).toEqual({ code: 0, stdout: BEGINNING, stderr: "attempt 1 of A goes on\n" });
  lab.write("go", "");
  for (const { said, closed } of watching) {
    expect(await closed).toEqual([0, null]);
    expect(said).toEqual({ out: WHOLE, err: ENDED });
  }
  expect(await ended).toBe(0);
  expect(await lab.run(["logs", "A"])).toEqual({ code: 0, stdout: WHOLE, stderr: ENDED });
});

test("--raw shows what its program printed as it is, --json a line for each thing that it did", async () => {
  const { lab, ended } = await labAtWork();
  lab.write("go", "");
  expect(await ended).toBe(0);
  for (const command of ["logs", "attach"]) {
    const { stdout } = await lab.run([command, "A", "--raw"]);
    const lines = stdout
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line) as { type: string });
    expect(lines[0]).toMatchObject({ type: "system", subtype: "init" });
    expect(lines.at(-1)).toMatchObject({ type: "result", result: "The tax is added." });
  }
  const { stdout } = await lab.run(["logs", "A", "--json"]);
  const told = stdout
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as { type: string });
  const about = { task: "A", attempt: 1, at: expect.stringMatching(/^\d{4}-.*Z$/) };
  expect(told.filter(({ type }) => type === "permission")).toEqual([
    { ...about, type: "permission", tool: "Bash", about: "npm test", allowed: true, why: "by the rule run(npm *)" },
    {
      ...about,
      type: "permission",
      tool: "Bash",
      about: "rm -rf dist",
      allowed: false,
      why: "not allowed: by the rule run(rm *)",
    },
  ]);
  expect(told.filter(({ type }) => type === "text").at(-1)).toEqual({
    ...about,
    type: "text",
    text: "The tax is added.",
  });
});

test("what a program prints that speaks no protocol is shown as it is, and how it ended", async () => {
  const lab = new Lab({ config: CONFIG });
  await lab.load({ plan: "p", tasks: [{ id: "B", title: "B", agent: "bad", verify: "test -d ." }] });
  expect((await lab.json<Refusal>(["logs", "B"], 2)).error.hint).toBe("It has had no attempt yet.");
  expect((await lab.run(["run"])).code).toBe(5);
  const shown = {
    code: 0,
    stdout: "too bad\n",
    stderr: "attempt 1 of B has ended: failed, it ended with 3: too bad\n",
  };
  expect(await lab.run(["logs", "B"])).toEqual(shown);
  expect(await lab.run(["logs", "B", "--raw"])).toEqual(shown);
});
