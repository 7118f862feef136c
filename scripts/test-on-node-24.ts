/** Runs the store's contract suite and one plan from end to end on Node 24, whose binary the npm package `node` brings. */

import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

/** The whole suite with `--all`; otherwise what differs between the runtimes. */
const SUITES = ["test/contract", "test/e2e/examples"];
const VERSION = "24";

const root = fileURLToPath(new URL("..", import.meta.url));
const folder = `${root}node_modules/.cache/node-${VERSION}`;
const node = `${folder}/node_modules/node/bin/node`;

if (!existsSync(node)) {
  mkdirSync(folder, { recursive: true });
  writeFileSync(`${folder}/package.json`, JSON.stringify({ private: true }));
  execFileSync("npm", ["install", "--no-audit", "--no-fund", `node@${VERSION}`], {
    cwd: folder,
    stdio: ["ignore", "ignore", "inherit"],
  });
}

const version = execFileSync(node, ["--version"], { encoding: "utf8" }).trim();
process.stdout.write(`Node ${version}\n`);
const suites = process.argv.includes("--all") ? [] : SUITES;
const path = `${folder}/node_modules/node/bin:${process.env["PATH"] ?? ""}`;
const ended = spawnSync(node, ["node_modules/vitest/vitest.mjs", "run", ...suites], {
  cwd: root,
  stdio: "inherit",
  env: { ...process.env, PATH: path },
});
process.exitCode = ended.status ?? 1;
