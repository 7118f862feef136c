/**
 * The life of one attempt's agent, in a process of its own: it needs neither engine nor store, only its spool. What it
 * leaves there is enough for any engine to settle the attempt.
 */

import { attemptMark, entryOf } from "../core/attempt/marks.ts";
import type { Agent, AgentEnd, AgentEvent, AgentSpec } from "../ports/agent.ts";
import type { Clock } from "../ports/clock.ts";
import type { Processes } from "../ports/processes.ts";
import type { Launch, RunnerControl, RunnerEnd, RunnerSpool } from "../ports/runner.ts";
import { type Desk, openDesk } from "./desk.ts";
import { watchForEngine } from "./engine-watch.ts";
import { Questions } from "./questions.ts";
import { type Stop, stopOf } from "./stop.ts";

export interface RunnerPorts {
  spool: RunnerSpool;
  processes: Processes;
  clock: Clock;
  agentFor(spec: AgentSpec): Agent;
  /** The environment of the agent, without its marks. */
  env: Record<string, string>;
  /** Aborts when somebody ends this process. */
  ended: AbortSignal;
}

export async function holdAttempt(ports: RunnerPorts): Promise<void> {
  const { spool, processes } = ports;
  if (!spool.claim(processes.self())) return;
  const launch = spool.launch();
  const stop = stopOf(ports.ended);
  const questions = new Questions((question) => spool.tell({ type: "ask", ...question }));
  const controls = spool.controls((wish) => obey(wish, stop, questions));
  const engine = watchForEngine(ports, launch.orphan_ms, stop);
  const desk = await openDesk({ spool, questions, stop, askWaitMs: launch.ask_wait_ms, clock: ports.clock });
  try {
    spool.end(asSaid(await endOf(ports, launch, stop, desk), { stop, desk, questions }));
  } finally {
    controls.close();
    engine.close();
    desk.close();
  }
}

function obey(wish: RunnerControl, stop: Stop, questions: Questions): void {
  if (wish.type === "stop") stop.now("interrupted", wish.why);
  else questions.answer(wish.question, wish.answer);
}

/** Runs the agent to its end; then nothing of the attempt lives but this process. */
async function endOf(ports: RunnerPorts, launch: Launch, stop: Stop, desk: Desk): Promise<AgentEnd> {
  const { spool, processes, env } = ports;
  const { plan, task, n } = launch.attempt;
  const mark = attemptMark({ plan, task, attempt: n });
  const tell = boundedTell(spool);
  const end = await ports.agentFor(launch.agent).run({
    brief: spool.brief(),
    briefFile: spool.briefFile,
    env: { ...env, ...desk.env, ...mark },
    logFile: spool.logFile,
    signal: stop.signal,
    started: async (agent) => {
      spool.tell({ type: "started", runner: processes.self(), agent });
    },
    tell,
  });
  await processes.killBearers(entryOf(mark));
  return end;
}

/**
 * An agent that was ended from outside ended for that reason; one whose time ran out while it waited for a person is
 * blocked by its question; one that reported its work gets its own words kept.
 */
function asSaid(end: AgentEnd, { stop, desk, questions }: { stop: Stop; desk: Desk; questions: Questions }): RunnerEnd {
  if (end.outcome === "interrupted" && stop.asked !== null)
    return { ...end, outcome: stop.asked.outcome, error: stop.asked.why };
  if (end.outcome === "timed_out" && questions.halting !== null)
    return { ...end, outcome: "blocked", error: questions.halting };
  return desk.report === null ? end : { ...end, summary: desk.report };
}

/** What an agent says is for people: beyond this many lines the transcript has it. */
const TOLD_MAX = 20_000;
const TEXT_MAX = 4_000;

function boundedTell(spool: RunnerSpool): (event: AgentEvent) => void {
  let told = 0;
  return (event) => {
    told += 1;
    if (told < TOLD_MAX) spool.tell(shortened(event));
    else if (told === TOLD_MAX)
      spool.tell({ type: "note", text: `more than ${TOLD_MAX} events: only the transcript has the rest` });
  };
}

function shortened(event: AgentEvent): AgentEvent {
  return "text" in event ? { ...event, text: event.text.slice(0, TEXT_MAX) } : event;
}
