/**
 * Tries an agent's program against what lockstep takes for granted of it: the real program, driven by its real adapter, in
 * an environment of its own, on a model that plays a script on this machine. Nothing of its user is touched.
 */

import { randomUUID } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { agentFor } from "../adapters/agent/agent-for.ts";
import type { Agent, AgentEvent, AgentRequest, AgentSpec, Turn } from "../ports/agent.ts";
import type { ProbeReport } from "../ports/agent-probe.ts";
import type { Processes } from "../ports/processes.ts";
import { judge, LIMIT_MS_MAX } from "./judge.ts";
import { KITS, type Kit, type KitName } from "./kits.ts";
import { endLeftTrials, FOLDER, signTrial } from "./left-trials.ts";
import { type EchoServer, startEchoServer } from "./mcp-server.ts";
import type { Model } from "./model/model-server.ts";
import { MARKERS, scriptsFor } from "./scripts.ts";
import { SCRIPTS, type Seen, type TurnSeen } from "./seen.ts";

/** No turn of the scripts takes a program longer, also on a busy machine. */
const TURN_MS_MAX = 40_000;

/** The whole of it. */
export const PROBE_MS_MAX = 100_000;

/** One that is told to end is killed after so long. */
const END_MS_MAX = 8_000;

/** How often it is looked whether a tool has begun: no file system tells it everywhere. */
const AT_WORK_LOOK_MS = 50;

export interface ProbeWish {
  kit: KitName;
  /** With the program that is tried, and without anything that its user chose for his work. */
  spec: AgentSpec;
  /** Where programs are looked up. */
  path: string;
  processes: Processes;
  /** How many processes have this entry (`NAME=value`) in their environment. */
  countBearers(entry: string): number;
  /** Aborting ends it early. */
  signal: AbortSignal;
}

/** Never rejects for what the program does; null when it was ended early. */
export async function probeAgent(wish: ProbeWish): Promise<ProbeReport | null> {
  const began = performance.now();
  const kit = KITS[wish.kit];
  await endLeftTrials(wish.processes);
  const base = await realpath(await mkdtemp(join(tmpdir(), FOLDER)));
  const mark = await signTrial(base, wish.processes);
  const [model, echo] = await Promise.all([kit.startModel(scriptsFor(kit)), startEchoServer(randomUUID())]);
  const late = new AbortController();
  const timer = setTimeout(() => late.abort(), PROBE_MS_MAX);
  try {
    const trial = new Trial(
      { ...wish, signal: AbortSignal.any([wish.signal, late.signal]) },
      kit,
      base,
      mark,
      model,
      echo,
    );
    const seen = await trial.run();
    if (wish.signal.aborted) return null;
    const clauses = judge(seen, kit);
    return { clauses, ms: Math.round(performance.now() - began) };
  } finally {
    clearTimeout(timer);
    await Promise.all([model.close(), echo.close(), wish.processes.killBearers(mark)]);
    await rm(base, { recursive: true, force: true, maxRetries: 5 });
  }
}

class Trial {
  readonly #wish: ProbeWish;
  readonly #kit: Kit;
  readonly #base: string;
  readonly #mark: string;
  readonly #model: Model;
  readonly #echo: EchoServer;
  readonly #agent: Agent;
  readonly #asked: { count: number; denied: boolean } = { count: 0, denied: false };
  #env: Record<string, string> = {};

  constructor(wish: ProbeWish, kit: Kit, base: string, mark: string, model: Model, echo: EchoServer) {
    this.#wish = wish;
    this.#kit = kit;
    this.#base = base;
    this.#mark = mark;
    this.#model = model;
    this.#echo = echo;
    this.#agent = agentFor(wish.spec, wish.processes);
  }

