/** The four real command lines in homes of their own: log-in and settings are the user's, and nothing else is. */

import { existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { sandboxProblem } from "../../src/adapters/processes/sandbox.ts";
import { type Model, startModel, type Turn } from "../../src/probe/model/model-server.ts";
import { startTranslatedModel } from "../../src/probe/model/translated-model.ts";
import { Lab } from "../e2e/cli/lab.ts";
import { geminiCli, openCodeCli } from "./acp-cli.ts";
import { claudeProgram } from "./claude-cli.ts";
import { CODEX_MODEL, codexCommand } from "./codex-cli.ts";
import { openCodeProgram } from "./opencode-cli.ts";

/** What a tool of the agent sees, in a file of its work. */
const look = (name: string): string =>
  `printf '%s\\n' "$HOME" "$TMPDIR" "\${ENGINE_ONLY-unset}" "\${ANTHROPIC_API_KEY-unset}" > ${name}.txt; git config user.email >> ${name}.txt; lockstep self progress "looked" && touch ${name}-told`;

const run = (name: string, input: Record<string, unknown>): Turn[] => [{ use: [{ name, input }] }, { say: "Looked." }];

const native = {
  claude: run("Bash", { command: look("claude"), description: "look" }),
  boxed: run("Bash", { command: look("boxed"), description: "look" }),
  codex: run("exec_command", { cmd: look("codex") }),
};
const translated = {
  gemini: run("run_shell_command", { command: look("gemini") }),
  opencode: run("bash", { command: look("opencode"), description: "look" }),
};

/** No secret of anybody: it only looks like one. */
const LOGIN = `sk-${"ant"}-oat01-${"a1B2".repeat(12)}`;

const problem = await sandboxProblem(process.env["PATH"]!);

let models: { native: Model; translated: Model };
beforeAll(async () => {
  models = { native: await startModel(native), translated: await startTranslatedModel(translated) };
});
afterAll(() => Promise.all([models.native.close(), models.translated.close()]));

function homeFile(lab: Lab, name: string, text: string): void {
  const file = join(lab.base, "home", name);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}

/** Settings and log-ins of the user, where each command line looks for them. */
function fillHome(lab: Lab): void {
  const oauth = {
    accessToken: LOGIN,
    refreshToken: "r",
    expiresAt: Date.now() + 3_600_000 * 24,
    scopes: ["user:inference"],
  };
  homeFile(lab, ".claude/.credentials.json", JSON.stringify({ claudeAiOauth: { ...oauth, subscriptionType: "max" } }));
  homeFile(lab, ".claude.json", JSON.stringify({ hasCompletedOnboarding: true, projects: { "/elsewhere": {} } }));
  homeFile(lab, ".codex/config.toml", `model = "${CODEX_MODEL}"\ncheck_for_update_on_startup = false\n`);
  const place = {
    base: lab.base,
    write: (name: string, text: string) => {
      homeFile(lab, name.replace(/^home\//, ""), text);
      return name;
    },
  };
  geminiCli(place, "");
  const openCode = openCodeCli(place, models.translated.url).env["OPENCODE_CONFIG_CONTENT"]!;
  homeFile(lab, ".config/opencode/opencode.json", openCode);
}

test("each of four command lines works in a home of its own, one in a sandbox too, with its user's log-in and settings", async () => {
  const quiet = { DISABLE_TELEMETRY: "1", DISABLE_ERROR_REPORTING: "1", CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1" };
  const lab = new Lab({ git: true });
  fillHome(lab);
  const gemini = geminiCli({ base: join(lab.base, "unused"), write: (name) => name }, models.translated.url);
  const { GEMINI_API_KEY: _, HOME: __, TMPDIR: ___, PATH: ____, ...geminiEnv } = gemini.env;
  const off = { OPENCODE_DISABLE_MODELS_FETCH: "1", OPENCODE_DISABLE_LSP_DOWNLOAD: "1" };
  const agents = {
    claude: { adapter: "claude", command: [claudeProgram()], env: { ...quiet, ANTHROPIC_BASE_URL: models.native.url } },
    boxed: {
      adapter: "claude",
      command: [claudeProgram()],
      env: { ...quiet, ANTHROPIC_BASE_URL: models.native.url },
      ...(problem === null ? { sandbox: "bwrap" } : {}),
    },
    codex: { adapter: "codex", command: codexCommand(models.native.url), env: { SCRIPTED_KEY: "$CODEX_TEST_KEY" } },
    gemini: { adapter: "gemini", command: gemini.program, env: geminiEnv, pass_env: ["GEMINI_API_KEY"] },
    opencode: {
      adapter: "opencode",
      command: openCodeProgram({ base: "", write: (name) => name }, "").program,
      env: off,
    },
  };
  for (const agent of Object.values(agents)) Object.assign(agent, { probe: false });
  lab.write("lockstep.yaml", JSON.stringify({ jobs: 2, agents, workspace: { mode: "worktree" } }));
  const tasks = Object.keys(agents).map((name) => ({
    id: name,
    agent: name,
    prompt: `[[play:${name}]] Look.`,
    // It has found `lockstep` too, and reached its runner by it.
    verify: `test -s ${name}.txt && test -e ${name}-told`,
  }));
  lab.write("plan.json", JSON.stringify({ plan: "look", defaults: { timeout: "2m", tries: 1 }, tasks }));
  const env = {
    ENGINE_ONLY: "seen",
    ANTHROPIC_API_KEY: "a-key-that-would-be-billed",
    GEMINI_API_KEY: "a-key-that-opens-nothing",
    CODEX_TEST_KEY: "another-key-that-opens-nothing",
  };
  const ran = await lab.run(["run", "plan.json"], { env });
  expect(ran).toMatchObject({ code: 0 });
  expect(ran.stderr).toContain("agent claude: ANTHROPIC_API_KEY is set and not passed on");
  const seen = new Map(
    Object.keys(agents).map((name) => [name, lab.git("show", `lockstep/look:${name}.txt`).split("\n")]),
  );
  for (const [name, [home, temporary, engine, key, email]] of seen) {
    expect(home).toMatch(new RegExp(`/lockstep/blobs/homes/../[0-9a-f-]+/${name}/${name}$`));
    // OpenCode has one below it, for what it leaves.
    expect(temporary).toMatch(/\/lockstep\/blobs\/tmp\/..\/[0-9a-f]{8}(?:\/opencode-\w+)?$/);
    expect(existsSync(temporary!)).toBe(false);
    // Gemini CLI gives its tools no settings of git at all.
    const identity = name === "gemini" ? undefined : "anna@example.com";
    expect([name, engine, key, email]).toEqual([name, "unset", "unset", identity]);
    // The task is verified: nobody takes its conversation up again.
    expect(existsSync(home!)).toBe(false);
  }
  expect(new Set([...seen.values()].map(([home]) => home)).size).toBe(5);
  // Claude Code was logged in as its user is, and the user's files are what they were.
  expect(models.native.authorizations).toContain(`Bearer ${LOGIN}`);
  expect(JSON.parse(readFileSync(join(lab.base, "home/.claude.json"), "utf8"))).toEqual({
    hasCompletedOnboarding: true,
    projects: { "/elsewhere": {} },
  });
  expect(lstatSync(join(lab.base, "home/.claude/.credentials.json")).isFile()).toBe(true);
  expect(readdirSync(join(lab.base, "home/.claude"))).toEqual([".credentials.json"]);
});
