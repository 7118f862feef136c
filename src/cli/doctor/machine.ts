/** What lockstep needs of the machine. */

import { execFile } from "node:child_process";
import { accessSync, constants, existsSync, statfsSync } from "node:fs";
import { dirname } from "node:path";
import { promisify } from "node:util";
import { sandboxOfMachine } from "../../compose/agent-problems.ts";
import { containmentOfMachine, sqliteDriverProblem } from "../../compose/inspect.ts";
import { tmuxVersion } from "../../compose/windows.ts";
import { stateDirOf } from "../../compose.ts";
import type { Containment } from "../../ports/processes.ts";
import type { Examination } from "./examination.ts";
import { fine, wrong } from "./examination.ts";

const NODE_MIN = [20, 19] as const;
const GIT_MIN = [2, 30] as const;

export async function examineMachine(env: NodeJS.ProcessEnv): Promise<Examination[]> {
  const stateDir = stateDirOf(env);
  return [
    nodeVersion(),
    await gitVersion(),
    await tmuxFound(env),
    await driver(),
    leftovers(await containmentOfMachine()),
    await sandboxFound(env),
    writable(stateDir),
    ...localDisk("state directory", stateDir),
  ];
}

function nodeVersion(): Examination {
  if (isAtLeast(process.versions.node, NODE_MIN)) return fine("node", process.versions.node);
  return wrong(
    "node",
    "node_too_old",
    `node ${process.versions.node} is too old`,
    `Install Node ${NODE_MIN.join(".")} or later.`,
  );
}

async function gitVersion(): Promise<Examination> {
  const fix = `Install git ${GIT_MIN.join(".")} or later.`;
  try {
    const { stdout } = await promisify(execFile)("git", ["--version"]);
    const version = /\d+\.\d+[\d.]*/.exec(stdout)?.[0] ?? "";
    return isAtLeast(version, GIT_MIN)
      ? fine("git", version)
      : wrong("git", "git_too_old", `git ${version} is too old`, fix);
  } catch (error) {
    return wrong("git", "no_git", `git cannot be started: ${(error as Error).message}`, fix);
  }
}

/** Nothing needs it but `--host tmux`, which says so itself. */
async function tmuxFound(env: NodeJS.ProcessEnv): Promise<Examination> {
  const found = await tmuxVersion(env);
  return fine("tmux", "version" in found ? found.version : `${found.message}; only --host tmux needs it`);
}

/** Nothing needs it but agents with `sandbox: bwrap`, which are told of where they are configured. */
async function sandboxFound(env: NodeJS.ProcessEnv): Promise<Examination> {
  const problem = await sandboxOfMachine(env);
  return fine("sandbox", problem === null ? "bwrap works" : `${problem}; only agents with sandbox: bwrap need it`);
}

function isAtLeast(version: string, [major, minor]: readonly [number, number]): boolean {
  const [first = 0, second = 0] = version.split(".").map(Number);
  return first > major || (first === major && second >= minor);
}

async function driver(): Promise<Examination> {
  const problem = await sqliteDriverProblem();
  return problem === null
    ? fine("sqlite", "its driver loads")
    : wrong("sqlite", problem.code, problem.message, problem.hint);
}

const LEFTOVERS: Record<Containment, string> = {
  namespace: "pid namespace: nothing that an agent starts outlives it",
  marks:
    "marks: what an agent leaves is found by its environment and its directory, but not what hides from both; " +
    "for a proof install `unshare` (util-linux) and let users make namespaces, or be root",
  group: "process group: what leaves an agent's group and loses its parent is not found; only Linux proves more",
};

/** How sure it is that nothing outlives an agent. No level is a problem: each ends all that agents do in good faith. */
export function leftovers(level: Containment): Examination {
  return fine("what agents leave running", LEFTOVERS[level]);
}

function writable(dir: string): Examination {
  const existing = nearestExisting(dir);
  try {
    accessSync(existing, constants.W_OK);
    return fine("state directory", dir);
  } catch (error) {
    const { message } = error as Error;
    return wrong(
      "state directory",
      "not_writable",
      `${existing} cannot be written: ${message}`,
      "Give yourself the right to write there, or set XDG_STATE_HOME.",
    );
  }
}

/** Types of file systems (statfs) on which locks of other machines are not seen. */
const NETWORK: ReadonlyMap<number, string> = new Map([
  [0x6969, "NFS"],
  [0x517b, "SMB"],
  [0xfe534d42, "SMB"],
  [0xff534d42, "CIFS"],
  [0x5346414f, "AFS"],
  [0x00c36400, "Ceph"],
  [0x0bd00bd0, "Lustre"],
  [0x47504653, "GPFS"],
  [0x01021997, "9p"],
]);

/** Less than this and a store, git or a check will soon fail. */
const FREE_BYTES_MIN = 100 * 1024 * 1024;

export function localDisk(what: string, dir: string): Examination[] {
  const existing = nearestExisting(dir);
  const { type, bavail, bsize } = statfsSync(existing);
  const network = NETWORK.get(type >>> 0);
  const free = bavail * bsize;
  const megabytes = Math.floor(free / 1024 / 1024);
  return [
    network === undefined
      ? fine(`${what}, file system`, "local")
      : wrong(
          what,
          "network_file_system",
          `${existing} is on a network file system (${network}), where locks cannot be trusted`,
          "Move it to a local disk: XDG_STATE_HOME, or --store FILE.",
        ),
    free >= FREE_BYTES_MIN
      ? fine(`${what}, free space`, `${megabytes} MB`)
      : wrong(what, "disk_space", `only ${megabytes} MB are free in ${existing}`, "Free some space."),
  ];
}

function nearestExisting(path: string): string {
  return existsSync(path) ? path : nearestExisting(dirname(path));
}