  async run(): Promise<Seen> {
    await this.#makeHome();
    const prompt = promptOf(SCRIPTS.work);
    const work = await this.#turn(prompt, null, TURN_MS_MAX);
    const session = work.events.find(({ type }) => type === "session");
    const resumed = session?.type === "session" ? await this.#resume(session.session) : null;
    const { stopped, atWork, leftovers } = await this.#stop();
    const limitedEnv = this.#kit.limitedEnv(this.#env);
    const limited = this.#kit.tellsLimit
      ? await this.#turn(promptOf(SCRIPTS.limited), null, LIMIT_MS_MAX, limitedEnv)
      : null;
    return {
      ...{ work, resumed, stopped, limited, prompt, atWork, leftovers },
      heard: this.#model.heard,
      ran: existsSync(this.#inside(MARKERS.ran)),
      asked: this.#asked.count,
      deniedAsked: this.#asked.denied,
      deniedRan: existsSync(this.#inside(MARKERS.denied)),
      mcpReached: this.#echo.wasReached(),
      mcpWords: this.#echo.words,
    };
  }

  async #makeHome(): Promise<void> {
    const { files, env } = this.#kit.home(this.#model.url);
    // Its home must not lie inside its temporary directory: some then lack their own helpers.
    const [home, temporary] = [join(this.#base, "home"), join(this.#base, "temporary")];
    for (const dir of [home, temporary, this.#inside(".")]) await mkdir(dir, { recursive: true });
    for (const [name, text] of Object.entries(files)) {
      await mkdir(dirname(join(home, name)), { recursive: true });
      await writeFile(join(home, name), text);
    }
    const [name, value] = this.#mark.split("=") as [string, string];
    this.#env = { PATH: this.#wish.path, HOME: home, TMPDIR: temporary, TERM: "dumb", [name]: value, ...env };
  }

  async #resume(session: string): Promise<TurnSeen> {
    await this.#kit.between(join(this.#base, "home"));
    return this.#turn("", { session, message: promptOf(SCRIPTS.resumed) }, TURN_MS_MAX);
  }

  /** It is told to stop as soon as its tool has begun. */
  async #stop(): Promise<Pick<Seen, "stopped" | "atWork" | "leftovers">> {
    const stop = new AbortController();
    const watcher = setInterval(() => {
      if (existsSync(this.#inside(MARKERS.atWork))) stop.abort();
    }, AT_WORK_LOOK_MS);
    try {
      const stopped = await this.#turn(promptOf(SCRIPTS.stopped), null, TURN_MS_MAX, this.#env, stop.signal);
      return { stopped, atWork: stop.signal.aborted, leftovers: this.#wish.countBearers(this.#mark) };
    } finally {
      clearInterval(watcher);
    }
  }

  /** One turn of at most `ms`; `stop` ends it, and is no fault of its own. */
  async #turn(prompt: string, turn: Turn | null, ms: number, env = this.#env, stop?: AbortSignal): Promise<TurnSeen> {
    const began = performance.now();
    const events: AgentEvent[] = [];
    const [end, kill] = [new AbortController(), new AbortController()];
    const timers = [setTimeout(() => end.abort(), ms), setTimeout(() => kill.abort(), ms + END_MS_MAX)];
    const signals = [end.signal, this.#wish.signal, ...(stop ? [stop] : [])];
    try {
      const ended = await this.#agent.run({
        ...this.#brief(prompt),
        env,
        turn,
        signal: AbortSignal.any([kill.signal, ...signals]),
        kill: kill.signal,
        contain: this.#wish.spec.pid_namespace !== false,
        started: async () => {},
        tell: (event) => keep(events, event),
        permit: async ({ about }) => this.#rule(about),
        mcp: [this.#echo.server],
      });
      const isShort = this.#wish.signal.aborted;
      const isLate = stop?.aborted !== true && (end.signal.aborted || isShort);
      return { events, end: isLate ? null : ended, ms: Math.round(performance.now() - began), isShort };
    } finally {
      for (const timer of timers) clearTimeout(timer);
    }
  }

  #rule(about: string): Awaited<ReturnType<AgentRequest["permit"]>> {
    this.#asked.count += 1;
    if (!about.includes(MARKERS.denied)) return { allow: true };
    this.#asked.denied = true;
    return { allow: false, reason: "lockstep tries what happens then" };
  }

  #brief(prompt: string): Pick<AgentRequest, "brief" | "briefFile" | "logFile"> {
    const task = {
      ...{ id: "PROBE", slug: "probe", title: "A trial", prompt, phase: "build" },
      ...{ verify: [], files_owned: [], skill: null, labels: [] },
    };
    return {
      brief: {
        ...{ protocol: 1, attempt: "PROBE#1", task, workspace: this.#inside("."), prompt },
        ...{ last_failure: null, timeout_ms: TURN_MS_MAX },
        report: { verdict: false, handoff: false },
      },
      briefFile: join(this.#base, "brief.json"),
      logFile: join(this.#base, "agent.log"),
    };
  }

  /** Absolute path in the place where it works. */
  #inside(name: string): string {
    return join(this.#base, "workspace", name);
  }
}

/** The scripts make some dozens. */
const EVENTS_MAX = 1_000;

function keep(events: AgentEvent[], event: AgentEvent): void {
  if (events.length < EVENTS_MAX) events.push(event);
}

/** With what a shell, JSON or a line-wise reader could spoil. */
function promptOf(script: string): string {
  return `[[play:${script}]] Do what "the script" says: 'ü' \\n $HOME 100%\n\nThat is all.\n`;
}
