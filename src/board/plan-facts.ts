/** What a frame shows of one plan. Times are milliseconds since 1970. */

import type { HeldForPerson } from "../core/schedule/held-for-person.ts";
import type { TaskState } from "../core/task/moves.ts";
import type { Holder, HoldRow, ItemRow, RunRow } from "../core/task/rows.ts";

export interface PlanFacts {
  plan: string;
  revision: number;
  /** The live run, or the one that a live view has just seen end. */
  run: Pick<RunRow, "state" | "outcome" | "reason" | "started_at" | "ended_at" | "spent_usd"> | null;
  carrier: Carrier;
  counts: Record<TaskState, number>;
  /** Tasks that are verified or count so, of those that the plan has. */
  done: number;
  expected: number;
  completion_pct: number;
  /** In progress and claimed done, oldest first. */
  active: ActiveTask[];
  /** The first open items of the inbox, oldest first; `task` names every task that one is about. */
  items: Pick<ItemRow, "id" | "task" | "kind" | "text" | "options" | "default_option" | "deadline_at" | "wait">[];
  /** All of them. */
  open_items: number;
  /** Null unless every place of the run is taken by an agent that waits for a person. */
  stuck: StuckRun | null;
  /** What of this project's agents is held now and ends by itself: an account, a model, an agent. */
  holds: HoldRow[];
  /** How many things are held that no agent of this project draws on. */
  held_elsewhere: number;
  /** What is held until a person has mended something. */
  releases: HeldForPerson[];
  waits: WaitingTasks[];
  /** Null: none did, or nobody asked. */
  failed: FailedTasks | null;
  /** When something comes due by itself, or the first thing that ready tasks wait for is over. */
  due_at: number | null;
  /** What whoever shows the frame has to say, or null. */
  note: string | null;
}

/** Who carries the live run: this process, another one, nobody any more; or nobody asked. */
export type Carrier = "self" | "nobody" | "unasked" | Pick<Holder, "pid" | "node">;

export interface ActiveTask {
  id: string;
  title: string;
  state: TaskState;
  attempt: number;
  /** Null: a worker outside lockstep, or nobody in particular. */
  agent: string | null;
  /** What is done with it beside its agent's work: `checks npm test`, `waits for your answer to i1`; null while its agent works. */
  doing: string | null;
  /** The agent's last word on how far it is. */
  progress: string | null;
  since: number | null;
  /** What its work will conflict with as things stand: `will conflict with F-2 in a.ts, which started first`. */
  conflicts: string[];
}

/** A run in which nothing goes on before a person answers. */
export interface StuckRun {
  places: number;
  /** What the agents wait for: ids of items. */
  items: string[];
}

/** What failed, and what a person does about it. */
export interface FailedTasks {
  /** The first few, each with the first line of its reason. */
  tasks: { id: string; why: string }[];
  /** Those that are not among them. */
  more: number;
  /** Null while a run is live: it ends by itself. */
  next: string | null;
}

/** Pending tasks that wait for the same. */
export interface WaitingTasks {
  count: number;
  /** The plan is so large that only the first of its pending tasks were looked at. */
  at_least: boolean;
  /** `for tasks that are not verified yet`. */
  why: string;
}
