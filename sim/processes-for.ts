/** Child processes as one process of lockstep starts and ends them: its checks, and whatever bears an attempt's mark. */

import type { CheckEnd, CheckRequest, HeldProcess, Processes } from "../src/ports/processes.ts";
import type { Mortal } from "./mortal.ts";
import type { Oracles } from "./oracles.ts";

/** Longest time of a check that does not hang. */
const CHECK_MS = 8_000;
const CANNOT_START = 0.01;
const HANGS = 0.01;

export function processesFor(mortal: Mortal, oracles: Oracles): Processes {
  const { world, process } = mortal;
  const { machines } = world;
  return {
    containment: async () => "marks",
    self: () => process.identity,
    alive: (identity) => !mortal.isDead && identity.node === process.identity.node && machines.isAlive(identity),
    kill: (identity) =>
      mortal.call("processes.kill", "write", () => {
        if (identity.node === process.identity.node) machines.end(identity);
      }),
    killBearers: (entry) =>
      mortal.call("processes.killBearers", "write", () => {
        for (const { identity } of machines.bearers(process.identity.node, entry)) machines.end(identity);
      }),
    killInside: (dir) =>
      mortal.call("processes.killInside", "write", () => {
        const inside = world.places.slotAt(dir)?.task;
        if (inside === undefined) return;
        const mark = `/${inside.slug}#${inside.n}`;
        for (const found of machines.all())
          if (found.kind !== "runner" && found.marks.some((entry) => entry.endsWith(mark)))
            machines.end(found.identity);
      }),
    holdCheck: (request) => hold(mortal, oracles, request),
    holdCommand: () => Promise.reject(new Error("the simulation has no commands")),
  };
}

async function hold(mortal: Mortal, oracles: Oracles, request: CheckRequest): Promise<HeldProcess> {
  const { world, process, random } = mortal;
  const { machines } = world;
  const marks = Object.entries(request.env)
    .filter(([name]) => name === "LOCKSTEP_CHECKED")
    .map(([name, value]) => `${name}=${value}`);
  let released = false;
  const child = await mortal.call("processes.holdCheck", "write", () => {
    if (!world.calm && random.chance(CANNOT_START)) return null;
    const { node } = process.identity;
    const started = machines.spawn({ node, kind: "check", name: request.command, marks });
    // A parent that dies takes the held check with it.
    mortal.atEnd.push(() => {
      if (!released) machines.end(started.identity);
    });
    return started;
  });
  if (child === null)
    return {
      process: null,
      release: async () => ({ outcome: "error", exit_code: 127, tail: "bash: cannot fork", ms: 0, forced: false }),
      abandon: async () => {},
    };
  return {
    process: child.identity,
    release: async () => {
      const ended = await mortal.call("check.release", "none", () => {
        released = true;
        // In a list: a promise would be waited for before this call itself has been answered.
        return [new Promise<CheckEnd>((resolve) => run(mortal, oracles, request, child.identity, resolve))] as const;
      });
      return mortal.unlessDead(ended[0]);
    },
    abandon: () =>
      mortal.call("check.abandon", "none", () => {
        machines.end(child.identity);
      }),
  };
}

function run(
  mortal: Mortal,
  oracles: Oracles,
  { command, cwd, timeoutMs, signal, env }: CheckRequest,
  identity: HeldProcess["process"] & object,
  resolve: (end: CheckEnd) => void,
): void {
  const { world, random } = mortal;
  const { machines, clock, places, git } = world;
  const begun = clock.monotonic();
  const process = machines.find(identity);
  const end = (outcome: CheckEnd["outcome"], exit_code: number): void =>
    resolve({
      ...{ outcome, exit_code, ms: clock.monotonic() - begun, forced: outcome === "killed" },
      tail: outcome === "green" ? "" : `${command} says no`,
    });
  if (process === null) {
    end(signal?.aborted ? "killed" : "red", 137);
    return;
  }
  const isHung = !world.calm && random.chance(HANGS);
  const ms = isHung ? Number.POSITIVE_INFINITY : random.between(5, CHECK_MS);
  oracles.checkBegins(process);
  const files = places.filesAt(cwd);
  const tree = files === null ? null : git.tree(files);
  const isGreen = files !== null && verdictOf(command, files);
  let said: [CheckEnd["outcome"], number] = ["red", 137];
  const kill = (outcome: CheckEnd["outcome"], code: number) => (): void => {
    said = [outcome, code];
    machines.end(identity);
  };
  const callOff = clock.after(
    Math.min(ms, timeoutMs),
    ms > timeoutMs ? kill("timed_out", 124) : kill(isGreen ? "green" : "red", isGreen ? 0 : 1),
  );
  const abort = kill("killed", 137);
  signal?.addEventListener("abort", abort, { once: true });
  process.ended.push(() => {
    callOff();
    signal?.removeEventListener("abort", abort);
    if (said[0] === "green") {
      const now = places.filesAt(cwd);
      const isSame = now !== null && git.tree(now) === tree;
      oracles.checked({ command, task: env["LOCKSTEP_TASK"] ?? "", tree: isSame ? tree : null });
    }
    end(...said);
  });
  if (signal?.aborted) abort();
}

/** `verify PATH`: the file is there and good. `guard NAME`: nothing broke it. */
function verdictOf(command: string, files: ReadonlyMap<string, string>): boolean {
  const [word, about = ""] = command.split(" ");
  if (word === "guard") return !files.has(`broken/${about}`);
  return files.get(about)?.startsWith("good") ?? false;
}
