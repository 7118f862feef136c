import { expect, test } from "vitest";
import { mcpProblems, mcpServersOf } from "./mcp-servers.ts";

type Servers = NonNullable<Parameters<typeof mcpServersOf>[0]["mcp"]>;

const claude = (mcp: Servers) => ({ adapter: "claude" as const, mcp });
const problems = (mcp: Servers): string[] =>
  mcpProblems(claude(mcp), ["agents", "a"]).map(({ path, message }) => `${path.join(".")}: ${message}`);

test("a server is an address with headers, or a program with arguments and variables", () => {
  const mcp = {
    notes: { url: "https://notes.example/mcp", headers: { Authorization: "Bearer x" } },
    files: { command: "npx", args: ["files"], env: { ROOT: "/p" } },
    plain: { command: "plain" },
  };
  expect(problems(mcp)).toEqual([]);
  expect(mcpServersOf(claude(mcp))).toEqual([
    { name: "notes", url: "https://notes.example/mcp", headers: { Authorization: "Bearer x" } },
    { name: "files", command: "npx", args: ["files"], env: { ROOT: "/p" } },
    { name: "plain", command: "plain", args: [], env: {} },
  ]);
  expect(mcpServersOf({ adapter: "claude" })).toEqual([]);
});

test.each<[Servers, string[]]>([
  [{ x: {} }, ["agents.a.mcp.x: needs either a url or a command"]],
  [{ x: { url: "http://h", command: "c" } }, ["agents.a.mcp.x: needs either a url or a command"]],
  [{ x: { url: "notes" } }, ["agents.a.mcp.x.url: must begin with http:// or https://"]],
  [{ x: { url: "http://h", args: [] } }, ["agents.a.mcp.x.args: a server with a url has no args"]],
  [{ x: { command: "c", headers: {} } }, ["agents.a.mcp.x.headers: a server with a command has no headers"]],
  [
    { lockstep: { command: "c" } },
    ["agents.a.mcp.lockstep: the server lockstep is the runner's own: give this one another name"],
  ],
  [
    { "a b": { command: "c" } },
    ["agents.a.mcp.a b: the name of a server has letters, digits, _ and - only, at most 64"],
  ],
])("%j is refused", (mcp, expected) => {
  expect(problems(mcp)).toEqual(expected);
});

test.each(["command", "scripted", "none"] as const)(
  "an agent by %s has no servers, because it hands none on",
  (adapter) => {
    expect(mcpProblems({ adapter, mcp: {} }, ["agents", "a"])).toEqual([
      {
        path: ["agents", "a", "mcp"],
        atKey: true,
        message: `the adapter ${adapter} hands no servers of tools on: it has no mcp`,
      },
    ]);
  },
);
