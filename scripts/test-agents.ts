/** Installs the agents' real command lines, pinned, outside this repository, and runs the tests that drive them. */

import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const CLAUDE = "@anthropic-ai/claude-code@2.1.332";
const CODEX = "@openai/codex@0.171.0";
const GEMINI = "@google/gemini-cli@0.61.0";
const OPENCODE = "opencode-ai@1.18.33";

const root = fileURLToPath(new URL("..", import.meta.url));
const cache = join(process.env["XDG_CACHE_HOME"] || join(homedir(), ".cache"), "lockstep-test-agents");

const programs = {
  LOCKSTEP_TEST_CLAUDE: join(install(CLAUDE), "node_modules/.bin/claude"),
  LOCKSTEP_TEST_CODEX: join(install(CODEX), "node_modules/.bin/codex"),
  LOCKSTEP_TEST_GEMINI: join(install(GEMINI), "node_modules/.bin/gemini"),
  LOCKSTEP_TEST_OPENCODE: join(install(OPENCODE), "node_modules/.bin/opencode"),
};
const ended = spawnSync(
  process.execPath,
  ["node_modules/vitest/vitest.mjs", "run", "--config", "vitest.agents.config.ts", ...process.argv.slice(2)],
  { cwd: root, stdio: "inherit", env: { ...process.env, ...programs } },
);
process.exitCode = ended.status ?? 1;

/** The folder of a package of exactly this version, installed once. */
function install(pinned: string): string {
  const folder = join(cache, pinned.replace(/^@/, "").replaceAll(/[^\w.-]/g, "-"));
  const done = join(folder, "installed");
  if (existsSync(done)) return folder;
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "package.json"), JSON.stringify({ private: true }));
  execFileSync("npm", ["install", "--prefix", folder, "--no-audit", "--no-fund", pinned], {
    cwd: folder,
    stdio: ["ignore", "ignore", "inherit"],
  });
  // Last: a folder without it was left half made.
  writeFileSync(done, "");
  return folder;
}
