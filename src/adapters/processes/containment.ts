import { type ChildProcess, type StdioOptions, spawn } from "node:child_process";
import { delimiter } from "node:path";
import type { Containment } from "../../ports/processes.ts";
import { asScript } from "./as-script.ts";
import { findProgram } from "./find-program.ts";
import { signalGroup } from "./group.ts";
import { ensureDescriptors, isShortage } from "./proc-files.ts";

const LINUX = process.platform === "linux";

/** The forked process is the first of the namespace; it dies with `unshare`, and everything in the namespace with it. */
const NAMESPACE = ["--pid", "--fork", "--mount-proc", "--kill-child"];

/** Who is not root may do that only as the same user inside a user namespace. */
const AS_USER = ["--user", "--map-current-user"];

/** Where a PATH that leads nowhere is not the machine's word on what it has. */
const SYSTEM_PATH = ["/usr/bin", "/bin", "/usr/sbin", "/sbin"];

/**
 * The first process of a namespace: waits at descriptor 3 as every held process does, and ends as the program ended,
 * which ends all that is left. It hears no signal, and fetches the orphans while it waits. A subshell announces itself
 * and becomes the program: signals find it as they would outside. Bash's own word on an end by a signal stays unheard.
 */
export const INIT = [
  "read -r _ <&3 || exit 125; exec 4>&2 2>/dev/null; SHLVL=$((SHLVL - 1))",
  '(echo >&3; exec 3>&-; exec -- "$@") 2>&4 4>&-; exit $?',
].join("; ");

/** A program that shows all that the namespace has to give: its own process table, and an end in its own way on SIGTERM. */
const PROBE = "trap 'exit 7' TERM; [[ /proc/self -ef /proc/$$ ]] && echo ready; read -r _";
const PROBE_EXIT = 7;

/** It takes milliseconds; a machine so busy that it does not get there is better off without. */
const PROBE_MS_MAX = 5_000;

/** Both ends of three pipes and of the platform's own. */
const SPAWN_DESCRIPTORS = 10;

let found: Promise<readonly string[] | null> | undefined;

/** What stands before a command line so that it runs in a pid namespace of its own; null where that does not work. */
export function namespaceArgv(): Promise<readonly string[] | null> {
  found ??= LINUX ? findNamespace() : Promise.resolve(null);
  return found;
}

/** What this machine gives, found out by trying it. */
export async function containmentHere(): Promise<Containment> {
  if (!LINUX) return "group";
  return (await namespaceArgv()) === null ? "marks" : "namespace";
}

async function findNamespace(): Promise<readonly string[] | null> {
  const path = [process.env["PATH"] ?? "", ...SYSTEM_PATH].join(delimiter);
  const unshare = findProgram("unshare", process.cwd(), path);
  if (unshare === null) return null;
  const ways = process.getuid?.() === 0 ? [NAMESPACE, [...AS_USER, ...NAMESPACE]] : [[...AS_USER, ...NAMESPACE]];
  for (const flags of ways) {
    const argv = [unshare, ...flags, "--"];
    if (await works(argv)) return argv;
  }
  return null;
}

/** Also false for an `unshare` that dies of a signal to its group: no program in there could end in its own way. */
function works([program, ...args]: readonly string[]): Promise<boolean> {
  return new Promise((resolve) => {
    const argv = [...args, "bash", "-c", INIT, "bash", "bash", "-c", PROBE];
    let child: ChildProcess;
    try {
      ensureDescriptors(SPAWN_DESCRIPTORS);
      const stdio: StdioOptions = ["pipe", "pipe", "ignore", "pipe"];
      child = spawn(program!, argv, { env: asScript(process.env), stdio, detached: true });
    } catch (error) {
      if (!isShortage(error)) throw error;
      // Too little is left for a try: what comes will say so itself.
      return resolve(false);
    }
    const end = (signal: NodeJS.Signals) => void (child.pid !== undefined && signalGroup(child.pid, signal));
    const late = setTimeout(() => end("SIGKILL"), PROBE_MS_MAX);
    const answer = (isGood: boolean): void => {
      clearTimeout(late);
      for (const pipe of child.stdio ?? []) pipe?.destroy();
      resolve(isGood);
    };
    child.once("error", () => answer(false));
    child.once("exit", (code) => answer(code === PROBE_EXIT));
    if (child.pid === undefined) return;
    child.stdout?.once("data", () => end("SIGTERM"));
    // One that never came to be reads nothing; its exit says so.
    for (const pipe of child.stdio) pipe?.on("error", () => pipe.destroy());
    (child.stdio[3] as NodeJS.WritableStream).write("\n");
  });
}
