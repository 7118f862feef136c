/** How each protocol is given the servers of tools of an attempt. */

import { existsSync } from "node:fs";
import { expect, test } from "vitest";
import { Attempt } from "../../../test/fixtures/agent-attempt.ts";
import type { McpServer } from "../../ports/agent.ts";
import { acpMcp } from "./acp-mcp.ts";
import { claudeAgent } from "./claude-agent.ts";
import { claudeMcp } from "./claude-mcp.ts";
import { codexMcp } from "./codex-mcp.ts";

const OWN: McpServer = {
  name: "lockstep",
  url: "http://127.0.0.1:7/mcp",
  headers: { Authorization: "Bearer secret" },
  program: { command: "/spool/bin/lockstep", args: ["self", "mcp"], env: { TOKEN: "secret" } },
  call_ms: 660_000,
};
const NOTES: McpServer = { name: "notes", url: "https://notes.example/mcp", headers: {} };
const FILES: McpServer = { name: "files", command: "npx", args: ["files"], env: { ROOT: "/p" } };

/** `argv`, `servers` and `mode` are what it was called with, what the file named there held, and who could read it. */
const COPIES_ITS_SERVERS = `#!/bin/sh
printf "%s\\n" "$@" > argv
while [ "$1" != --mcp-config ]; do shift; done
cp "$2" servers && node -p '(require("fs").statSync(process.argv[1]).mode & 0o777).toString(8)' "$2" > mode
`;

test("Claude Code gets them in a file that only its user can read, and that is gone when it has ended", async () => {
  const attempt = new Attempt();
  const program = attempt.write("claude", COPIES_ITS_SERVERS, 0o700);
  const agent = claudeAgent({ adapter: "claude", program: [program], model: null, effort: null }, attempt.processes);
  await attempt.run(agent, { mcp: [OWN, FILES] });
  const argv = attempt.read("argv")!;
  expect(argv).not.toContain("secret");
  const file = argv.split("\n")[argv.split("\n").indexOf("--mcp-config") + 1]!;
  expect(existsSync(file)).toBe(false);
  expect(attempt.read("mode")).toBe("600\n");
  expect(JSON.parse(attempt.read("servers")!)).toEqual({
    mcpServers: {
      lockstep: {
        type: "http",
        url: "http://127.0.0.1:7/mcp",
        headers: { Authorization: "Bearer secret" },
        timeout: 660_000,
      },
      files: { type: "stdio", command: "npx", args: ["files"], env: { ROOT: "/p" } },
    },
  });
  expect(claudeMcp({ mcp: [], briefFile: "/nowhere/brief.json" })).toEqual([]);
});

test("Codex gets them with its conversation", () => {
  expect(codexMcp([OWN, NOTES, FILES])).toEqual({
    config: {
      "mcp_servers.lockstep": {
        url: "http://127.0.0.1:7/mcp",
        http_headers: { Authorization: "Bearer secret" },
        tool_timeout_sec: 660,
      },
      "mcp_servers.notes": { url: "https://notes.example/mcp", http_headers: {} },
      "mcp_servers.files": { command: "npx", args: ["files"], env: { ROOT: "/p" } },
    },
  });
  expect(codexMcp([])).toEqual({});
});

test("an agent over ACP gets by HTTP what it can, and programs otherwise; what is left out is told", () => {
  const told: string[] = [];
  const given = (http: boolean) =>
    acpMcp([OWN, NOTES, FILES], { agentCapabilities: { mcpCapabilities: { http } } }, (text) => told.push(text));
  const files = { name: "files", command: "npx", args: ["files"], env: [{ name: "ROOT", value: "/p" }] };
  expect(given(true)).toEqual([
    {
      type: "http",
      name: "lockstep",
      url: "http://127.0.0.1:7/mcp",
      headers: [{ name: "Authorization", value: "Bearer secret" }],
    },
    { type: "http", name: "notes", url: "https://notes.example/mcp", headers: [] },
    files,
  ]);
  expect(told).toEqual([]);
  expect(given(false)).toEqual([
    {
      name: "lockstep",
      command: "/spool/bin/lockstep",
      args: ["self", "mcp"],
      env: [{ name: "TOKEN", value: "secret" }],
    },
    files,
  ]);
  expect(told).toEqual(["it cannot use the server of tools notes, which is only had by HTTP"]);
});
