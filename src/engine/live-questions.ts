/** What the agent of a live attempt asked, and the answers on their way to it. */

import type { ItemOpen } from "../core/task/commands/items.ts";
import type { Event } from "../core/task/events.ts";
import { FREE_ANSWER } from "../core/task/item-words.ts";
import type { AgentQuestion, LiveRunner } from "../ports/runner.ts";
import { PAGE } from "../ports/store.ts";
import type { EngineContext } from "./context.ts";
import type { LiveTask } from "./live-task.ts";

/** How long a person has before the default is taken (spec, section 2). */
const DEADLINE_MS = 8 * 3_600_000;

export function askPerson(
  { clock }: EngineContext,
  { task: { row } }: LiveTask,
  asked: AgentQuestion & { at: number },
): ItemOpen {
  const names = asked.options.length === 0 ? [FREE_ANSWER] : asked.options;
  return {
    type: "item.open",
    plan: row.plan,
    task: row.id,
    kind: "question",
    text: asked.question,
    options: names.map((name) => ({ name, effect: "pending" })),
    default_option: asked.default,
    deadline_at: asked.default === null ? null : clock.now() + DEADLINE_MS,
    ...(asked.wait === undefined ? {} : { wait: { until: asked.at + asked.wait.ms, then: asked.wait.then } }),
  };
}

export class LiveQuestions {
  /** Items that nobody has answered yet, with the line in which their question stands. */
  readonly #open = new Map<string, number>();
  #seen: number | null = null;
  #asked = 0;

  /** How many were asked until now. */
  get count(): number {
    return this.#asked;
  }

  /** `events`: what opening the item changed, also when an earlier engine opened it. */
  asked(line: number, events: readonly Event[]): void {
    for (const event of events) {
      if (event.type !== "item.opened") continue;
      this.#asked += 1;
      this.#open.set(event.data.item.id, line);
      this.#seen = Math.min(this.#seen ?? event.seq, event.seq);
    }
  }

  /** Hands on what was answered since the last call. */
  async handOn({ store }: EngineContext, { task: { row } }: LiveTask, runner: LiveRunner): Promise<void> {
    while (this.#open.size > 0 && this.#seen !== null) {
      const page = await store.events({ after: this.#seen, plan: row.plan, task: row.id, limit: PAGE });
      for (const event of page) await this.#handOnOne(event, runner);
      if (page.length < PAGE) return;
    }
  }

  async #handOnOne(event: Event, runner: LiveRunner): Promise<void> {
    this.#seen = event.seq;
    if (event.type !== "item.answered" && event.type !== "item.expired") return;
    const { item, option } = event.data;
    const question = this.#open.get(item);
    if (question === undefined) return;
    this.#open.delete(item);
    const text = event.type === "item.answered" ? event.data.text : null;
    await runner.control({ type: "answer", question, answer: answerText(option, text) });
  }
}

function answerText(option: string, text: string | null): string {
  if (text === null) return option;
  return option === FREE_ANSWER ? text : `${option}: ${text}`;
}
