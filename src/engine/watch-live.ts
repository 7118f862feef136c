/** Watches what the store wants of a live attempt, and tells its runner: that it must end, what was said or answered. */

import { ASK_WAIT_MS } from "../core/attempt/ask-wait.ts";
import type { AttemptRow } from "../core/task/rows.ts";
import type { LiveRunner } from "../ports/runner.ts";
import { type Beside, beside } from "./beside.ts";
import type { EngineContext } from "./context.ts";
import { type Ending, endingOf } from "./halt.ts";
import { LiveMessages } from "./live-messages.ts";
import { LiveNotices } from "./live-notices.ts";
import type { LiveQuestions } from "./live-questions.ts";
import type { LiveTask } from "./live-task.ts";
import { oncePassed } from "./patience.ts";
import { type Changes, watchChanges } from "./wait.ts";

export function watchLive(
  context: EngineContext,
  live: LiveTask,
  runner: LiveRunner,
  questions: LiveQuestions,
  halt: AbortSignal,
): Beside {
  return beside(async (over) => {
    const changes = watchChanges(context.store, context.clock);
    try {
      await new Watching({ context, live, runner, questions, halt, changes, over }).watch();
    } finally {
      changes.close();
    }
  });
}

interface Watched {
  context: EngineContext;
  live: LiveTask;
  runner: LiveRunner;
  questions: LiveQuestions;
  halt: AbortSignal;
  changes: Changes;
  over: AbortSignal;
}

/** An agent and all that it started are gone well within this time, unless its runner itself hangs. */
const STOP_MAX_MS = 25_000;

/** The same of one that is killed without being asked. */
const AT_ONCE_MAX_MS = 5_000;

/** Between two looks at whether a runner that should have ended long ago has signed; it does so every few seconds. */
const SIGNED_WAIT_MS = 10_000;

class Watching {
  readonly #watched: Watched;
  readonly #messages = new LiveMessages();
  readonly #notices = new LiveNotices();
  readonly #begun: number;
  #timeoutMs: number;
  #sign: number | null;

  constructor(watched: Watched) {
    this.#watched = watched;
    this.#begun = watched.context.clock.monotonic();
    this.#timeoutMs = watched.live.task.definition.timeout_ms;
    this.#sign = watched.runner.signedAt?.() ?? null;
  }

  async watch(): Promise<void> {
    const { context, runner, halt, changes, over } = this.#watched;
    while (!over.aborted) {
      changes.clear();
      const ending = await oncePassed(context, AbortSignal.any([over, halt]), async () => {
        const attempt = await this.#liveAttempt();
        if (attempt !== null) await this.#steer(attempt);
        return endingIn(attempt, halt);
      });
      const wanted = ending ?? endingOf(halt);
      if (wanted !== null) return this.#end(wanted);
      const left = this.#hangsInMs();
      const hasSigned = this.#hasSigned();
      if (left <= 0 && !hasSigned) return runner.kill();
      await changes.wait(context.clock.now() + (left > 0 ? left : SIGNED_WAIT_MS), [over, halt]);
    }
  }

  /** The attempt as it is now; null when it is no longer the task's live one. */
  async #liveAttempt(): Promise<AttemptRow | null> {
    const { context, live } = this.#watched;
    const found = await context.store.task(live.task.row.plan, live.task.row.id);
    return found?.lease?.token === live.lease.token ? found.attempt : null;
  }

  async #steer(attempt: AttemptRow): Promise<void> {
    const { context, live, runner, questions } = this.#watched;
    await questions.handOn(context, live, runner);
    if (attempt.timeout_ms > this.#timeoutMs) {
      this.#timeoutMs = attempt.timeout_ms;
      await runner.control({ type: "extend", timeout_ms: attempt.timeout_ms });
    }
    await this.#messages.handOn(context, live, attempt.interrupts, runner);
    await this.#notices.handOn(attempt, live.task.row, runner);
  }

  /** The runner ends its agent at the time limit, but for the time that it waits for people. One that does not, hangs. */
  #hangsInMs(): number {
    const { context, questions } = this.#watched;
    const asked = questions.count * ASK_WAIT_MS;
    return this.#begun + this.#timeoutMs + asked + STOP_MAX_MS - context.clock.monotonic();
  }

  /** It has ended its agent and waits to leave the end: for space on the disk, say. It signs more often than this is asked. */
  #hasSigned(): boolean {
    const sign = this.#watched.runner.signedAt?.() ?? null;
    const isNew = sign !== this.#sign;
    this.#sign = sign;
    return isNew;
  }

  /** Asks it to end, once more when it is to end at once, and kills it when it does not. */
  async #end(ending: Ending): Promise<void> {
    const { context, runner, halt, changes, over } = this.#watched;
    const { clock } = context;
    let atOnce = ending.at_once;
    let until = clock.monotonic() + (atOnce ? AT_ONCE_MAX_MS : STOP_MAX_MS);
    await runner.control({ type: "stop", why: ending.why, at_once: atOnce });
    while (!over.aborted && (clock.monotonic() < until || this.#hasSigned())) {
      changes.clear();
      const now = atOnce ? null : await oncePassed(context, over, () => this.#liveAttempt());
      if (now !== null && endingIn(now, halt)?.at_once) {
        atOnce = true;
        until = Math.min(until, clock.monotonic() + AT_ONCE_MAX_MS);
        await runner.control({ type: "stop", why: ending.why, at_once: true });
      }
      const left = until - clock.monotonic();
      await changes.wait(clock.now() + (left > 0 ? left : SIGNED_WAIT_MS), [over]);
    }
    if (!over.aborted) await runner.kill();
  }
}

/** Why the attempt must end: somebody asked for it, or it is no longer the task's live one. */
function endingIn(attempt: AttemptRow | null, halt: AbortSignal): Ending | null {
  if (attempt === null) return { why: "it was superseded", at_once: false };
  const { stop } = attempt;
  return stop ? { why: stop.why, at_once: stop.at_once ?? false } : endingOf(halt);
}
