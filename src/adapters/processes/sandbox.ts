/** Runs a program under bubblewrap: it reads the system, and writes and sees of its user's what it was given. */

import { execFile } from "node:child_process";
import { existsSync, realpathSync } from "node:fs";
import { delimiter, dirname, isAbsolute, resolve, sep } from "node:path";
import { promisify } from "node:util";
import type { SandboxView } from "../../ports/processes.ts";
import { findProgram } from "./find-program.ts";

/** Where a PATH that leads nowhere is not the machine's word on what it has. */
const SYSTEM_PATH = ["/usr/bin", "/bin", "/usr/local/bin"];

/**
 * Sockets lie here by which a program could have others work for it outside, and files of other programs. Its device files,
 * its process table and its temporary directory are its own.
 */
const HIDDEN = ["/run", "/tmp", "/var/tmp"];

/** Without it no name of the network is found; on many machines it is a link into what is hidden. */
const RESOLVER = "/etc/resolv.conf";

/** It takes milliseconds; what takes so long does not work. */
const PROBE_MS_MAX = 10_000;

/** The end of the group by a signal must not take bubblewrap with it, which would kill the program: only the program hears it. */
const DEAF = 'trap "" TERM INT HUP; exec -- "$@"';
const HEARING = ["env", "--default-signal=TERM,INT,HUP", "--"];

/** Waits at descriptor 3 as every held process does, and says when the program is about to begin. */
const INNER = 'read -r _ <&3 || exit 125; (echo >&3); exec 3>&-; exec -- "$@"';

export interface SandboxedCommand {
  argv: readonly string[];
  cwd: string;
  env: Record<string, string>;
}

/** The command line that runs a program in a sandbox, held before it begins; or why that cannot be. */
export function sandboxArgv(view: SandboxView, command: SandboxedCommand): readonly [string, ...string[]] | string {
  const bwrap = findBwrap(command.env["PATH"] ?? "");
  if (bwrap === null) return NOT_FOUND;
  const inner = [...HEARING, "bash", "-c", INNER, "bash", ...command.argv];
  return ["bash", "-c", DEAF, "bash", bwrap, ...flagsOf(view, command), "--", ...inner];
}

const NOT_FOUND = "there is no program bwrap: install the package bubblewrap";

/** Why this machine can run nothing in a sandbox, found out by trying it; null: it can. */
export async function sandboxProblem(path: string): Promise<string | null> {
  if (process.platform !== "linux") return "only Linux has bubblewrap";
  const bwrap = findBwrap(path);
  if (bwrap === null) return NOT_FOUND;
  const view = { hidden: [], readable: [], writable: [], network: true };
  const flags = flagsOf(view, { argv: ["true"], cwd: "/", env: {} });
  try {
    await promisify(execFile)(bwrap, [...flags, "--", ...HEARING, "true"], { timeout: PROBE_MS_MAX });
    return null;
  } catch (error) {
    const { stderr, message } = error as Error & { stderr?: string };
    return `bwrap does not work here: ${stderr?.trim() || message}`;
  }
}

function findBwrap(path: string): string | null {
  return findProgram("bwrap", process.cwd(), [path, ...SYSTEM_PATH].join(delimiter));
}

function flagsOf(view: SandboxView, command: SandboxedCommand): string[] {
  const hidden = [...HIDDEN, ...view.hidden].filter((path) => existsSync(path));
  const given = [
    ...[...view.readable, ...programPlaces(command), ...resolver()].map((path) => ({ path, flag: "--ro-bind" })),
    ...view.writable.map((path) => ({ path, flag: "--bind" })),
  ].filter(({ path, flag }) => existsSync(path) && (flag === "--bind" || hidden.some((top) => isBelow(path, top))));
  const mounts = [...hidden.map((path) => ({ path, flag: "--tmpfs" })), ...given, ...protectedIn(view)];
  return [
    ...["--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc"],
    // What lies inside of another comes after it.
    ...mounts
      .sort((a, b) => depthOf(a.path) - depthOf(b.path))
      .flatMap(({ path, flag }) => (flag === "--tmpfs" ? [flag, path] : [flag, path, path])),
    ...["--unshare-pid", "--unshare-ipc", "--die-with-parent", "--cap-drop", "ALL"],
    ...(view.network ? [] : ["--unshare-net"]),
    ...["--chdir", command.cwd],
  ];
}

/** Below a writable place these can be read only. */
function protectedIn({ readable, writable }: SandboxView): { path: string; flag: string }[] {
  return readable
    .filter((path) => existsSync(path) && writable.some((top) => path !== top && isBelow(path, top)))
    .map((path) => ({ path, flag: "--ro-bind" }));
}

/** Where the program and what it finds by name lie: many are installed in their user's home. */
function programPlaces({ argv, cwd, env }: SandboxedCommand): string[] {
  const directories = (env["PATH"] ?? "").split(delimiter).filter(isAbsolute);
  const programs = [
    findProgram(argv[0]!, cwd, env["PATH"] ?? ""),
    findProgram("node", cwd, env["PATH"] ?? ""),
    process.execPath,
  ];
  return [...directories, ...programs.flatMap((file) => (file === null ? [] : installedWith(file)))];
}

/** Its own directory, and where its name leads; with a package of npm all that it was installed with. */
function installedWith(file: string): string[] {
  const real = realpathSync(file);
  const parts = real.split(sep);
  const modules = parts.indexOf("node_modules");
  if (modules !== -1) return [dirname(file), parts.slice(0, modules + 1).join(sep)];
  const above = dirname(dirname(real));
  // A program with its libraries beside it, as version managers install them.
  const isWhole = dirname(real).endsWith(`${sep}bin`) && existsSync(resolve(above, "lib"));
  return [dirname(file), isWhole ? above : dirname(real)];
}

function resolver(): string[] {
  return existsSync(RESOLVER) ? [realpathSync(RESOLVER)] : [];
}

function isBelow(path: string, top: string): boolean {
  return path === top || path.startsWith(top.endsWith(sep) ? top : `${top}${sep}`);
}

function depthOf(path: string): number {
  return path.split(sep).filter((part) => part !== "").length;
}
