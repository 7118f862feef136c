/** An engine's side of a spool: hears the runner, steers it, and knows when it has ended. */

import { appendFileSync, utimesSync } from "node:fs";
import type { Clock } from "../../ports/clock.ts";
import type { Processes, ProcessIdentity } from "../../ports/processes.ts";
import type { LiveRunner, RunnerControl, RunnerEnd, RunnerEvent } from "../../ports/runner.ts";
import { LineReader } from "./line-reader.ts";
import { readIfThere, type SpoolFiles } from "./spool-files.ts";
import { type FileWatch, watchFile } from "./watch-file.ts";

/** A death changes no file, so the runner is looked at this often. */
const LOOK_MS = 1_000;

/** What has left its end has nothing more to do; it is gone within milliseconds unless the machine is overloaded. */
const EXIT_LOOKS = 40;
const EXIT_LOOK_MS = 50;

export interface SpoolPorts {
  processes: Processes;
  clock: Clock;
}

/** `exited` resolves when a runner that this process started is gone; a runner of another engine has none. */
export function followSpool(files: SpoolFiles, ports: SpoolPorts, exited?: Promise<unknown>): LiveRunner {
  return {
    follow: (tell, leave) => follow({ files, ports, exited, leave }, tell),
    control: async (wish: RunnerControl) => appendFileSync(files.control, `${JSON.stringify(wish)}\n`, { mode: 0o600 }),
    kill: async () => {
      const runner = runnerOf(files);
      if (runner !== null) await ports.processes.kill(runner);
    },
    isAlive: () => isAlive(files, ports),
    greet: async () => {
      const now = ports.clock.now() / 1_000;
      utimesSync(files.control, now, now);
    },
  };
}

interface Followed {
  files: SpoolFiles;
  ports: SpoolPorts;
  exited: Promise<unknown> | undefined;
  leave: AbortSignal;
}

async function follow(
  { files, ports, exited, leave }: Followed,
  tell: (event: RunnerEvent) => Promise<void>,
): Promise<RunnerEnd | null> {
  const following = new Following(files, ports, tell);
  const watch = watchFile(files.events, ports.clock);
  let hasExited = false;
  void exited?.then(() => {
    hasExited = true;
    watch.wake();
  });
  leave.addEventListener("abort", watch.wake, { once: true });
  try {
    while (!leave.aborted) {
      // Asked before the files are read: a runner that ends in between has left all that it will ever leave.
      const isGone = hasExited || (exited === undefined && !isAlive(files, ports));
      const end = await following.read();
      if (end === null && !isGone) await watch.wait(LOOK_MS);
      else return end === null ? await following.lost() : await following.ended(end, () => hasExited, watch);
    }
    return null;
  } finally {
    leave.removeEventListener("abort", watch.wake);
    watch.close();
    following.close();
  }
}

class Following {
  readonly #files: SpoolFiles;
  readonly #ports: SpoolPorts;
  readonly #tell: (event: RunnerEvent) => Promise<void>;
  readonly #lines: LineReader;
  #agent: ProcessIdentity | null = null;

  constructor(files: SpoolFiles, ports: SpoolPorts, tell: (event: RunnerEvent) => Promise<void>) {
    this.#files = files;
    this.#ports = ports;
    this.#tell = tell;
    this.#lines = new LineReader(files.events);
  }

  /** Tells what is new, and answers the end once there is one: then everything has been told. */
  async read(): Promise<RunnerEnd | null> {
    const done = readIfThere(this.#files.done);
    for (let lines = this.#lines.read(); lines.length > 0; lines = this.#lines.read()) {
      for (const line of lines) await this.#hear(JSON.parse(line) as RunnerEvent);
    }
    return done === null ? null : (JSON.parse(done) as RunnerEnd);
  }

  /** The end counts; the process that wrote it is waited for, so that nothing of an ended attempt lives. */
  async ended(end: RunnerEnd, hasExited: () => boolean, watch: FileWatch): Promise<RunnerEnd> {
    for (let look = 0; look < EXIT_LOOKS && !hasExited() && isAlive(this.#files, this.#ports); look++)
      await watch.wait(EXIT_LOOK_MS);
    return end;
  }

  /** A runner that died without a word: its agent is ended too, since nobody hears it any more. */
  async lost(): Promise<RunnerEnd> {
    if (this.#agent !== null) await this.#ports.processes.kill(this.#agent);
    const said = (readIfThere(this.#files.errors) ?? "").trim();
    return {
      outcome: "lost",
      error: said === "" ? "its runner died" : `its runner died: ${said.slice(-SAID_CHARACTERS)}`,
      summary: null,
      usage: null,
      cost_usd: null,
    };
  }

  close(): void {
    this.#lines.close();
  }

  async #hear(event: RunnerEvent): Promise<void> {
    if (event.type === "started") this.#agent = event.agent;
    await this.#tell(event);
  }
}

/** As much of a broken runner's last words as a person reads. */
const SAID_CHARACTERS = 1_000;

function isAlive(files: SpoolFiles, { processes }: SpoolPorts): boolean {
  const runner = runnerOf(files);
  return runner !== null && processes.alive(runner);
}

/** The process that made the attempt its own; null when none did, or when the attempt was given up. */
export function runnerOf(files: SpoolFiles): ProcessIdentity | null {
  const text = readIfThere(files.runner);
  return text === null ? null : (JSON.parse(text) as { runner: ProcessIdentity | null }).runner;
}
