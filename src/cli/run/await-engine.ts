/** What a second `run` does while another process is the project's engine: it follows, and notices when that one goes. */

import { livingEngines } from "../../compose/engines.ts";
import type { PlanRow } from "../../core/task/rows.ts";
import type { EngineContext } from "../../engine/context.ts";
import type { Changes } from "../../engine/wait.ts";
import type { EngineRow } from "../../ports/store.ts";
import type { Terminal } from "../terminal.ts";
import type { LiveScreen } from "./live-screen.ts";

/** How often a follower looks whether the engine still lives, since a death commits nothing. */
const LOOK_MS = 1_000;

export interface Awaiting {
  terminal: Terminal;
  context: EngineContext;
  plan: PlanRow;
  live: LiveScreen;
  changes: Changes;
  /** Each ends the waiting. */
  signals: AbortSignal[];
}

export class EngineWatch {
  readonly #awaiting: Awaiting;
  #told = "";
  #followed: EngineRow | null = null;

  constructor(awaiting: Awaiting) {
    this.#awaiting = awaiting;
  }

  /** The engine that was last seen to carry the plan's run; null: none was. */
  get followed(): EngineRow | null {
    return this.#followed;
  }

  /** Waits until a signal aborts, or no living process of this machine is known to be the engine: then the lock may be free. */
  async untilGone(): Promise<void> {
    const { context, changes, signals } = this.#awaiting;
    for (;;) {
      changes.clear();
      const engine = await this.#engineHere();
      if (engine) await this.#tell(engine);
      await changes.wait(context.clock.now() + LOOK_MS, signals);
      if (signals.some(({ aborted }) => aborted) || !(await this.#engineHere())) return;
    }
  }

  async #engineHere(): Promise<EngineRow | null> {
    const { store, project, processes } = this.#awaiting.context;
    const { node } = processes.self();
    return (await livingEngines(store, project.id)).find((engine) => engine.node === node) ?? null;
  }

  /** Says once of each engine who it is and what it does. */
  async #tell(engine: EngineRow): Promise<void> {
    const { terminal, plan, live } = this.#awaiting;
    const isOurs = engine.plan === plan.id;
    if (isOurs) this.#followed = engine;
    const who = `process ${engine.pid} on ${engine.node}`;
    const what = `${who} ${await this.#deed(engine)}`;
    const hint = isOurs
      ? `following it; Ctrl-C ends only this, \`lockstep stop ${plan.name}\` ends the run`
      : `${plan.name} begins when that has ended`;
    if (what === this.#told) return;
    this.#told = what;
    terminal.note(`${what}: ${hint}`);
    live.show(isOurs ? { carrier: engine, note: null } : { carrier: "unasked", note: `waits: ${what}` });
  }

  async #deed(engine: EngineRow): Promise<string> {
    if (engine.plan === null) return "brings a finished plan to its base";
    const plan = await this.#awaiting.context.store.plan(engine.plan);
    return `carries ${plan?.name ?? engine.plan}`;
  }
}
