/** A decision in the making: facts are added one by one, and the rows follow each. */

import { invariant } from "../assert.ts";
import type { Rejection } from "../errors.ts";
import type { EventData, EventType, Fact, MoveData } from "./events.ts";
import { MOVE_EVENTS } from "./events.ts";
import { evolve } from "./evolve.ts";
import type { Loaded } from "./loaded.ts";
import type { MoveCause, TaskState } from "./moves.ts";
import { assertMove } from "./moves.ts";
import type { AttemptRow, DefinitionRow, PlanRow, TaskRow } from "./rows.ts";

/** What `handle` answers: facts to append, and a rejection where the wish itself was refused. */
export interface Decision {
  facts: Fact[];
  rejection: Rejection | null;
  /** The rows with the facts applied. */
  after: Loaded;
}

export class Draft {
  readonly facts: Fact[] = [];
  rows: Loaded;
  readonly now: number;

  constructor(rows: Loaded, now: number) {
    this.rows = rows;
    this.now = now;
  }

  get plan(): PlanRow {
    invariant(this.rows.plan, "the command's plan was not loaded");
    return this.rows.plan;
  }

  get task(): TaskRow {
    invariant(this.rows.task, "the command's task was not loaded");
    return this.rows.task;
  }

  get definition(): DefinitionRow {
    invariant(this.rows.definition, "the task's definition was not loaded");
    return this.rows.definition;
  }

  get attempt(): AttemptRow {
    invariant(this.rows.attempt, "the task's attempt was not loaded");
    return this.rows.attempt;
  }

  /** Appends a fact about the command's plan, task and last attempt, as they are once it holds. */
  add<T extends EventType>(type: T, data: EventData[T]): this {
    this.rows = evolve(this.rows, { type, plan: null, task: null, attempt: null, data } as Fact, this.now);
    const { plan, task, attempt } = this.rows;
    this.facts.push({
      type,
      plan: plan?.id ?? null,
      task: task?.id ?? null,
      attempt: attempt?.n ?? null,
      data,
    } as Fact);
    return this;
  }

  /** Appends the task's move; throws when the table does not have it. */
  move(to: TaskState, cause: MoveCause, set: Partial<TaskRow> = {}): this {
    const from = this.task.state;
    assertMove(from, to, cause);
    const data: MoveData = { from, to, cause, set: { reason: cause, ...set } };
    return this.add(MOVE_EVENTS[to], data);
  }

  done(): Decision {
    return { facts: this.facts, rejection: null, after: this.rows };
  }

  /** The wish is refused; facts added so far (such as the note of a stale token) still hold. */
  refuse(rejection: Rejection): Decision {
    return { facts: this.facts, rejection, after: this.rows };
  }
}
