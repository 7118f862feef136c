/** Tells an operator's commands what happens in a plan while a run carries it; none of them can hold the run up. */

import type { HookCall, HookSettings } from "../core/policy/hooks.ts";
import { hookCall } from "../core/policy/hooks.ts";
import type { Event } from "../core/task/events.ts";
import type { PlanRow } from "../core/task/rows.ts";
import type { CheckEnd } from "../ports/processes.ts";
import { beside } from "./beside.ts";
import type { EngineContext } from "./context.ts";
import { followEvents, lastEvent } from "./event-log.ts";
import { wireEvent, wireJson } from "./wire-event.ts";

type HookContext = Pick<EngineContext, "store" | "clock" | "processes" | "blobs" | "ids" | "env" | "project" | "actor">;

export interface Hooks {
  /** Tells what is still to be told, within a bound, and ends. Rejects with what kept it from following the events. */
  close(): Promise<void>;
}

/** How long a run's end waits for hooks that are behind; the hook of the run's end has its own time after that. */
const END_WAIT_MS = 2 * 60_000;

/**
 * Follows the plan's events from now on and runs the command of each that has one, one after the other, in their order.
 * What waits to be told waits in the store, not in memory. `kill` ends the command under way, and none runs after it.
 */
export async function startHooks(
  context: HookContext,
  plan: PlanRow,
  settings: HookSettings,
  kill: AbortSignal,
): Promise<Hooks> {
  if (settings.task_settled === null && settings.run_ended === null) return { close: async () => {} };
  const { store, clock } = context;
  const teller = new HookTeller(context, plan, settings, kill);
  const query = { after: await lastEvent(store), project: plan.project, plan: plan.id };
  const following = beside((over) => followEvents(store, clock, query, (event) => teller.hear(event), over));
  return {
    close: async () => {
      const told = new AbortController();
      const bound = clock.sleep(END_WAIT_MS, told.signal).then(() => {
        if (!told.signal.aborted) teller.hurry();
      });
      try {
        await following.close();
      } finally {
        told.abort();
        await bound;
      }
      await teller.close();
    },
  };
}

class HookTeller {
  private readonly context: HookContext;
  private readonly plan: PlanRow;
  private readonly settings: HookSettings;
  private readonly kill: AbortSignal;
  /** Aborted: only the run's end is told any more. */
  private readonly late = new AbortController();
  private readonly skipped: number[] = [];

  constructor(context: HookContext, plan: PlanRow, settings: HookSettings, kill: AbortSignal) {
    this.context = context;
    this.plan = plan;
    this.settings = settings;
    this.kill = kill;
  }

  hurry(): void {
    this.late.abort();
  }

  async hear(event: Event): Promise<void> {
    const call = hookCall(event);
    const command = call && this.settings[call.hook];
    if (call === null || command === null) return;
    const ending = call.hook === "run_ended" ? this.kill : AbortSignal.any([this.kill, this.late.signal]);
    const end = ending.aborted ? null : await this.run(command, call, event, ending);
    if (end === null || end.outcome === "killed") this.skipped.push(event.seq);
    else if (end.outcome !== "green") await this.recordFailure(call, event, { ...end, outcome: end.outcome });
  }

  /** Says what nobody was told. */
  async close(): Promise<void> {
    const { store, actor } = this.context;
    const [first] = this.skipped;
    if (first === undefined) return;
    const skipped = { first, total: this.skipped.length };
    await store.submit({ type: "hook.skip", plan: this.plan.id, skipped }, { actor });
  }

  private async run(command: string, call: HookCall, event: Event, signal: AbortSignal): Promise<CheckEnd> {
    const { processes, blobs, ids, project } = this.context;
    const wire = wireJson(wireEvent(event, [this.plan]));
    const id = ids.next();
    const log = `hooks/${id.slice(-2)}/${id}.log`;
    try {
      const held = await processes.holdCommand({
        argv: ["bash", "-c", command],
        cwd: project.root,
        timeoutMs: this.settings.timeout_ms,
        env: this.envOf(call, event, wire),
        stdin: `${wire}\n`,
        logFile: await blobs.path(log),
        signal,
      });
      const end = await held.release();
      await blobs.remove(log);
      return end;
    } catch (error) {
      // No place for its output: the machine's doing, and no reason to end a run.
      if ((error as NodeJS.ErrnoException).syscall === undefined) throw error;
      return { outcome: "error", exit_code: NOT_STARTED, tail: (error as Error).message, ms: 0, forced: false };
    }
  }

  /** Words of an event never stand in the command: a shell would obey them. */
  private envOf({ hook, state, outcome }: HookCall, { task, attempt }: Event, wire: string): Record<string, string> {
    const isShort = new TextEncoder().encode(wire).length <= EVENT_BYTES_MAX;
    return {
      ...this.context.env,
      LOCKSTEP_HOOK: hook,
      LOCKSTEP_PROJECT: this.context.project.root,
      LOCKSTEP_PLAN: this.plan.name,
      LOCKSTEP_STATE: state,
      LOCKSTEP_OUTCOME: outcome,
      ...(task === null ? {} : { LOCKSTEP_TASK: task }),
      ...(attempt === null ? {} : { LOCKSTEP_ATTEMPT_N: String(attempt) }),
      ...(isShort ? { LOCKSTEP_EVENT: wire } : {}),
    };
  }

  private async recordFailure(
    { hook }: HookCall,
    { seq, task }: Event,
    { outcome, exit_code, tail }: CheckEnd & { outcome: "red" | "timed_out" | "error" },
  ): Promise<void> {
    const { store, actor } = this.context;
    const failure = { hook, of: seq, outcome, exit_code, tail };
    await store.submit({ type: "hook.fail", plan: this.plan.id, task, failure }, { actor });
  }
}

/** What a shell says of a command that it cannot start. */
const NOT_STARTED = 127;

/** Linux starts nothing with a longer variable than 128 KiB; a longer event stands on standard input alone. */
const EVENT_BYTES_MAX = 100_000;
