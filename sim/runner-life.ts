/** A runner and its agent, as processes that live on whatever becomes of their engine. */

import { attemptMark, entryOf } from "../src/core/attempt/marks.ts";
import type { RunnerControl, RunnerEnd, RunnerWord } from "../src/ports/runner.ts";
import { type Behaviour, behaviourOf, type Work, writesOf } from "./behaviour.ts";
import type { SimProcess } from "./machines.ts";
import type { Oracles } from "./oracles.ts";
import type { Random } from "./random.ts";
import type { Spool } from "./spool.ts";
import type { World } from "./world.ts";

const START_MS = 400;
/** The stop ladder: asked, SIGTERM, SIGKILL. */
const STOP_MS = 3_000;
/** How long a question waits for its answer before the agent is ended. */
const ASK_WAIT_MS = 600_000;
/** How long a runner works without hearing from an engine: 4 h on a store of one node, less than a lease on a shared one. */
const ORPHAN_MS = 4 * 3_600_000;
const SHARED_ORPHAN_MS = 45_000;

export class RunnerLife {
  readonly process: SimProcess;
  readonly #world: World;
  readonly #oracles: Oracles;
  readonly #spool: Spool;
  readonly #random: Random;
  readonly #node: string;
  #agent: SimProcess | null = null;
  #behaviour: Behaviour = { kind: "succeed", ms: 0, cost: null };
  #hasEnded = false;
  #heeded = 0;
  /** All the time that the agent has, from its first start. */
  #timeoutMs = 0;
  #begunAt = 0;
  /** Number of the last word of a person that was obeyed; an engine that takes over says them again. */
  #obeyed = 0;
  /** The agent's turn is being ended, and another one follows. */
  #isTurning = false;
  /** The line of the question without whose answer the agent does not go on. */
  #asked: number | null = null;

  constructor(world: World, oracles: Oracles, node: string, spool: Spool) {
    this.#world = world;
    this.#oracles = oracles;
    this.#spool = spool;
    this.#node = node;
    this.#random = world.random.fork();
    this.process = world.machines.spawn({ node, kind: "runner", name: `runner of ${this.#label}` });
    this.process.ended.push(() => this.#wake());
    this.#after(this.#random.between(20, START_MS), () => this.#claim());
  }

  get #label(): string {
    return `${this.#spool.attempt.task}#${this.#spool.attempt.n}`;
  }

