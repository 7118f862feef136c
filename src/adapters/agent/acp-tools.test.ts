import { expect, test } from "vitest";
import { acpCalls } from "./acp-tools.ts";

const MCP = { kind: "other", tool: "mcp__db__echo", about: "" };

test.each([
  [
    "a command in its input, under the agent's own name",
    {
      name: "Bash",
      kind: "execute",
      title: "remove it",
      rawInput: { command: "rm -rf x\nls" },
      locations: [{ path: "/x" }],
    },
    [{ kind: "run", tool: "Bash", about: "rm -rf x\nls" }],
  ],
  [
    "a command as its title",
    { kind: "execute", title: "rm x", locations: [] },
    [{ kind: "run", tool: "execute", about: "rm x" }],
  ],
  [
    "a command between backticks",
    { kind: "execute", title: "`rm x`" },
    [{ kind: "run", tool: "execute", about: "rm x" }],
  ],
  [
    "every file that it would change",
    {
      kind: "edit",
      title: "Writing",
      rawInput: { filepath: "/w/a" },
      locations: [{ path: "/w/a" }, { path: "/w/b" }],
      content: [{ type: "diff", path: "/w/c" }, { type: "content" }],
    },
    ["/w/a", "/w/b", "/w/c"].map((about) => ({ kind: "write", tool: "edit", about })),
  ],
  [
    "a file that is only named in its title",
    { kind: "read", title: "a.txt" },
    [{ kind: "read", tool: "read", about: "a.txt" }],
  ],
  [
    "an address",
    { kind: "fetch", rawInput: { url: "http://x/" } },
    [{ kind: "fetch", tool: "fetch", about: "http://x/" }],
  ],
  [
    "another tool by the name that the bridge to Claude Code gives",
    { kind: "other", title: "x", _meta: { claudeCode: { toolName: "mcp__db__drop" } } },
    [{ kind: "other", tool: "mcp__db__drop", about: "" }],
  ],
  ["a server's tool that Gemini CLI asks about", { kind: "other", title: "echo (db MCP Server)" }, [MCP]],
  [
    "a server's tool that the bridge to Codex asks about",
    { kind: "execute", title: "mcp.db.echo", rawInput: {} },
    [MCP],
  ],
  [
    "another tool by its title",
    { kind: "think", title: "mcp_db_drop" },
    [{ kind: "other", tool: "mcp_db_drop", about: "" }],
  ],
  ["nothing at all", {}, [{ kind: "other", tool: "other", about: "" }]],
])("what leave is asked for is %s", (_, fields, calls) => {
  expect(acpCalls(fields)).toEqual(calls);
});
