/**
 * The life of one attempt's agent, in a process of its own: it needs neither engine nor store, only its spool. What it
 * leaves there is enough for any engine to settle the attempt.
 */

import { capabilitiesOf } from "../adapters/agent/capabilities.ts";
import { attemptMark, entryOf } from "../core/attempt/marks.ts";
import type { ShellLine, ToolCall } from "../core/policy/tool-rules.ts";
import type { Agent, AgentEnd, AgentEvent, AgentRequest, AgentSpec } from "../ports/agent.ts";
import type { Clock } from "../ports/clock.ts";
import type { Processes, ProcessIdentity } from "../ports/processes.ts";
import type { Launch, RunnerControl, RunnerEnd, RunnerSpool } from "../ports/runner.ts";
import { AgentWatch } from "./agent-watch.ts";
import { type Desk, openDesk } from "./desk.ts";
import { watchForEngine } from "./engine-watch.ts";
import { serversOf, withTools } from "./given-tools.ts";
import { withLimit, zoneOf } from "./limit.ts";
import { Notices } from "./notices.ts";
import { permissions } from "./permissions.ts";
import { Questions } from "./questions.ts";
import { type Stop, stopOf } from "./stop.ts";
import { TurnUsage } from "./turn-usage.ts";
import { firstTurn, resumptionText, Turns } from "./turns.ts";

export interface RunnerPorts {
  spool: RunnerSpool;
  processes: Processes;
  clock: Clock;
  agentFor(spec: AgentSpec): Agent;
  /** The program by which an agent reaches its runner; the one on its PATH unless given. */
  lockstep?: string;
  /** Takes a command line apart, to hold it against rules. */
  readShellLine(line: string): Promise<ShellLine>;
  /** The environment of the agent, without its marks. */
  env: Record<string, string>;
  /** Aborts when somebody ends this process. */
  ended: AbortSignal;
}

export async function holdAttempt(ports: RunnerPorts): Promise<void> {
  const { spool, processes } = ports;
  if (!spool.claim(processes.self())) return;
  const launch = spool.launch();
  const steering = steer(ports, launch);
  const { stop, questions, notices, watch } = steering;
  const controls = spool.controls((wish) => obey(wish, steering));
  const engine = watchForEngine(ports, launch.orphan_ms, stop);
  const { clock, lockstep = "lockstep" } = ports;
  const brief = spool.brief();
  const { ask_wait_ms: askWaitMs, isolation } = launch;
  const socketIn = isolation?.sandbox?.network === false ? isolation.temporary : null;
  const desk = await openDesk({ brief, lockstep, spool, questions, notices, stop, askWaitMs, clock, socketIn });
  const watching = watch.run();
  try {
    const ended = asSaid(await endOf(ports, launch, steering, desk), stop, desk);
    const end = desk.done === null ? ended : { ...ended, report: desk.done.report };
    await leaveEnd(ports, withLimit(end, ports.clock.now(), zoneOf(ports.env)), launch.orphan_ms);
  } finally {
    controls.close();
    engine.close();
    watch.close();
    await Promise.all([watching, desk.close()]);
  }
}

/** All by which the agent is steered from outside. */
interface Steering {
  stop: Stop;
  turns: Turns;
  questions: Questions;
  notices: Notices;
  watch: AgentWatch;
}

function steer({ spool, clock, ended }: RunnerPorts, { watch }: Launch): Steering {
  const stop = stopOf(ended);
  const questions: Questions = new Questions({
    tell: (question) => spool.tell({ type: "ask", ...question }),
    changing: () => agentWatch.look(),
  });
  const agentWatch: AgentWatch = new AgentWatch({
    clock,
    stop,
    watch,
    timeoutMs: spool.brief().timeout_ms,
    outputBytes: () => spool.outputBytes(),
    isWaiting: () => questions.halting !== null,
  });
  return { stop, turns: new Turns(), questions, notices: new Notices(), watch: agentWatch };
}

function obey(wish: RunnerControl, { stop, turns, questions, notices, watch }: Steering): void {
  switch (wish.type) {
    case "stop":
      if (wish.at_once) stop.atOnce("interrupted", wish.why);
      else stop.now("interrupted", wish.why);
      break;
    case "answer":
      questions.answer(wish.question, wish.answer);
      break;
    case "extend":
      watch.extend(wish.timeout_ms);
      break;
    case "notices":
      notices.set(wish.messages);
      break;
    case "compact":
      turns.compact(wish.number);
      break;
    case "interrupt":
      turns.interrupt(wish.number, wish.message);
      break;
  }
}

