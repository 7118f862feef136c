/** What each real command line makes of a no, and of a yes that a person gives. */

import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { acpAgent } from "../../src/adapters/agent/acp-agent.ts";
import { claudeAgent } from "../../src/adapters/agent/claude-agent.ts";
import { codexAgent } from "../../src/adapters/agent/codex-agent.ts";
import type { Agent } from "../../src/ports/agent.ts";
import { type Model, startModel, type Turn } from "../../src/probe/model/model-server.ts";
import { startTranslatedModel } from "../../src/probe/model/translated-model.ts";
import { Attempt } from "../fixtures/agent-attempt.ts";
import { geminiCli, openCodeCli } from "./acp-cli.ts";
import { claudeEnv, claudeProgram } from "./claude-cli.ts";
import { CODEX_MODEL, codexCommand, codexEnv } from "./codex-cli.ts";
import { ruled } from "./ruled.ts";

/** How each model of a command line calls its shell. */
const SHELLS: Record<string, (command: string) => { name: string; input: Record<string, unknown> }> = {
  claude: (command) => ({ name: "Bash", input: { command, description: "run it" } }),
  codex: (cmd) => ({ name: "exec_command", input: { cmd, yield_time_ms: 600_000 } }),
  gemini: (command) => ({ name: "run_shell_command", input: { command, description: "run it" } }),
  opencode: (command) => ({ name: "bash", input: { command, description: "run it" } }),
};

/** It makes a file, is refused to remove it, and goes on. */
const MAKES = "echo kept > kept.txt";
const REMOVES = "echo before; rm -rf kept.txt";
const GOES_ON = "echo on > on.txt";

function scriptsFor(names: readonly string[]): Record<string, Turn[]> {
  return Object.fromEntries(
    names.map((name) => {
      const shell = SHELLS[name]!;
      const turns = [MAKES, REMOVES, GOES_ON].map((command) => ({ use: [shell(command)] }));
      return [name, [...turns, { say: "All is said." }]];
    }),
  );
}

let model: Model;
let translated: Model;
beforeAll(async () => {
  model = await startModel(scriptsFor(["claude", "codex"]));
  translated = await startTranslatedModel(scriptsFor(["gemini", "opencode"]));
});
afterAll(async () => {
  await model.close();
  await translated.close();
});

/** The agent of a command line, and the environment that it needs. */
function agentOf(name: string, attempt: Attempt): { agent: Agent; env: Record<string, string> } {
  const { processes, base } = attempt;
  const free = { model: null, effort: null };
  switch (name) {
    case "claude": {
      const env = { PATH: "/usr/bin:/bin", HOME: join(base, "home"), ...claudeEnv(model.url) };
      return { agent: claudeAgent({ adapter: "claude", program: [claudeProgram()], ...free }, processes), env };
    }
    case "codex": {
      const program = codexCommand(model.url);
      const env = { PATH: "/usr/bin:/bin", ...codexEnv(base) };
      return { agent: codexAgent({ adapter: "codex", program, model: CODEX_MODEL, effort: null }, processes), env };
    }
    default: {
      const { program, env } = (name === "gemini" ? geminiCli : openCodeCli)(attempt, translated.url);
      const mode = name === "gemini" ? "default" : null;
      return { agent: acpAgent({ adapter: "acp", program, mode, auth: null, ...free }, processes), env };
    }
  }
}

function play(name: string, attempt: Attempt, permit: ReturnType<typeof ruled>["permit"]) {
  const { agent, env } = agentOf(name, attempt);
  return attempt.run(agent, { prompt: `[[play:${name}]] Do what the script says.\n`, timeoutMs: 90_000, permit, env });
}

describe.each(Object.keys(SHELLS))("%s", (name) => {
  test("is refused by a rule, and carries on", async () => {
    const attempt = new Attempt();
    const { permit, rulings } = ruled(attempt.workspace, { deny: ["run(rm *)"] });
    const end = await play(name, attempt, permit);
    expect({ end, log: end.outcome === "succeeded" ? "" : attempt.log }).toMatchObject({
      end: { outcome: "succeeded", summary: "All is said." },
    });
    expect(attempt.read("kept.txt")).toBe("kept\n");
    expect(attempt.read("on.txt")).toBe("on\n");
    expect(rulings).toMatchObject([{ allowed: false, why: "not allowed: by the rule run(rm *)" }]);
    expect(rulings[0]!.about).toContain("rm -rf kept.txt");
    // Gemini CLI goes on by itself, and its protocol has no place for a reason.
    const told = [...model.bodies, ...translated.bodies].some(
      (body) => body.includes(`[[play:${name}]]`) && body.includes("by the rule run(rm *)"),
    );
    if (name !== "gemini") expect(told).toBe(true);
  });

  test("is refused a file that its command line opens, as if it wrote it", async () => {
    const attempt = new Attempt();
    const { permit, rulings } = ruled(attempt.workspace, { deny: ["write(on.txt)"] });
    expect(await play(name, attempt, permit)).toMatchObject({ outcome: "succeeded" });
    expect(attempt.read("on.txt")).toBeNull();
    expect(rulings).toMatchObject([
      { allowed: false, why: "not allowed: by the rule write(on.txt): it would write on.txt" },
    ]);
  });

  test("waits for a person, who allows it", async () => {
    const attempt = new Attempt();
    const { permit, rulings, asked } = ruled(attempt.workspace, { ask: ["run(rm *)"] }, "allow");
    expect(await play(name, attempt, permit)).toMatchObject({ outcome: "succeeded", summary: "All is said." });
    expect(attempt.read("kept.txt")).toBeNull();
    expect(asked).toHaveLength(1);
    expect(rulings).toMatchObject([{ allowed: true, why: "a person allowed it" }]);
  });
});
