// `npm run demo`: makes a small repository whose tests fail, runs a plan over it, and shows that they pass.
import { execFileSync, spawnSync } from "node:child_process";
import { cpSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const here = fileURLToPath(new URL(".", import.meta.url));
const cli = fileURLToPath(new URL("../../dist/cli/main.cjs", import.meta.url));
const lab = mkdtempSync(join(tmpdir(), "lockstep-demo-"));
const repository = join(lab, "till");
const env = { ...process.env, XDG_STATE_HOME: join(lab, "state") };
const git = (...args) =>
  execFileSync("git", ["-c", "user.name=demo", "-c", "user.email=demo@localhost", ...args], { cwd: repository, env });
const suite = () => spawnSync("npm", ["test"], { cwd: repository, env, encoding: "utf8" });
const lockstep = (...args) =>
  spawnSync(process.execPath, [cli, ...args], { cwd: repository, env, stdio: "inherit" }).status;

cpSync(join(here, "library"), repository, { recursive: true });
writeFileSync(
  join(repository, "lockstep.yaml"),
  `agents:
  scripted: {adapter: command, command: [${JSON.stringify(process.execPath)}, ${JSON.stringify(join(here, "agent.mjs"))}]}
  nobody: {adapter: none}
defaults: {agent: scripted, timeout: 2m}
workspace: {mode: in_place}
`,
);
cpSync(join(here, "plan.yaml"), join(repository, "plan.yaml"));
git("init", "-q", "-b", "main");
git("add", "-A");
git("commit", "-q", "-m", "A library whose tests fail");

console.log(`A repository whose test-suite fails: ${/# fail \d+/.exec(suite().stdout)?.[0] ?? "no count"}\n`);
const code = lockstep("run", "plan.yaml");
console.log(`\nlockstep run ended with ${code}. What it landed, newest first:\n`);
console.log(git("log", "--format=%h %s", "-n", "12").toString());
const { status, stdout } = suite();
console.log(
  `The test-suite now: ${/# pass \d+/.exec(stdout)?.[0] ?? "no count"}, ${/# fail \d+/.exec(stdout)?.[0] ?? "no count"}`,
);
lockstep("status");
rmSync(lab, { recursive: true, force: true });
process.exitCode = code === 0 && status === 0 ? 0 : 1;
