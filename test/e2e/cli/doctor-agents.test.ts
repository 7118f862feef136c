/** `doctor --agents` where no real program is needed. */

import { once } from "node:events";
import { chmodSync, existsSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { text } from "node:stream/consumers";
import { expect, test } from "vitest";
import { Lab } from "./lab.ts";

/** A lab on whose path lie these programs, each a shell script, and nothing of this machine's user. */
function labWith(programs: Record<string, string>, config = "agents: {}\n"): Lab {
  const lab = new Lab({ config });
  const bin = join(lab.base, "bin");
  mkdirSync(bin);
  for (const [name, body] of Object.entries(programs)) {
    writeFileSync(join(bin, name), `#!/bin/sh\n${body}\n`);
    chmodSync(join(bin, name), 0o755);
  }
  lab.env["PATH"] = `${bin}:${dirname(process.execPath)}:/usr/bin:/bin`;
  return lab;
}

interface Examined {
  problems: { code: string; message: string; fix: string }[];
  agents: {
    name: string;
    program: string | null;
    version: string | null;
    clauses: object[] | null;
    why_not: string | null;
  }[];
}

test("without a configured agent the programs that are found are looked at", async () => {
  const lab = labWith({ claude: "echo something else", goose: "echo ' 1.9.3'" });
  const { problems, agents } = await lab.json<Examined>(["doctor", "--agents"]);
  expect(problems).toEqual([]);
  expect(agents).toMatchObject([
    { name: "claude", version: null, clauses: null, why_not: "it does not answer --version as claude does" },
    { name: "goose", version: "1.9.3", clauses: null, why_not: "there is no trial of goose" },
  ]);
  const nothing = labWith({});
  expect((await nothing.run(["doctor", "--agents"])).stderr).toBe(
    "no agent is configured, and no program of one is found\n",
  );
});

test("one that is broken off says so, and not that nothing is wrong", async () => {
  const lab = labWith({
    claude: 'case "$*" in *--version*) echo "2.1.0 (Claude Code)";; *) : > "$(dirname "$0")/../tried"; sleep 60;; esac',
  });
  const doctor = lab.start(["doctor", "--agents"]);
  const said = text(doctor.stdout);
  await expect.poll(() => existsSync(join(lab.base, "tried")), { timeout: 20_000 }).toBe(true);
  doctor.kill("SIGINT");
  expect(await once(doctor, "close")).toEqual([130, null]);
  expect(await said).toMatch(
    /✓ claude, trial: not tried: it was broken off\nbroken off: not every program was tried\n$/,
  );
});

test("a configured agent without its program is a problem, and one that is its user's own is not looked at", async () => {
  const agents = {
    coder: { adapter: "codex" },
    script: { adapter: "command", command: ["true"] },
    wrapped: { adapter: "claude", command: ["claude", "--verbose"] },
  };
  const lab = labWith({ claude: "echo '2.1.0 (Claude Code)'" }, `${JSON.stringify({ agents })}\n`);
  const ended = await lab.run(["doctor", "--agents"]);
  expect(ended.code).toBe(1);
  const log_in = `not logged in: there is no ${lab.base}/home/.claude/.credentials.json, and none of ANTHROPIC_API_KEY, ANTHROPIC_AUTH_TOKEN, CLAUDE_CODE_OAUTH_TOKEN is set`;
  expect(ended.stdout).toBe(`✗ problem  agent_program: the program of coder (codex) is not there
  fix: Install it, or say under \`command\` where it lies.
✓ script: not looked at: what an agent of the adapter command starts is its user's own
✓ wrapped: claude of an unknown version, ${lab.base}/bin/claude
✓ wrapped, log-in: ${log_in}
✓ wrapped, trial: not tried: its command has arguments of its own, so it may be another program
1 problem
`);
  expect((await lab.run(["doctor", "--agents", "script"])).code).toBe(0);
});

test("a program that does not speak as it should is a problem, and the clause is named", async () => {
  const lab = labWith({ claude: "[ \"$1\" = --version ] && echo '2.1.0 (Claude Code)'; exit 0" });
  const { problems } = await lab.json<Examined>(["doctor", "--agents", "claude"], 1);
  expect(problems).toEqual([
    {
      code: "agent_contract",
      message: "claude (claude 2.1.0): stream: no session began: it failed: it ended well, but without a result",
      fix: "Take the version that worked, or a newer lockstep; `lockstep agent release` lets it start all the same.",
    },
  ]);
});

test.each([
  ["claude", "it failed: it ended well, but without a result"],
  ["codex", "it failed: it ended well, but without an end of its turn"],
  ["gemini", "it failed: it ended well, but without an answer to its prompt"],
  ["opencode", "it failed: its server ended well, but its turn had not"],
])("a program that is no agent fails its trial by name where somebody took it for one: %s", async (adapter, why) => {
  const agents = { coder: { adapter, command: ["/bin/true"] } };
  const lab = labWith({}, JSON.stringify({ agents }));
  const { problems } = await lab.json<Examined>(["doctor", "--agents"], 1);
  expect(problems).toEqual([
    {
      code: "agent_contract",
      message: `coder (${adapter} of an unknown version): stream: no session began: ${why}`,
      fix: `It does not answer --version as ${adapter} does: say under \`command\` where that lies.`,
    },
  ]);
});

test("names are agents or programs, and stand behind --agents", async () => {
  const lab = labWith({});
  expect(await lab.run(["doctor", "--agents", "nobody"])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("agent nobody is not configured"),
  });
  expect(await lab.run(["doctor", "claude"])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("agents are named without --agents"),
  });
});

test("a stand-in that does not say its version as the real program does is never tried, and starts at once", async () => {
  const result = '{"type":"result","subtype":"success","is_error":false,"result":"Done."}';
  const program = `echo "$1" >> "$STARTS"\necho '${result}'`;
  const lab = labWith({ claude: program });
  const agents = { coder: { adapter: "claude", env: { STARTS: join(lab.base, "starts") } } };
  lab.write("lockstep.yaml", `${JSON.stringify({ agents, workspace: { mode: "none" } })}\n`);
  await lab.load({ plan: "p", tasks: [{ id: "a", agent: "coder", prompt: "Do it.", verify: "test -d ." }] });
  expect(await lab.run(["run"])).toMatchObject({ code: 0 });
  const listed = await lab.json<{ agents: object[] }>(["agent", "list"]);
  expect(listed.agents).toMatchObject([{ name: "coder", version: null, probe: null }]);
});
