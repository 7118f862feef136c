/** An engine's side of a spool: hears the runner, steers it, and knows when it has ended. */

import { appendFileSync, statSync, utimesSync } from "node:fs";
import type { Clock } from "../../ports/clock.ts";
import type { Processes } from "../../ports/processes.ts";
import type { LiveRunner, RunnerControl, RunnerEnd, RunnerEvent } from "../../ports/runner.ts";
import { HeardLines, UNREAD_LINE } from "./heard-lines.ts";
import { isOutOfReach } from "./read-file.ts";
import type { SpoolFiles } from "./spool-files.ts";
import { type Owner, readOwner } from "./spool-owner.ts";
import { died, leftToFinish, lostBecause, type SpoolStatus, spoolStatus } from "./spool-status.ts";
import { isReadable } from "./spool-words.ts";
import { type FileWatch, watchFile } from "./watch-file.ts";

/** A death changes no file, so the runner is looked at this often. */
const LOOK_MS = 1_000;

/** What has left its end has nothing more to do; it is gone within milliseconds unless the machine is overloaded. */
const EXIT_LOOKS = 40;
const EXIT_LOOK_MS = 50;

/** What cannot be read for this many looks in a row is told: a shorter while is no news. */
const UNREAD_LOOKS_TOLD = 2;

/** A machine that has had no file descriptor to spare for ten minutes will not tell more. */
const UNREAD_LOOKS_MAX = 600;

export interface SpoolPorts {
  processes: Processes;
  clock: Clock;
}

/** `exited` resolves when a runner that this process started is gone; a runner of another engine has none. */
export function followSpool(files: SpoolFiles, ports: SpoolPorts, exited?: Promise<unknown>): LiveRunner {
  const runner = new FollowedRunner(files, ports, exited);
  return {
    follow: (tell, leave) => follow(runner, tell, leave),
    control: async (wish) => runner.control(wish),
    kill: () => runner.kill(),
    isAlive: () => runner.isAlive(),
    signedAt: () => statSync(files.runner, { throwIfNoEntry: false })?.mtimeMs ?? null,
    isForeign: () => runner.foreign() !== null,
    greet: async () => runner.greet(),
  };
}

async function follow(
  runner: FollowedRunner,
  tell: (event: RunnerEvent) => Promise<void>,
  leave: AbortSignal,
): Promise<RunnerEnd | null> {
  const { files, clock } = runner;
  const lines = new HeardLines(files.events, tell, clock);
  const watch = watchFile(files.events, clock);
  runner.onExit(watch.wake);
  leave.addEventListener("abort", watch.wake, { once: true });
  let isToldOf = false;
  try {
    for (let unread = 0; !leave.aborted; ) {
      const status = runner.status(unread);
      const foreign = runner.foreign();
      if (foreign === null) await lines.hear();
      else if (!isToldOf) await lines.say(UNREAD_LINE.version, leftToFinish(foreign));
      isToldOf = foreign !== null;
      if (status.state === "ended") {
        await lines.sayProblems(runner.problem);
        return await endedAs(status.end, runner, lines, watch);
      }
      const trouble = status.state === "unknown" ? `its spool cannot be read: ${status.why}` : lines.unreadable;
      unread = trouble === null ? 0 : unread + 1;
      if (unread === UNREAD_LOOKS_TOLD) await lines.say(UNREAD_LINE.trouble, `${trouble}: waiting for that to pass`);
      await watch.wait(LOOK_MS);
    }
    return null;
  } finally {
    leave.removeEventListener("abort", watch.wake);
    watch.close();
    lines.close();
  }
}

/**
 * The end counts; the process that wrote it is waited for, so that nothing of an ended attempt lives. What left no end that
 * can be read is ended by force, its agent too, since nobody hears it any more.
 */
async function endedAs(
  end: RunnerEnd,
  runner: FollowedRunner,
  { agent }: HeardLines,
  watch: FileWatch,
): Promise<RunnerEnd> {
  for (let look = 0; look < EXIT_LOOKS && runner.isAlive(); look++) await watch.wait(EXIT_LOOK_MS);
  if (end.outcome !== "lost") return end;
  await runner.kill();
  if (agent !== null) await runner.processes.kill(agent);
  return end;
}

class FollowedRunner {
  readonly files: SpoolFiles;
  readonly clock: Clock;
  readonly processes: Processes;
  /** What could not be said to the runner, in words. */
  problem: string | null = null;
  readonly #exited: Promise<unknown> | undefined;
  #hasExited = false;
  #owner: Owner = { is: "nobody" };

  constructor(files: SpoolFiles, { clock, processes }: SpoolPorts, exited: Promise<unknown> | undefined) {
    this.files = files;
    this.clock = clock;
    this.processes = processes;
    this.#exited = exited;
    this.onExit(() => {
      this.#hasExited = true;
    });
  }

  onExit(act: () => void): void {
    void this.#exited?.then(act);
  }

  /** `unread`: how often in a row the machine could not tell. */
  status(unread: number): SpoolStatus {
    const isAlive = this.isAlive();
    const status = spoolStatus(this.files, this.#known(), isAlive);
    if (status.state !== "unknown" || isAlive) return status;
    if (this.#owner.is === "nobody") return { state: "ended", end: died(this.files) };
    if (unread < UNREAD_LOOKS_MAX) return status;
    return { state: "ended", end: lostBecause(`its spool cannot be read: ${status.why}`) };
  }

  isAlive(): boolean {
    if (this.#exited !== undefined) return !this.#hasExited;
    const owner = this.#known();
    return owner.is === "runner" && this.processes.alive(owner.runner);
  }

  /** The version that it speaks, where that is not read here. */
  foreign(): number | null {
    const owner = this.#known();
    return owner.is === "runner" && !isReadable(owner.protocol) ? owner.protocol : null;
  }

  async kill(): Promise<void> {
    const owner = this.#known();
    if (owner.is === "runner" && this.processes.alive(owner.runner)) await this.processes.kill(owner.runner);
  }

  control(wish: RunnerControl): void {
    // Whoever speaks another version is not spoken to: it is killed when it has to end.
    if (this.foreign() !== null) return;
    try {
      appendFileSync(this.files.control, `${JSON.stringify(wish)}\n`, { mode: 0o600 });
    } catch (error) {
      if (!isOutOfReach(error)) throw error;
      this.problem ??= `could not tell its runner: ${(error as Error).message}`;
    }
  }

  greet(): void {
    const now = this.clock.now() / 1_000;
    try {
      utimesSync(this.files.control, now, now);
    } catch (error) {
      if (!isOutOfReach(error)) throw error;
      this.problem ??= `could not greet its runner: ${(error as Error).message}`;
    }
  }

  /** Read until it is known, for it never changes then: what becomes of the spool later, the runner stays known. */
  #known(): Owner {
    if (this.#owner.is !== "runner" && this.#owner.is !== "given_up") this.#owner = readOwner(this.files);
    return this.#owner;
  }
}
