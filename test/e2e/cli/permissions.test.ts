/** What an agent may do: by rules, and by a person whom the inbox asks. */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { Lab } from "./lab.ts";

/** Takes the place of Claude Code: asks to write, to run and to run, and does what it may. */
const PROGRAM = `
import { writeFileSync } from "node:fs";
import { createInterface } from "node:readline";
const out = (fields) => console.log(JSON.stringify(fields));
const waiting = new Map();
createInterface({ input: process.stdin }).on("line", (line) => {
  const told = JSON.parse(line);
  if (told.type === "control_response") waiting.get(told.response.request_id)(told.response.response);
  if (told.type === "user") void work();
}).on("close", () => process.exit(0));
const may = (id, tool_name, input) => new Promise((resolve) => {
  waiting.set(id, resolve);
  out({ type: "control_request", request_id: id, request: { subtype: "can_use_tool", tool_name, input } });
});
async function work() {
  out({ type: "system", subtype: "init", session_id: "s-1", model: "m" });
  const [write, push, remove] = [
    await may("1", "Write", { file_path: process.cwd() + "/a.txt", content: "" }),
    await may("2", "Bash", { command: "git push --force" }),
    await may("3", "Bash", { command: "bash -c 'rm -rf /'" }),
  ];
  writeFileSync("answers.json", JSON.stringify([write.behavior, push.behavior, push.message, remove.message]));
  out({ type: "result", subtype: "success", is_error: false, result: "did what I may" });
}
`;

const CONFIG = `
agents:
  coder:
    adapter: claude
    command: [node, agent.mjs]
    tools: {deny: ["run(rm *)"], ask: ["run(git push *)"]}
  other: {adapter: codex}
workspace: {mode: in_place}
`;

interface Inbox {
  items: { id: string; text: string; options: string[] }[];
}

test("a rule refuses, a person answers in the inbox, and the agent goes on with both", {
  timeout: 60_000,
}, async () => {
  const lab = new Lab({ config: CONFIG });
  lab.write("agent.mjs", PROGRAM);
  const check = "test -f answers.json";
  await lab.load({ plan: "p", tasks: [{ id: "a", title: "A", agent: "coder", verify: check }] });
  const ended = lab.run(["run"]);
  const asked = async () => (await lab.json<Inbox>(["inbox"])).items;
  await expect.poll(asked, { timeout: 30_000 }).toHaveLength(1);
  const [item] = await asked();
  expect(item).toMatchObject({
    text: "May it run this (Bash)? git push --force\n(by the rule run(git push *))",
    options: ["allow", "deny"],
  });
  const stands = (await lab.run(["inbox"])).stdout;
  expect(stands).toMatch(
    /\n {2}lockstep answer i1 allow \| deny\n {2}its agent waits for that, until \S+Z; without an answer it is a no\n$/,
  );
  expect((await lab.run(["status"])).stdout).toMatch(/lockstep answer i1 allow \| deny {2}\(a no at \S+Z\)/);
  expect((await lab.run(["why", "a"])).stdout).toMatch(
    /question: waits for your answer to i1: May it run this \(Bash\)\? git push --force \(by the rule run\(git push \*\)\); `lockstep answer i1 allow \| deny`; without one by then: it is a no \(until \S+Z\)\n/,
  );
  await lab.json(["answer", item!.id, "deny", "-m", "nobody pushes here"]);
  expect((await ended).code).toBe(0);
  expect(JSON.parse(readFileSync(join(lab.dir, "answers.json"), "utf8"))).toEqual([
    "allow",
    "deny",
    "a person did not allow it: nobody pushes here",
    "not allowed: by the rule run(rm *): it would run rm -rf /",
  ]);
  const events = (await lab.run(["events"])).stdout;
  expect(events).toContain("item.opened  a#1  i1: May it run this (Bash)? git push --force");
  expect(events).toContain("item.answered  a#1  i1: deny\n");
  const { stdout } = await lab.run(["logs", "a"]);
  expect(stdout).toContain("denied  Bash  git push --force: a person did not allow it: nobody pushes here\n");
  expect(stdout).toContain(
    "denied  Bash  bash -c 'rm -rf /': not allowed: by the rule run(rm *): it would run rm -rf /\n",
  );
});

test("what each agent can be held to is listed", async () => {
  const lab = new Lab({ config: CONFIG });
  const { agents } = await lab.json<{ agents: { name: string; capabilities: object }[] }>(["agent", "list"]);
  expect(agents).toMatchObject([
    { name: "coder", capabilities: { permission: "live", deny_reason: true, turns_cap: "agent", compact: true } },
    { name: "other", capabilities: { cost: false, limits: "typed", turns_cap: "counted", budget_cap: "none" } },
  ]);
  const { stdout } = await lab.run(["agent", "list", "--capabilities"]);
  const lines = stdout.split("\n");
  expect(lines[0]).toMatch(/^ +coder {2}other$/);
  expect(lines).toContainEqual(expect.stringMatching(/^permission +live +live$/));
  expect(lines).toContainEqual(expect.stringMatching(/^budget_cap +agent +-$/));
});
