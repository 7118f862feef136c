/** Installs the agents' real command lines, pinned by `test/agents/`, outside this repository, and runs the tests that drive them. */

import { execFileSync, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { copyFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const cache = join(process.env["XDG_CACHE_HOME"] || join(homedir(), ".cache"), "lockstep-test-agents");

const bin = join(installed(join(root, "test/agents")), "node_modules/.bin");
const programs = {
  LOCKSTEP_TEST_CLAUDE: join(bin, "claude"),
  LOCKSTEP_TEST_CODEX: join(bin, "codex"),
  LOCKSTEP_TEST_GEMINI: join(bin, "gemini"),
  LOCKSTEP_TEST_OPENCODE: join(bin, "opencode"),
};
const ended = spawnSync(
  process.execPath,
  ["node_modules/vitest/vitest.mjs", "run", "--config", "vitest.agents.config.ts", ...process.argv.slice(2)],
  { cwd: root, stdio: "inherit", env: { ...process.env, ...programs } },
);
process.exitCode = ended.status ?? 1;

/** The folder in which the packages of `pinned` are installed, once for each lock file. */
function installed(pinned: string): string {
  const lock = readFileSync(join(pinned, "package-lock.json"));
  const folder = join(cache, createHash("sha256").update(lock).digest("hex").slice(0, 16));
  const done = join(folder, "installed");
  if (existsSync(done)) return folder;
  mkdirSync(folder, { recursive: true });
  for (const name of ["package.json", "package-lock.json"]) copyFileSync(join(pinned, name), join(folder, name));
  // Not `npm ci`: where a registry lacks packages for other platforms the lock file has only those for this one.
  execFileSync("npm", ["install", "--no-save", "--no-audit", "--no-fund"], {
    cwd: folder,
    stdio: ["ignore", "ignore", "inherit"],
  });
  // Last: a folder without it was left half made.
  writeFileSync(done, "");
  return folder;
}
