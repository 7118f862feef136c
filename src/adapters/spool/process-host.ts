/** Starts runners as processes of their own, each the leader of a session, which live on when their engine dies. */

import { spawn } from "node:child_process";
import { closeSync, mkdirSync, openSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { spoolName } from "../../core/attempt/spool-name.ts";
import type { AgentSpec } from "../../ports/agent.ts";
import type { AttemptName, Launch, LiveRunner, RunnerEnd, RunnerHost, RunnerOrder } from "../../ports/runner.ts";
import { SPOOL_PROTOCOL } from "../../ports/runner.ts";
import { followSpool, runnerOf, type SpoolPorts } from "./follow-spool.ts";
import { type SpoolFiles, spoolFiles, writeFirst } from "./spool-files.ts";

export interface ProcessHostOptions extends SpoolPorts {
  /** Where blobs lie: spools are among them. */
  stateDir: string;
  /** The runner's program, for this process's own node. */
  program: string;
  agent: AgentSpec;
  /** The environment of the runner and, with its marks, of its agent. */
  env: Record<string, string>;
  orphanMs: number;
  askWaitMs: number;
}

export function processHost(options: ProcessHostOptions): RunnerHost {
  return {
    start: async (order) => {
      try {
        return await launchRunner(prepareSpool(options, order), options);
      } catch (error) {
        // A full or broken disk: this attempt cannot begin, and its engine has others.
        if ((error as NodeJS.ErrnoException).syscall === undefined) throw error;
        return unstarted(error as Error);
      }
    },
  };
}

function prepareSpool(options: ProcessHostOptions, { attempt, brief }: RunnerOrder): SpoolFiles {
  const files = spoolAt(options.stateDir, attempt);
  mkdirSync(files.dir, { recursive: true, mode: 0o700 });
  const launch: Launch = {
    protocol: SPOOL_PROTOCOL,
    attempt,
    agent: options.agent,
    orphan_ms: options.orphanMs,
    ask_wait_ms: options.askWaitMs,
  };
  writeOwn(files.brief, `${JSON.stringify(brief, null, 2)}\n`);
  writeOwn(files.launch, JSON.stringify(launch));
  writeOwn(files.control, "");
  writeOwn(files.events, "");
  return files;
}

/** The runner of an attempt that an earlier engine started; see `Runners.adopt`. */
export function adoptRunner(stateDir: string, attempt: AttemptName, ports: SpoolPorts): LiveRunner | null {
  const files = spoolAt(stateDir, attempt);
  mkdirSync(files.dir, { recursive: true, mode: 0o700 });
  // Whoever makes this file first has the attempt: a runner that is only starting now finds it given up, and ends.
  if (writeFirst(files.runner, JSON.stringify({ runner: null })) || runnerOf(files) === null) return null;
  return followSpool(files, ports);
}

function spoolAt(stateDir: string, { plan, slug, n }: AttemptName): SpoolFiles {
  return spoolFiles(join(stateDir, "blobs", spoolName({ plan, slug }, n)));
}

async function launchRunner(files: SpoolFiles, options: ProcessHostOptions): Promise<LiveRunner> {
  const errors = openSync(files.errors, "ax", 0o600);
  try {
    const child = spawn(process.execPath, [options.program, files.dir], {
      cwd: files.dir,
      env: options.env,
      stdio: ["ignore", errors, errors],
      detached: true,
    });
    if (child.pid === undefined) return unstarted(await new Promise<Error>((resolve) => child.once("error", resolve)));
    const exited = new Promise((resolve) => child.once("exit", resolve));
    child.unref();
    return followSpool(files, options, exited);
  } finally {
    closeSync(errors);
  }
}

/** Nothing was started, by no fault of the task's. */
function unstarted(error: Error): LiveRunner {
  const end: RunnerEnd = {
    outcome: "lost",
    error: `its runner could not be started: ${error.message}`,
    summary: null,
    usage: null,
    cost_usd: null,
  };
  return {
    follow: async () => end,
    control: async () => {},
    kill: async () => {},
    isAlive: () => false,
    greet: async () => {},
  };
}

function writeOwn(file: string, text: string): void {
  writeFileSync(file, text, { mode: 0o600 });
}
