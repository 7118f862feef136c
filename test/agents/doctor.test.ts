/** `doctor --agents` and the real command lines: as they are, and with something of them spoilt. */

import { chmodSync, mkdirSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { CLAUSES } from "../../src/ports/agent-probe.ts";
import { startModel } from "../../src/probe/model/model-server.ts";
import { Lab } from "../e2e/cli/lab.ts";
import { claudeEnv } from "./claude-cli.ts";

interface Clause {
  clause: string;
  result: string;
  seen: string;
}

interface Examined {
  problems: { code: string; message: string }[];
  agents: { name: string; version: string; log_in: { state: string }; clauses: Clause[] | null; ms: number }[];
}

/** Absolute path of a program that `npm run test:agents` has installed for these tests. */
function installed(name: string): string {
  const found = process.env[`LOCKSTEP_TEST_${name.toUpperCase()}`];
  if (found === undefined) throw new Error(`no ${name} to test with: run these tests by \`npm run test:agents\``);
  return found;
}

/** A lab on whose path lie these programs and what they need, and nothing of this machine's user. */
function labWith(names: readonly string[], config?: string): Lab {
  const lab = new Lab(config === undefined ? {} : { config });
  const bin = join(lab.base, "bin");
  mkdirSync(bin);
  for (const name of names) symlinkSync(installed(name), join(bin, name));
  // What is left there was left by the trials.
  lab.env["TMPDIR"] = join(lab.base, "temporary");
  mkdirSync(lab.env["TMPDIR"]);
  lab.env["PATH"] = `${bin}:${dirname(process.execPath)}:/usr/bin:/bin`;
  return lab;
}

/** Takes the place of a program on the lab's path: `spoil` is the body of a function of its `argv`, `input` and `output` lines. */
function spoil(lab: Lab, name: string, version: string, how: { argv?: string; input?: string; output?: string }): void {
  const program = join(lab.base, "bin", name);
  rmSync(program, { force: true });
  const { argv = "argv", input = "line", output = "line" } = how;
  const script = `const { spawn } = require("node:child_process");
const { createInterface } = require("node:readline");
let argv = process.argv.slice(2);
if (argv[0] === "--version") { console.log(${JSON.stringify(version)}); process.exit(0); }
argv = ${argv};
const child = spawn(${JSON.stringify(installed(name))}, argv, { stdio: ["pipe", "pipe", "inherit"] });
for (const signal of ["SIGINT", "SIGTERM"]) process.on(signal, () => child.kill(signal));
const lines = (from, to, change) => createInterface({ input: from })
  .on("line", (line) => { const changed = change(line); if (changed !== null && to.writable) to.write(changed + "\\n"); })
  .on("close", () => { if (to !== process.stdout) to.end(); });
lines(process.stdin, child.stdin, (line) => ${input});
lines(child.stdout, process.stdout, (line) => ${output});
child.on("close", (code) => process.exit(code ?? 1));
`;
  writeFileSync(`${program}.cjs`, script);
  writeFileSync(program, `#!/bin/sh\nexec node '${program}.cjs' "$@"\n`);
  chmodSync(program, 0o755);
}

const broken = ({ clauses }: Examined["agents"][number]): Clause[] =>
  (clauses ?? []).filter(({ result }) => result === "broken");

test("each of the four keeps its contract, with nothing of anybody's log-in", async () => {
  const lab = labWith(["claude", "codex", "gemini", "opencode"]);
  const { problems, agents } = await lab.json<Examined>(["doctor", "--agents"]);
  for (const { name, ms } of agents) process.stdout.write(`${name}: tried in ${ms} ms\n`);
  expect(problems).toEqual([]);
  expect(agents.map(({ name, version }) => [name, version])).toEqual([
    ["claude", expect.stringMatching(/^\d+\.\d+\.\d+/)],
    ["codex", expect.stringMatching(/^\d+\.\d+\.\d+/)],
    ["gemini", expect.stringMatching(/^\d+\.\d+\.\d+/)],
    ["opencode", expect.stringMatching(/^\d+\.\d+\.\d+/)],
  ]);
  expect(agents.map(({ log_in }) => log_in.state)).toEqual([
    "not logged in",
    "not logged in",
    "not logged in",
    "cannot be told",
  ]);
  for (const { name, clauses } of agents) {
    const seen = Object.fromEntries((clauses ?? []).map(({ clause, result }) => [clause, result]));
    expect({ name, ...seen }).toEqual({ name, ...Object.fromEntries(CLAUSES.map((clause) => [clause, "kept"])) });
  }
  expect(readdirSync(lab.env["TMPDIR"]!)).toEqual([]);
}, 240_000);

test.each([
  [
    "stream",
    { output: `JSON.parse(line).type === "result" ? null : line` },
    "its turn had no good end: it had not ended after ",
  ],
  [
    "resume",
    { argv: `argv.filter((word, at) => word !== "--resume" && argv[at - 1] !== "--resume")` },
    "asked to go on, it began a new conversation",
  ],
  [
    "usage",
    { output: `line.replace(/"(output_tokens|outputTokens)":(68|17)/g, '"$1":1')` },
    "of its first turn it told ",
  ],
  [
    "limit",
    { output: `line.includes("rate_limit_event") ? null : line` },
    "a usage limit was told, but not until when",
  ],
  ["stdin", { input: `line.replace("$HOME", "/root")` }, "the prompt reached the model changed"],
])("a Claude Code that breaks one clause is found, and the clause named: %s", async (clause, how, seen) => {
  const lab = labWith([]);
  spoil(lab, "claude", "2.1.999 (Claude Code)", how);
  const { problems, agents } = await lab.json<Examined>(["doctor", "--agents", "claude"], 1);
  expect(agents.flatMap(broken)).toEqual([{ clause, result: "broken", seen: expect.stringContaining(seen) }]);
  expect(problems).toMatchObject([
    { code: "agent_contract", message: expect.stringContaining(`claude (claude 2.1.999): ${clause}: `) },
  ]);
});

test("a Codex that does not know its conversation any more is found", async () => {
  const lab = labWith([]);
  spoil(lab, "codex", "codex-cli 0.999.0", { input: `line.replace('"thread/resume"', '"thread/resumed"')` });
  const { agents } = await lab.json<Examined>(["doctor", "--agents", "codex"], 1);
  expect(agents.flatMap(broken)).toMatchObject([
    { clause: "resume", seen: expect.stringContaining("asked to go on, it began a new conversation: ") },
  ]);
});

test("a program whose new version fails its trial is held, the other agent goes on; released, it starts", async () => {
  const model = await startModel({
    work: [{ say: "It is done." }],
  });
  const config = {
    agents: { coder: { adapter: "claude", env: claudeEnv(model.url) }, second: { adapter: "codex" } },
    workspace: { mode: "none" },
  };
  const lab = labWith(["claude", "codex"], `${JSON.stringify(config)}\n`);
  mkdirSync(join(lab.base, "home/.codex"));
  writeFileSync(
    join(lab.base, "home/.codex/config.toml"),
    `model = "gpt-5.5"\nmodel_provider = "s"\n[model_providers.s]\nname = "s"\nbase_url = "${model.url}/v1"\nwire_api = "responses"\n`,
  );
  const task = (id: string, agent: string) => ({ id, agent, prompt: "[[play:work]] Do it.", verify: "test -d ." });
  try {
    await lab.load({ plan: "p", tasks: [task("first", "coder")] });
    expect(await lab.run(["run"])).toMatchObject({ code: 0 });
    const { agents } = await lab.json<{ agents: object[] }>(["agent", "list"]);
    expect(agents).toMatchObject([
      { name: "coder", probe: "passed" },
      { name: "second", version: null, probe: null },
    ]);

    spoil(lab, "claude", "2.1.999 (Claude Code)", {
      argv: `argv.filter((word, at) => word !== "--resume" && argv[at - 1] !== "--resume")`,
    });
    await lab.load({ plan: "p", tasks: [task("first", "coder"), task("later", "coder"), task("other", "second")] });
    const ran = await lab.run(["run"]);
    expect(ran.code).toBe(3);
    const { counts, held } = await lab.json<{ counts: object; held: object[] }>(["status"]);
    expect(counts).toMatchObject({ verified: 2, pending: 1 });
    const why = expect.stringContaining("claude 2.1.999 does not do what lockstep needs: resume: ");
    expect(held).toMatchObject([{ key: "agent:coder", until: null, why }]);
    expect((await lab.run(["agent", "list"])).stdout).toMatch(
      /coder +claude .*2\.1\.999, trial failed {2}held: agent coder: claude 2\.1\.999/,
    );

    expect(await lab.run(["agent", "release", "coder"])).toMatchObject({ code: 0, stdout: "released  agent coder\n" });
    expect(await lab.run(["run"])).toMatchObject({ code: 0 });
    expect((await lab.json<{ counts: object }>(["status"])).counts).toMatchObject({ verified: 3 });
  } finally {
    await model.close();
  }
}, 240_000);
