/** The runner's tools in the hands of the real command lines: a whole attempt, with a question that a person answers. */

import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { type Model, startModel, type Turn } from "../../src/probe/model/model-server.ts";
import { startTranslatedModel } from "../../src/probe/model/translated-model.ts";
import { Lab } from "../e2e/cli/lab.ts";
import { geminiCli } from "./acp-cli.ts";
import { claudeEnv, claudeProgram } from "./claude-cli.ts";
import { CODEX_MODEL, codexCommand, codexEnv } from "./codex-cli.ts";
import { openCodeProgram } from "./opencode-cli.ts";
import { type Place, placeIn } from "./place.ts";

type Use = { name: string; namespace?: string; input: Record<string, unknown> };

/** How an agent's model calls a tool of the runner's server. */
type Naming = (tool: string) => Omit<Use, "input">;

/** Calls all tools in the order in which work goes. */
function script(called: Naming): Turn[] {
  const use = (tool: string, input: Record<string, unknown>): Turn => ({ use: [{ ...called(tool), input }] });
  return [
    use("get_task", {}),
    use("report_progress", { text: "half way" }),
    use("ask", { question: "Which currency?", options: ["EUR", "USD"], default: "EUR" }),
    use("report_done", { summary: "It is in dollars.", files: ["money.txt"], not_done: ["the tax"] }),
    { say: "All is reported." },
  ];
}

const SCRIPTS: Record<string, Turn[]> = {
  claude: script((tool) => ({ name: `mcp__lockstep__${tool}` })),
  codex: script((tool) => ({ name: tool, namespace: "mcp__lockstep" })),
  gemini: script((tool) => ({ name: `mcp_lockstep_${tool}` })),
  opencode: script((tool) => ({ name: `lockstep_${tool}` })),
};

let plain: Model;
let translated: Model;
beforeAll(async () => {
  plain = await startModel(SCRIPTS);
  translated = await startTranslatedModel(SCRIPTS);
});
afterAll(() => Promise.all([plain.close(), translated.close()]));

type AgentOf = (place: Place) => object;

const AGENTS: Record<string, AgentOf> = {
  claude: () => ({ adapter: "claude", command: [claudeProgram()], env: claudeEnv(plain.url) }),
  codex: ({ base }) => ({
    adapter: "codex",
    command: codexCommand(plain.url),
    model: CODEX_MODEL,
    env: codexEnv(base),
  }),
  gemini: (place) => {
    const { program, env } = geminiCli(place, translated.url);
    return { adapter: "gemini", command: program, env };
  },
  opencode: (place) => {
    const { program, env } = openCodeProgram(place, translated.url);
    return { adapter: "opencode", command: program, env };
  },
};

function place(): Place {
  const base = mkdtempSync(join(tmpdir(), "lockstep-mcp-"));
  onTestFinished(() => rmSync(base, { recursive: true, force: true, maxRetries: 5 }));
  return placeIn(base);
}

/** All that one agent printed in the only attempt that there is. */
function transcript(lab: Lab): string {
  const attempts = join(lab.env["XDG_STATE_HOME"]!, "lockstep/blobs/attempts");
  const names = readdirSync(attempts, { recursive: true, encoding: "utf8" });
  return readFileSync(join(attempts, names.find((name) => name.endsWith("transcript.log"))!), "utf8");
}

test.each(Object.keys(AGENTS))(
  "%s reads its task, tells how far it is, asks a person and reports what it did",
  async (name) => {
    const agent = AGENTS[name]!(place());
    const lab = new Lab({
      git: true,
      config: JSON.stringify({ agents: { coder: { ...agent, probe: false } }, workspace: { mode: "none" } }),
    });
    const task = { id: "MONEY", title: "Money", prompt: `[[play:${name}]] Choose a currency.`, verify: "test -d ." };
    lab.write(
      "plan.json",
      JSON.stringify({ plan: "shop", defaults: { agent: "coder", timeout: "2m", tries: 1 }, tasks: [task] }),
    );
    const ran = lab.run(["run", "plan.json"]);
    const question = async () =>
      (await lab.json<{ items: { id: string; text: string; options: string[] }[] }>(["inbox"])).items[0];
    await expect.poll(question, { timeout: 60_000, interval: 500 }).toMatchObject({ text: "Which currency?" });
    expect((await lab.run(["status"])).stdout).toContain("half way");
    expect((await question())!.options).toEqual(["EUR", "USD"]);
    expect(await lab.run(["answer", (await question())!.id, "USD"])).toMatchObject({ code: 0 });
    expect({ ...(await ran), log: transcript(lab) }).toMatchObject({ code: 0 });
    const { attempts } = await lab.json<{ attempts: object[] }>(["task", "show", "MONEY"]);
    expect(attempts).toMatchObject([
      {
        outcome: "succeeded",
        summary: "It is in dollars.",
        report: { files: ["money.txt"], not_done: ["the tax"], verdict: null, handoff: null },
      },
    ]);
    // What its tools answered went to the model as it was.
    const heard = transcript(lab);
    expect(heard).toContain("Choose a currency.");
    expect(heard).toContain("USD");
  },
);
