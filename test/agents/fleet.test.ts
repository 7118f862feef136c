/** Twelve tasks spread over the four real command lines: verified each time, also over an engine that is killed in the middle. */

import { once } from "node:events";
import { join } from "node:path";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import type { Usage } from "../../src/core/task/rows.ts";
import { type Model, startModel, type Turn, USAGE } from "../../src/probe/model/model-server.ts";
import { startTranslatedModel } from "../../src/probe/model/translated-model.ts";
import { Lab } from "../e2e/cli/lab.ts";
import { bearersOf } from "../fixtures/left-processes.ts";
import { geminiCli } from "./acp-cli.ts";
import { claudeEnv, claudeProgram } from "./claude-cli.ts";
import { CODEX_MODEL, codexCommand, codexEnv } from "./codex-cli.ts";
import { openCodeProgram } from "./opencode-cli.ts";
import { placeIn } from "./place.ts";

const AGENTS = ["claude", "codex", "gemini", "opencode"] as const;
type AgentName = (typeof AGENTS)[number];

/** How each of them writes a file. */
const WRITES: Record<AgentName, (name: string) => Turn> = {
  claude: (name) => ({ use: [{ name: "Write", input: { file_path: `{cwd}/${name}`, content: "done\n" } }] }),
  codex: (name) => ({
    use: [{ name: "apply_patch", input: { text: `*** Begin Patch\n*** Add File: ${name}\n+done\n*** End Patch` } }],
  }),
  gemini: (name) => ({ use: [{ name: "write_file", input: { file_path: `{cwd}/${name}`, content: "done\n" } }] }),
  opencode: (name) => ({ use: [{ name: "write", input: { filePath: `{cwd}/${name}`, content: "done\n" } }] }),
};

/** Three rows of one task for each agent; a task depends on its neighbours of the row before. */
const TASKS = [1, 2, 3].flatMap((row) =>
  AGENTS.map((agent, column) => {
    const before = row === 1 ? [] : [AGENTS[column]!, AGENTS[(column + 1) % AGENTS.length]!];
    const depends_on = before.map((name) => `${name}-${row - 1}`);
    const id = `${agent}-${row}`;
    const seen = [...depends_on, id].map((file) => `test -s ${file}.txt`);
    return { id, agent, prompt: `[[play:${id}]] Write it.`, depends_on, verify: seen.join(" && ") };
  }),
);

const SCRIPTS: Record<string, Turn[]> = Object.fromEntries(
  TASKS.map(({ id, agent }) => [id, [WRITES[agent](`${id}.txt`), { say: `${id} is written.` }]]),
);

let [plain, translated]: Model[] = [];
beforeAll(async () => {
  [plain, translated] = [await startModel(SCRIPTS), await startTranslatedModel(SCRIPTS)];
});
afterAll(async () => {
  await plain?.close();
  await translated?.close();
});

function fleet(): Lab {
  const lab = new Lab({ git: true });
  const home = placeIn(lab.base);
  const [gemini, openCode] = [geminiCli(home, translated!.url), openCodeProgram(home, translated!.url)];
  const agents = {
    claude: { adapter: "claude", command: [claudeProgram()], model: "sonnet", env: claudeEnv(plain!.url) },
    codex: {
      adapter: "codex",
      command: codexCommand(plain!.url),
      model: CODEX_MODEL,
      env: codexEnv(join(lab.base, "codex")),
    },
    gemini: { adapter: "gemini", command: gemini.program, env: gemini.env },
    opencode: { adapter: "opencode", command: openCode.program, model: "scripted/one", env: openCode.env },
  };
  // Whether each does what it must is another test's question, and takes its time.
  for (const agent of Object.values(agents)) Object.assign(agent, { probe: false });
  lab.write("lockstep.yaml", `${JSON.stringify({ jobs: 2, agents, workspace: { mode: "worktree" } })}\n`);
  lab.write("plan.json", JSON.stringify({ plan: "fleet", defaults: { timeout: "2m" }, tasks: TASKS }));
  return lab;
}

/** All verified and proved, each in as many attempts as were meant, and nothing of them is left alive. */
async function verifiedIn(lab: Lab): Promise<void> {
  expect(await lab.json(["status"])).toMatchObject({ counts: { verified: TASKS.length } });
  expect(await lab.json(["prove"])).toMatchObject({ ok: true });
  const tree = lab.git("ls-tree", "-r", "--name-only", "lockstep/fleet").split("\n");
  expect(tree).toEqual(expect.arrayContaining(TASKS.map(({ id }) => `${id}.txt`)));
  expect(bearersOf(lab.base)).toEqual([]);
}

interface Shown {
  attempts: { outcome: string; usage: Usage | null; cost_usd: number | null; partial: boolean }[];
}

/** Two answers of the model. */
const USED: Usage = {
  input: 2 * USAGE.input_tokens,
  output: 2 * USAGE.output_tokens,
  cache_read: 2 * USAGE.cache_read_input_tokens,
  cache_write: 2 * USAGE.cache_creation_input_tokens,
};

/** Its model's service has no word for what was written to a cache: that is input. */
const USED_UNWRITTEN: Usage = { ...USED, input: USED.input + USED.cache_write!, cache_write: 0 };

/** Of what came from a cache it tells nothing: all of it is input. */
const USED_UNCACHED: Usage = {
  input: USED.input + USED.cache_read! + USED.cache_write!,
  output: USED.output,
  cache_read: null,
  cache_write: null,
};

const USED_BY: Record<AgentName, Usage> = {
  claude: USED,
  codex: USED,
  gemini: USED_UNCACHED,
  opencode: USED_UNWRITTEN,
};

test.each([1, 2])("all twelve tasks are verified, in one attempt each (time %i)", async () => {
  const lab = fleet();
  expect(await lab.run(["run", "plan.json"])).toMatchObject({ code: 0 });
  await verifiedIn(lab);
  for (const { id, agent } of TASKS) {
    const { attempts } = await lab.json<Shown>(["task", "show", id]);
    expect({ id, attempts }).toMatchObject({ attempts: [{ outcome: "succeeded", partial: false }] });
    expect({ id, usage: attempts[0]!.usage }).toEqual({ id, usage: USED_BY[agent] });
  }
});

test("they are verified over an engine that is killed in the middle, each landed once", async () => {
  const lab = fleet();
  const killed = lab.start(["run", "plan.json"]);
  onTestFinished(() => void killed.kill("SIGKILL"));
  const landed = async (): Promise<number> => {
    const { stdout } = await lab.run(["status", "--json"]);
    return stdout.startsWith("{") ? (JSON.parse(stdout).counts?.verified ?? 0) : 0;
  };
  await expect.poll(landed, { timeout: 100_000, interval: 200 }).toBeGreaterThanOrEqual(4);
  const closed = once(killed, "close");
  killed.kill("SIGKILL");
  await closed;
  expect(await lab.run(["run"])).toMatchObject({ code: 0 });
  await verifiedIn(lab);
  const log = lab.git(
    "log",
    "--first-parent",
    "--format=%(trailers:key=Lockstep-Task,valueonly,separator=%x2C)",
    "lockstep/fleet",
  );
  expect(
    log
      .split("\n")
      .filter((line) => line !== "")
      .sort(),
  ).toEqual(TASKS.map(({ id }) => id).sort());
});