/** Runs the agent turn by turn to its end; then nothing of the attempt lives but this process. */
async function endOf(ports: RunnerPorts, launch: Launch, steering: Steering, desk: Desk): Promise<AgentEnd> {
  const { spool, processes, env } = ports;
  const { stop, turns, questions, notices, watch } = steering;
  const { plan, task, n } = launch.attempt;
  const mark = attemptMark({ plan, task, attempt: n });
  const told = boundedTell(spool);
  const used = new TurnUsage();
  const tell = (event: AgentEvent): void => {
    turns.heard(event);
    watch.heard(event);
    told(used.heard(event));
  };
  let first: ProcessIdentity | null = null;
  const mcp = serversOf(launch.agent, desk.mcp, env);
  const request = {
    brief: withTools(spool.brief(), mcp),
    briefFile: spool.briefFile,
    env: { ...env, ...desk.env, ...mark },
    logFile: spool.logFile,
    kill: stop.kill,
    contain: launch.agent.pid_namespace !== false,
    started: async (agent: ProcessIdentity) => {
      first ??= agent;
      spool.tell({ type: "started", runner: processes.self(), agent });
    },
    tell,
    mcp,
    notices: noted(notices, tell),
  };
  const permit = permitter(ports, launch, questions, tell);
  const agent = ports.agentFor(launch.agent);
  const { resume } = launch;
  if (resume !== undefined) tell({ type: "note", text: resumptionText(resume) });
  const canFollow = capabilitiesOf(launch.agent.adapter).follow_up;
  // As many turns as a person interrupts, and the few in which it is told something.
  for (let turn = firstTurn(resume, request.brief.prompt); ; ) {
    const signal = AbortSignal.any([stop.signal, turns.interrupted]);
    const ended: AgentEnd = await agent.run({
      ...request,
      turn,
      signal,
      permit: (call: ToolCall) => permit(call, signal),
    });
    const end = used.ended(ended);
    await processes.killBearers(entryOf(mark));
    if (launch.sweep !== null && first !== null) await processes.killInside(launch.sweep, first);
    const next = turns.next();
    if (stop.asked !== null) return end;
    if (next === null) {
      turn = end.outcome === "succeeded" && canFollow ? turns.told(request.notices.take) : null;
      if (turn === null) return end;
      continue;
    }
    if (end.outcome !== "interrupted") {
      tell({ type: "note", text: `it had ended before it could be told: ${next.message}` });
      return end;
    }
    tell({ type: "note", text: `interrupted ${next.compact ? "to sum up" : "by a person"}: ${next.message}` });
    questions.forget();
    turn = next;
  }
}

/** One that asks nobody has no rules. */
function permitter(
  { spool, clock, readShellLine }: RunnerPorts,
  { agent, ask_wait_ms }: Launch,
  questions: Questions,
  tell: AgentRequest["tell"],
) {
  return permissions({
    rules: agent.bypass === true ? null : (agent.tools ?? null),
    workspace: spool.brief().workspace,
    readShellLine,
    questions,
    clock,
    askWaitMs: ask_wait_ms,
    tell,
  });
}

/** For whoever reads what an agent did: also what it was told in between. */
function noted(notices: Notices, tell: AgentRequest["tell"]) {
  return {
    on: (listener: () => void) => notices.on(listener),
    take: () => {
      const messages = notices.take();
      for (const text of messages) tell({ type: "note", text: `told: ${text}` });
      return messages;
    },
  };
}

/** An agent that was ended from outside ended for that reason; one that reported its work gets its own words kept. */
function asSaid(end: AgentEnd, { asked }: Stop, desk: Desk): RunnerEnd {
  if (end.outcome === "interrupted" && asked !== null) {
    const isGivenUp = asked.outcome === "timed_out" || asked.outcome === "stalled";
    const error = isGivenUp && end.error !== null ? `${asked.why}: ${end.error}` : asked.why;
    return { ...end, outcome: asked.outcome, error, ...(isGivenUp ? { failure: "hung" } : {}) };
  }
  return desk.done === null ? end : { ...end, summary: desk.done.summary };
}

/** A disk that is full now may have space again soon. */
const END_AGAIN_MS = 5_000;

/** Without its end an attempt is lost, with all that its agent did: so it is tried for as long as somebody may come for it. */
async function leaveEnd({ spool, clock }: RunnerPorts, end: RunnerEnd, orphanMs: number): Promise<void> {
  for (const until = clock.monotonic() + orphanMs; ; await clock.sleep(END_AGAIN_MS)) {
    try {
      return spool.end(end);
    } catch (error) {
      const { syscall, code } = error as NodeJS.ErrnoException;
      // With its spool gone there is nobody to leave it to.
      if (syscall === undefined || code === "ENOENT" || clock.monotonic() >= until) throw error;
      // Its engine would take it for one that hangs.
      spool.sign();
    }
  }
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
