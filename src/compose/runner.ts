/** The program of a runner: `runner.cjs SPOOL`. Started by an engine, it outlives it. */

import { agentFor } from "../adapters/agent/agent-for.ts";
import { systemClock } from "../adapters/clock/system-clock.ts";
import { localProcesses } from "../adapters/processes/local-processes.ts";
import { readShellLine } from "../adapters/shell/read-shell-line.ts";
import { runnerSpool } from "../adapters/spool/runner-spool.ts";
import { attemptMark, entryOf } from "../core/attempt/marks.ts";
import { holdAttempt } from "../runner/hold-attempt.ts";
import { shimIn, withShim } from "./agent-shim.ts";

async function main(dir: string): Promise<void> {
  const spool = runnerSpool(dir, systemClock);
  const processes = localProcesses();
  const { plan, task, n } = spool.launch().attempt;
  const mark = entryOf(attemptMark({ plan, task, attempt: n }));
  const ended = new AbortController();
  for (const name of ["SIGTERM", "SIGINT", "SIGHUP"] as const) process.on(name, () => ended.abort());
  // A runner that is broken says so where its engine looks, and leaves no agent alive that nobody hears.
  process.once("uncaughtException", (error) => {
    process.once("uncaughtException", () => process.exit(1));
    process.stderr.write(`${error.stack}\n`);
    void processes.killBearers(mark).finally(() => process.exit(1));
  });
  await holdAttempt({
    spool,
    processes,
    clock: systemClock,
    agentFor: (spec) => agentFor(spec, processes),
    lockstep: shimIn(dir),
    readShellLine,
    env: withShim(process.env, dir),
    ended: ended.signal,
  });
}

const dir = process.argv[2];
if (dir === undefined) throw new Error("usage: runner.cjs SPOOL");
// Whatever still holds the event loop was the agent's business, which has ended.
void main(dir).then(() => process.exit(0));
