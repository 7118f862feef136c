/** All that a memory store holds. Rows are values that nobody changes: a new version takes the old one's place. */

import type { Tally } from "../../../core/task/counters.ts";
import type { Event } from "../../../core/task/events.ts";
import type { DefinitionRow, HoldRow, ItemRow, LandingRow, PlanRow, RunRow, TaskRow } from "../../../core/task/rows.ts";
import type { EngineRow, RecordedCheck } from "../../../ports/store.ts";
import type { HeldAttempt, StoredAnswer } from "../tables.ts";

/** One plan's tasks and what belongs to them, by task id. */
export interface PlanState {
  tasks: Map<string, TaskRow>;
  definitions: Map<string, DefinitionRow>;
  edges: Map<string, readonly string[]>;
  tallies: Map<Tally, number>;
  attempts: Map<string, HeldAttempt[]>;
  checks: Map<string, RecordedCheck[]>;
  runs: Map<string, RunRow>;
  items: Map<string, ItemRow>;
}

export interface MemoryState {
  plans: Map<string, PlanRow>;
  contents: Map<string, PlanState>;
  landings: Map<string, LandingRow>;
  holds: Map<string, HoldRow>;
  events: Event[];
  answers: Map<string, StoredAnswer>;
  configs: Map<string, { hash: string; config: unknown }>;
  engines: Map<string, EngineRow>;
  /** `last` is the last token that was given. */
  tokens: Map<"last", number>;
}

export function emptyState(): MemoryState {
  return {
    plans: new Map(),
    contents: new Map(),
    landings: new Map(),
    holds: new Map(),
    events: [],
    answers: new Map(),
    configs: new Map(),
    engines: new Map(),
    tokens: new Map(),
  };
}

export function emptyPlan(): PlanState {
  return {
    tasks: new Map(),
    definitions: new Map(),
    edges: new Map(),
    tallies: new Map(),
    attempts: new Map(),
    checks: new Map(),
    runs: new Map(),
    items: new Map(),
  };
}

const NO_PLAN = emptyPlan();

/** What the plan holds; nothing for a plan that is not there. */
export function contentOf({ contents }: MemoryState, plan: string): PlanState {
  return contents.get(plan) ?? NO_PLAN;
}

/** A key of several parts; a control character stands between them, which no id has. */
export function keyOf(...parts: string[]): string {
  return parts.join("\u0001");
}
