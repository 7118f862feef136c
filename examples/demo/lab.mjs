// The place of the demo: a folder for temporary files with a repository and a state directory, so that nothing is left elsewhere.
import { execFileSync, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { cpSync, mkdtempSync, realpathSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";

const here = fileURLToPath(new URL(".", import.meta.url));
const CLI = fileURLToPath(new URL("../../dist/cli/main.cjs", import.meta.url));

/** How long a question stands in the live view before the demo answers it. */
const THINKING_MS = 4_000;

export function makeLab() {
  const dir = realpathSync(mkdtempSync(join(tmpdir(), "lockstep-demo-")));
  const repository = join(dir, "till");
  const env = environment(dir);
  const git = (...args) => execFileSync("git", args, { cwd: repository, env, encoding: "utf8" }).trimEnd();
  const lockstep = (...args) =>
    spawnSync(process.execPath, [CLI, ...args], { cwd: repository, env, stdio: ["ignore", "inherit", "inherit"] });
  cpSync(join(here, "library"), repository, { recursive: true });
  cpSync(join(here, "plan.yaml"), join(repository, "plan.yaml"));
  writeFileSync(join(repository, "lockstep.yaml"), configuration());
  writeFileSync(join(dir, "lockstep"), wrapper(dir), { mode: 0o755 });
  git("init", "-q", "-b", "main");
  git("add", "-A");
  git("commit", "-q", "-m", "A library whose tests fail");
  const lab = { dir, repository, env, git, lockstep };
  return { ...lab, suite: (place) => suite(lab, place), events: () => events(lab), run: (answer) => run(lab, answer) };
}

/** A fresh clone of what has landed; gives its place. */
export function clone({ dir, repository, env }) {
  const place = join(dir, "fresh");
  execFileSync("git", ["clone", "-q", "--branch", "lockstep/till", repository, place], { env });
  return place;
}

/** Nothing of the person's own git settings, and a state directory beside the repository. */
function environment(dir) {
  const inherited = Object.entries(process.env).filter(([name]) => !name.startsWith("GIT_"));
  return {
    ...Object.fromEntries(inherited),
    XDG_STATE_HOME: join(dir, "state"),
    GIT_CONFIG_GLOBAL: "/dev/null",
    GIT_CONFIG_NOSYSTEM: "1",
    ...Object.fromEntries(
      ["AUTHOR", "COMMITTER"].flatMap((who) => [
        [`GIT_${who}_NAME`, "demo"],
        [`GIT_${who}_EMAIL`, "demo@localhost"],
      ]),
    ),
  };
}

function configuration() {
  return `jobs: 4
agents:
  scripted: {adapter: scripted, script: ${JSON.stringify(join(here, "agent.json"))}}
  nobody: {adapter: none}
`;
}

/** For whoever looks around afterwards. */
function wrapper(dir) {
  const quote = (text) => `'${text.replaceAll("'", "'\\''")}'`;
  return `#!/bin/sh\nXDG_STATE_HOME=${quote(join(dir, "state"))} exec ${quote(process.execPath)} ${quote(CLI)} "$@"\n`;
}

function suite({ env }, place) {
  const { status, stdout } = spawnSync(process.execPath, ["test.mjs"], { cwd: place, env, encoding: "utf8" });
  return { ok: status === 0, said: stdout.split("\n")[0] };
}

function events({ repository, env }) {
  const text = execFileSync(process.execPath, [CLI, "events", "--json"], {
    cwd: repository,
    env,
    encoding: "utf8",
    maxBuffer: 64 * 1024 * 1024,
  });
  return text
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
}

/** Carries the plan, answers what it asks as `answerFor` says of the item, and gives the exit code. */
async function run({ repository, env }, answerFor) {
  const start = (args, stdio) => spawn(process.execPath, [CLI, ...args], { cwd: repository, env, stdio });
  const running = start(["run"], "inherit");
  const ended = once(running, "close");
  const follower = start(["events", "--follow", "--json"], ["ignore", "pipe", "inherit"]);
  const forward = (signal) => running.kill(signal);
  // A terminal sends Ctrl-C to the run as well, and the run knows what to do with it.
  const letBe = () => {};
  process.on("SIGINT", letBe).on("SIGTERM", forward).on("SIGHUP", forward);
  const over = new AbortController();
  const answered = new Set();
  createInterface(follower.stdout).on("line", async (line) => {
    const { type, data } = JSON.parse(line);
    if (type === "item.answered") answered.add(data.item);
    if (type !== "item.opened" || data.item.kind !== "question") return;
    await sleep(THINKING_MS, undefined, { signal: over.signal }).catch(whenAborted);
    // A person who looks in from another terminal may have been quicker.
    if (over.signal.aborted || answered.has(data.item.id)) return;
    start(["answer", data.item.id, answerFor(data.item)], ["ignore", "ignore", "inherit"]);
  });
  const [code] = await ended;
  over.abort();
  follower.kill();
  process.off("SIGINT", letBe).off("SIGTERM", forward).off("SIGHUP", forward);
  return code;
}

function whenAborted(error) {
  if (error.name !== "AbortError") throw error;
}
