/** Starts runners as processes of their own, each the leader of a session, which live on when their engine dies. */

import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { closeSync, mkdirSync, openSync, renameSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import type { AgentSpec } from "../../ports/agent.ts";
import type { AttemptName, Isolation, Launch, LiveRunner, RunnerHost, RunnerOrder, Watch } from "../../ports/runner.ts";
import { SPOOL_PROTOCOL } from "../../ports/runner.ts";
import { endedRunner } from "./ended-runner.ts";
import { followSpool, type SpoolPorts } from "./follow-spool.ts";
import { resumptionOf } from "./kept-session.ts";
import { type SpoolFiles, spoolAt } from "./spool-files.ts";
import { lostBecause } from "./spool-status.ts";

export interface ProcessHostOptions extends SpoolPorts {
  /** Where blobs lie: spools are among them. */
  stateDir: string;
  /** The runner's program, for this process's own node. */
  program: string;
  agent: AgentSpec;
  /** The environment of the runner and, with its marks, of its agent. */
  env: Record<string, string>;
  /** What the agent of an attempt has for itself; nothing unless given. */
  isolation?(attempt: AttemptName): Isolation;
  orphanMs: number;
  askWaitMs: number;
  watch: Watch;
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

function prepareSpool(options: ProcessHostOptions, { attempt, brief, sweep, resume }: RunnerOrder): SpoolFiles {
  const { stateDir } = options;
  const files = spoolAt(stateDir, attempt);
  makeEmpty(files.dir);
  const given: Launch = {
    protocol: SPOOL_PROTOCOL,
    attempt,
    agent: options.agent,
    orphan_ms: options.orphanMs,
    ask_wait_ms: options.askWaitMs,
    watch: options.watch,
    sweep,
    ...(options.isolation === undefined ? {} : { isolation: options.isolation(attempt) }),
  };
  const launch =
    resume === undefined
      ? given
      : { ...given, resume: resumptionOf(resume, given, { stateDir, workspace: brief.workspace }) };
  writeOwn(files.brief, `${JSON.stringify(brief, null, 2)}\n`);
  writeOwn(files.launch, JSON.stringify(launch));
  writeOwn(files.control, "");
  writeOwn(files.events, "");
  return files;
}

/**
 * A number is given to one attempt only; a spool that is there already is one of a store that was set back. What it holds is
 * kept beside, and never taken for this attempt's.
 */
function makeEmpty(dir: string): void {
  mkdirSync(dirname(dir), { recursive: true, mode: 0o700 });
  try {
    mkdirSync(dir, { mode: 0o700 });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    renameSync(dir, `${dir}.${randomUUID()}`);
    mkdirSync(dir, { mode: 0o700 });
  }
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
  return endedRunner(lostBecause(`its runner could not be started: ${error.message}`));
}

function writeOwn(file: string, text: string): void {
  writeFileSync(file, text, { mode: 0o600 });
}
