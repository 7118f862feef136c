/** The program of a runner: `runner.cjs SPOOL`. Started by an engine, it outlives it. */

import { dirname } from "node:path";
import { agentFor } from "../adapters/agent/agent-for.ts";
import { Redaction } from "../adapters/agent/redaction.ts";
import { systemClock } from "../adapters/clock/system-clock.ts";
import { isolatedAgent, ownPlaces } from "../adapters/home/isolated-agent.ts";
import { redactedSpool } from "../adapters/home/redacted-spool.ts";
import { localProcesses } from "../adapters/processes/local-processes.ts";
import { readShellLine } from "../adapters/shell/read-shell-line.ts";
import { runnerSpool } from "../adapters/spool/runner-spool.ts";
import { attemptMark, entryOf } from "../core/attempt/marks.ts";
import type { Agent } from "../ports/agent.ts";
import type { Isolation } from "../ports/runner.ts";
import { holdAttempt } from "../runner/hold-attempt.ts";
import { shimIn, withShim } from "./agent-shim.ts";

async function main(dir: string): Promise<void> {
  const spool = runnerSpool(dir, systemClock);
  const processes = localProcesses();
  const { attempt, isolation } = spool.launch();
  const { plan, task, n } = attempt;
  const redaction = new Redaction(secretsIn(process.env, isolation));
  const mark = entryOf(attemptMark({ plan, task, attempt: n }));
  const ended = new AbortController();
  for (const name of ["SIGTERM", "SIGINT", "SIGHUP"] as const) process.on(name, () => ended.abort());
  // A runner that is broken says so where its engine looks, and leaves no agent alive that nobody hears.
  process.once("uncaughtException", (error) => {
    process.once("uncaughtException", () => process.exit(1));
    process.stderr.write(`${redaction.text(String(error.stack))}\n`);
    void processes.killBearers(mark).finally(() => process.exit(1));
  });
  await holdAttempt({
    spool: redactedSpool(spool, redaction),
    processes,
    clock: systemClock,
    agentFor: (spec) => inItsPlace(agentFor(spec, processes), { isolation, redaction, dir }),
    lockstep: shimIn(dir),
    readShellLine,
    env: withShim(process.env, dir),
    ended: ended.signal,
  });
}

interface Place {
  isolation: Isolation | undefined;
  redaction: Redaction;
  /** The attempt's folder. */
  dir: string;
}

function inItsPlace(agent: Agent, { isolation, redaction, dir }: Place): Agent {
  if (isolation === undefined) return { run: (request) => agent.run({ ...request, redaction }) };
  return isolatedAgent(agent, { isolation, redaction, own: ownPlaces(dir, dirname(process.argv[1]!)) });
}

function secretsIn(env: NodeJS.ProcessEnv, isolation: Isolation | undefined): string[] {
  return (isolation?.secrets ?? []).flatMap((name) => env[name] ?? []);
}

const dir = process.argv[2];
if (dir === undefined) throw new Error("usage: runner.cjs SPOOL");
// Whatever still holds the event loop was the agent's business, which has ended.
void main(dir).then(() => process.exit(0));
