import { expect, test } from "vitest";
import type { AgentSpec, Brief, McpServer } from "../ports/agent.ts";
import { serversOf, withTools } from "./given-tools.ts";

const server = (name: string): McpServer => ({ name, url: "http://127.0.0.1:7/mcp", headers: {} });
const OWN = server("lockstep");
const BRIEF = { prompt: "Add the tax.\n" } as Brief;

const codex: AgentSpec = { adapter: "codex", program: ["codex"], model: null, effort: null };

test("an agent gets its runner's own server before those of its user, and is told of it in one line", () => {
  const given = serversOf({ ...codex, mcp: [server("notes")] }, OWN, {});
  expect(given.map(({ name }) => name)).toEqual(["lockstep", "notes"]);
  expect(withTools(BRIEF, given).prompt).toBe(
    "Add the tax.\n\nYou have tools of the MCP server `lockstep`: get_task, report_progress, ask (a person) and, once, when you have finished, report_done.\n",
  );
});

test("an agent of which nobody knows whether it could use tools is told of none", () => {
  expect(serversOf({ adapter: "command", argv: ["x"] }, OWN, {})).toEqual([]);
  expect(serversOf({ adapter: "scripted", script: "/x" }, OWN, {})).toEqual([]);
  expect(withTools(BRIEF, [])).toBe(BRIEF);
});

test("a runner without a server of its own gives those of the user, and promises nothing", () => {
  const given = serversOf({ ...codex, mcp: [server("notes")] }, null, {});
  expect(given.map(({ name }) => name)).toEqual(["notes"]);
  expect(withTools(BRIEF, given)).toBe(BRIEF);
});

test("what a server of the user's refers to is a variable of the agent", () => {
  const notes = { name: "notes", url: "http://127.0.0.1:7/mcp", headers: { Authorization: "Bearer $TOKEN" } };
  const files = { name: "files", command: "files", args: ["$TOKEN"], env: { KEY: "$TOKEN", PRICE: "$$5" } };
  expect(serversOf({ ...codex, mcp: [notes, files] }, null, { TOKEN: "t" })).toEqual([
    { ...notes, headers: { Authorization: "Bearer t" } },
    { ...files, env: { KEY: "t", PRICE: "$5" } },
  ]);
});