  get #isAlive(): boolean {
    return this.#world.machines.isAlive(this.process.identity);
  }

  /** Nothing of it happens once this process is dead. */
  #after(ms: number, act: () => void): void {
    this.#world.clock.after(ms, () => {
      if (this.#isAlive) act();
    });
  }

  #claim(): void {
    const spool = this.#spool;
    if (spool.claim !== null) {
      this.#world.machines.end(this.process.identity);
      return;
    }
    spool.claim = this.process.identity;
    spool.heed = () => this.#heed();
    this.#watchForEngine();
    this.#after(this.#random.between(5, START_MS), () => this.#startAgent());
  }

  /** The first turn of the agent, or the one behind a person's word. */
  #startAgent(): void {
    const { attempt, brief } = this.#spool;
    if (brief === null || this.#hasEnded) return;
    this.#isTurning = false;
    const { machines, calm } = this.#world;
    const mark = entryOf(attemptMark({ plan: attempt.plan, task: attempt.task, attempt: attempt.n }));
    const agent = machines.spawn({ node: this.#node, kind: "agent", name: `agent of ${this.#label}`, marks: [mark] });
    this.#agent = agent;
    this.#spool.agent = agent.identity;
    agent.ended.push(() => this.#agentEnded());
    this.#oracles.agentStarted(attempt, agent, brief.workspace);
    this.#behaviour = behaviourOf(this.#random, calm, brief.task.phase);
    this.#world.log.write(`agent ${this.#label} pid ${agent.identity.pid} will ${this.#behaviour.kind}`);
    this.#tell({ type: "started", runner: this.process.identity, agent: agent.identity });
    this.#work(agent);
    if (this.#timeoutMs > 0) return;
    this.#timeoutMs = brief.timeout_ms;
    this.#begunAt = this.#world.clock.monotonic();
    this.#watchTime();
  }

  #watchTime(): void {
    const left = this.#begunAt + this.#timeoutMs - this.#world.clock.monotonic();
    if (left <= 0) this.#finish({ outcome: "timed_out", error: "the time limit was reached" });
    else this.#after(left, () => this.#watchTime());
  }

  #work(agent: SimProcess): void {
    const { kind, ms } = this.#behaviour;
    const { machines } = this.#world;
    if (this.#random.chance(0.3)) this.#tell({ type: "session", session: `s-${this.#label}`, model: null });
    const half = Math.floor(ms / 2);
    if (kind === "leaves_child")
      this.#later(agent, Math.floor(ms / 5), () => {
        machines.spawn({ node: this.#node, kind: "child", name: `child of ${this.#label}`, marks: agent.marks });
      });
    if (this.#random.chance(0.3)) this.#later(agent, half, () => this.#tell({ type: "progress", text: "half way" }));
    if (kind === "ask" || kind === "ask_on") this.#later(agent, half, () => this.#ask(agent));
    else if (kind !== "hang") this.#later(agent, ms, () => this.#done(agent));
  }

  /** What the agent does by itself, also when its runner is gone. */
  #later(agent: SimProcess, ms: number, act: () => void): void {
    this.#world.clock.after(ms, () => {
      if (this.#world.machines.isAlive(agent.identity)) act();
    });
  }

  #ask(agent: SimProcess): void {
    if (!this.#isAlive) return;
    const options = this.#random.chance(0.5) ? ["left", "right"] : [];
    const question = `which way, ${this.#label}.${this.#obeyed}?`;
    const wait = this.#behaviour.kind === "ask_on" ? {} : { wait: { ms: ASK_WAIT_MS, then: "ends" as const } };
    const line = this.#tell({ type: "ask", question, options, default: options[0] ?? null, ...wait });
    this.#asked = line;
    if (this.#behaviour.kind === "ask_on") this.#later(agent, this.#behaviour.ms, () => this.#done(agent));
    else
      this.#after(ASK_WAIT_MS, () => {
        if (this.#asked === line) this.#finish({ outcome: "blocked", error: question });
      });
  }

  #done(agent: SimProcess): void {
    const { brief, attempt } = this.#spool;
    const work: Work = { brief: brief!, n: attempt.n };
    const isUnsure = this.#world.setting.mode !== "none";
    const slot = this.#world.places.slotAt(work.brief.workspace);
    const isOwn = slot !== null && slot.task.slug === attempt.slug && slot.task.n === attempt.n;
    if (isUnsure && !isOwn)
      this.#world.violate(
        "one place per attempt",
        `the agent of ${this.#label} writes in ${work.brief.workspace}, which is ${slot ? `${slot.task.slug}#${slot.task.n}'s` : "nobody's"}`,
      );
    const files = this.#world.places.filesAt(work.brief.workspace);
    for (const [path, text] of files ? writesOf(this.#random, this.#behaviour, work, files) : []) {
      if (text === null) files?.delete(path);
      else files?.set(path, text);
    }
    this.#world.machines.end(agent.identity);
  }

  /** By itself or killed; the runner sees it, if there is still one. */
  #agentEnded(): void {
    if (!this.#isAlive || this.#hasEnded || this.#isTurning) return;
    this.#finish(this.#behaviour.end ?? { outcome: "failed", error: "the agent ended with 137" });
  }

  #heed(): void {
    for (const wish of this.#spool.controls.slice(this.#heeded)) this.#obey(wish);
    this.#heeded = this.#spool.controls.length;
  }

  #obey(wish: RunnerControl): void {
    if (this.#behaviour.kind === "deaf") return;
    switch (wish.type) {
      case "stop": {
        const { why, at_once = false } = wish;
        const end = { outcome: "interrupted", error: why, killed: at_once } as const;
        this.#after(this.#random.between(5, at_once ? START_MS : STOP_MS), () => this.#finish(end));
        break;
      }
      case "extend":
        this.#timeoutMs = Math.max(this.#timeoutMs, wish.timeout_ms);
        break;
      case "interrupt":
        this.#interrupt(wish.number);
        break;
      case "answer":
        this.#answer(wish.question);
        break;
    }
  }

  #answer(question: number): void {
    const agent = this.#agent;
    if (question !== this.#asked || agent === null) return;
    this.#asked = null;
    if (this.#behaviour.kind === "ask") this.#later(agent, this.#behaviour.ms, () => this.#done(agent));
  }

  /** The turn ends, and the agent goes on in a new one: the attempt stays the same. */
  #interrupt(number: number): void {
    if (number <= this.#obeyed) return;
    this.#obeyed = number;
    if (this.#agent === null || this.#hasEnded || this.#isTurning) return;
    this.#isTurning = true;
    this.#asked = null;
    this.#world.machines.end(this.#agent.identity);
    this.#endBearers();
    this.#after(this.#random.between(5, START_MS), () => this.#startAgent());
  }

  /** The agent and all that it started are gone before the end is left. */
  #finish({ outcome, error, killed }: Pick<RunnerEnd, "outcome" | "error" | "killed">): void {
    if (this.#hasEnded || !this.#isAlive) return;
    this.#hasEnded = true;
    const { machines, clock } = this.#world;
    if (this.#agent !== null) machines.end(this.#agent.identity);
    this.#endBearers();
    const due_at = outcome === "rate_limited" ? clock.now() + this.#random.between(1_000, 300_000) : null;
    const end = { outcome, error, summary: null, usage: null, cost_usd: this.#behaviour.cost, due_at };
    this.#spool.done = killed === undefined ? end : { ...end, killed };
    this.#wake();
    this.#after(this.#random.chance(0.05) ? 1_500 : 3, () => machines.end(this.process.identity));
  }

  #endBearers(): void {
    const { plan, task, n } = this.#spool.attempt;
    const mark = entryOf(attemptMark({ plan, task, attempt: n }));
    for (const { identity } of this.#world.machines.bearers(this.#node, mark)) this.#world.machines.end(identity);
  }

  #tell(word: RunnerWord): number {
    if (!this.#isAlive) return 0;
    const n = this.#spool.lines.length + 1;
    this.#spool.lines.push({ n, at: this.#world.clock.now(), ...word });
    this.#wake();
    return n;
  }

  #wake(): void {
    for (const engine of [...this.#spool.engines]) engine();
  }

  #watchForEngine(): void {
    const { clock, setting } = this.#world;
    const limit = setting.nodes.length > 1 ? SHARED_ORPHAN_MS : ORPHAN_MS;
    const left = this.#spool.heardAt + limit - clock.monotonic();
    if (left <= 0) this.#finish({ outcome: "interrupted", error: "no engine was heard of for long" });
    else this.#after(left + 1, () => this.#watchForEngine());
  }
}
