/** Tells of a run while it goes on: plain lines for people on stderr, or every event as JSON on stdout. */

import type { Event } from "../../core/task/events.ts";
import type { Outside, PlanRow, RunOutcome } from "../../core/task/rows.ts";
import type { EngineContext } from "../../engine/context.ts";
import { followEvents, lastEvent } from "../../engine/event-log.ts";
import { wireEvent } from "../../engine/wire-event.ts";
import { PAGE } from "../../ports/store.ts";
import { eventDetails } from "../event-text.ts";
import type { Terminal } from "../terminal.ts";
import { progressLine } from "./progress-line.ts";

export interface RunFollower {
  /** Aborts when the run that was live, or the first one since, has ended. */
  ended: AbortSignal;
  /** How it ended. */
  outcome(): RunOutcome | null;
  /** Says what the run waits for before it stops. */
  noteStopping(): Promise<void>;
  /** Tells of everything until now and ends; the end of the run comes last. */
  finish(): Promise<void>;
  /** Ends without a word more, where something broke: nothing must keep the process alive then. */
  close(): Promise<void>;
  /** Tasks that were verified meanwhile, in their order. */
  landed: readonly string[];
  /** What tasks changed meanwhile though they do not own it, by task: of each the last word. */
  outside: ReadonlyMap<string, Outside>;
  /** What came up meanwhile in the repository that all share, one sentence each: the last ones. */
  mended: readonly string[];
}

/** Sentences that an end of a run repeats; all of them are in its log. */
const MENDED_MAX = 20;

export async function followRun(terminal: Terminal, context: EngineContext, plan: PlanRow): Promise<RunFollower> {
  const { store, clock } = context;
  const finished = new AbortController();
  const telling = new Telling(terminal, context, plan);
  const query = { after: await lastEvent(store), project: plan.project, plan: plan.id };
  // A failure to tell is kept until the run has ended: it must not cut the run off.
  const following = followEvents(store, clock, query, (event) => telling.hear(event), finished.signal).then(
    () => null,
    (error: unknown) => ({ error }),
  );
  return {
    ended: telling.ended,
    outcome: () => telling.outcome,
    noteStopping: async () => {
      const active = await store.active(plan.id, PAGE);
      const names = active.map(({ row }) => row.id).join(", ");
      terminal.note(names === "" ? "stopping" : `stopping when ${names} has ended; once more to end it now`);
    },
    finish: async () => {
      finished.abort();
      const failed = await following;
      if (failed) throw failed.error;
      await telling.flush();
    },
    close: async () => {
      finished.abort();
      await following;
    },
    landed: telling.landed,
    outside: telling.outside,
    mended: telling.mended,
  };
}

/** The end of a run is held back until something follows it or nothing can, so that it is the last word. */
class Telling {
  readonly landed: string[] = [];
  readonly outside = new Map<string, Outside>();
  readonly mended: string[] = [];
  outcome: RunOutcome | null = null;
  private readonly terminal: Terminal;
  private readonly context: EngineContext;
  private readonly plan: PlanRow;
  private held: Event | null = null;
  private readonly over = new AbortController();

  constructor(terminal: Terminal, context: EngineContext, plan: PlanRow) {
    this.terminal = terminal;
    this.context = context;
    this.plan = plan;
  }

  get ended(): AbortSignal {
    return this.over.signal;
  }

  async hear(event: Event): Promise<void> {
    // What hooks make of a run's end comes after it in the log.
    if (!event.type.startsWith("hook.")) await this.flush();
    if (event.type !== "run.ended") return this.tell(event);
    this.held = event;
    this.outcome ??= event.data.outcome;
    this.over.abort();
  }

  async flush(): Promise<void> {
    const { held } = this;
    this.held = null;
    if (held) await this.tell(held);
  }

  private async tell(event: Event): Promise<void> {
    if (event.type === "task.verified" && event.task !== null) this.landed.push(event.task);
    if (event.type === "scope.warned" && event.task !== null) this.outside.set(event.task, event.data);
    if (event.type === "repository.mended" && this.mended.push(eventDetails(event)) > MENDED_MAX) this.mended.shift();
    if (this.terminal.json) return this.terminal.printJson(wireEvent(event, [this.plan]));
    const line = await progressLine(this.terminal, this.context, event);
    if (line !== null) this.terminal.note(line);
  }
}
