/** Before the first attempt of an agent in a run its program is looked at; one that is new here is tried first. */

import { agentKey } from "../core/schedule/holds.ts";
import type { ProgramStanding } from "../ports/agent-probe.ts";
import type { EngineContext } from "./context.ts";
import { LiveWork } from "./live-work.ts";

/** A trial that fails is made once more: a machine that was too busy must not hold an agent until somebody comes. */
const TRIALS_MAX = 2;

/** No two trials take longer. Should their engine die, this is when the agent's tasks may be claimed again. */
const TRIALS_MS_MAX = 240_000;

export class AgentTrials {
  readonly #context: EngineContext;
  readonly #leave: AbortSignal;
  readonly #trials: LiveWork;
  /** Each agent is looked at once in a run: what is found wrong then is a hold, which a person may clear. */
  readonly #looked = new Map<string, "under way" | "done">();

  /** Aborting `leave` ends what is under way; `wake` is called whenever an agent may start. */
  constructor(context: EngineContext, leave: AbortSignal, wake: () => void) {
    this.#context = context;
    this.#leave = leave;
    this.#trials = new LiveWork(wake);
  }

  get size(): number {
    return this.#trials.size;
  }

  /** The first question about an agent begins to look at it: then it may not start yet. */
  mayStart(agent: string): boolean {
    if (this.#context.programs?.isTried(agent) !== true) return true;
    const looked = this.#looked.get(agent);
    if (looked === undefined) {
      this.#looked.set(agent, "under way");
      this.#trials.begin(this.#look(agent));
    }
    return looked === "done";
  }

  check(): void {
    this.#trials.check();
  }

  async settled(): Promise<void> {
    await this.#trials.settled();
  }

  async #look(agent: string): Promise<true> {
    const standing = await this.#context.programs!.standing(agent);
    const found = standing.state === "untried" ? await this.#try(agent, standing.what) : standing;
    if (found.state === "unfit")
      await this.#hold(agent, null, `${found.why}; \`lockstep agent release ${agent}\` lets it start`);
    this.#looked.set(agent, "done");
    return true;
  }

  /** While it is tried it is held, so that everybody sees why its tasks wait. */
  async #try(agent: string, what: string): Promise<ProgramStanding> {
    const until = this.#context.clock.now() + TRIALS_MS_MAX;
    const why = `${what} is new here, and is tried before its first attempt`;
    await this.#hold(agent, until, why, "trial");
    let found: ProgramStanding = { state: "untried", what };
    try {
      for (let trial = 0; trial < TRIALS_MAX && found.state !== "fit" && !this.#leave.aborted; trial += 1)
        found = await this.#context.programs!.probe(agent, this.#leave);
    } finally {
      await liftTrials(this.#context, agentKey(agent));
    }
    return found;
  }

  async #hold(agent: string, until: number | null, why: string, known_from: "trial" | null = null): Promise<void> {
    const { store, project, actor } = this.#context;
    const hold = { project: project.id, key: agentKey(agent), until, why, known_from };
    await store.submit({ type: "hold.set", ...hold }, { actor });
  }
}

/**
 * Trials' own holds only: somebody else may have set another meanwhile. Without a key those of all agents: an engine that
 * begins ends what one that died was trying.
 */
export async function liftTrials({ store, project, actor }: EngineContext, of?: string): Promise<void> {
  const holds = (await store.holds(project.id)).filter(({ known_from }) => known_from === "trial");
  for (const { key } of holds.filter(({ key }) => of === undefined || key === of))
    await store.submit({ type: "hold.clear", project: project.id, key }, { actor });
}
