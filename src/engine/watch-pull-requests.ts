/** Looks, now and then, at what waits outside for people: each open pull request of a run's plan, one after the other. */

import type { PublishHear } from "../core/task/commands/publications.ts";
import type { Publication } from "../core/task/publication.ts";
import type { TaskRow } from "../core/task/rows.ts";
import type { PublishRefusal } from "../ports/publisher.ts";
import { PAGE } from "../ports/store.ts";
import type { EngineContext } from "./context.ts";
import { heardIn } from "./outside-news.ts";
import { summaryOf } from "./plan-summary.ts";
import { publisherOf, publishingOf } from "./publish.ts";

/** What only a person can mend is asked less often. */
const REFUSED_LOOK_MS = 15 * 60_000;

type Open = TaskRow & { publication: Publication };

export class PullRequestWatch {
  readonly #context: EngineContext;
  readonly #plan: string;
  /** When each is looked at again, on the wall clock; one that is not in here, at once. Nothing of it has to outlive this process. */
  #nextAt = new Map<string, number>();
  #open: Open[] = [];
  readonly #told = new Map<string, string>();

  constructor(context: EngineContext, plan: string) {
    this.#context = context;
    this.#plan = plan;
  }

  /** Finds out which are open; true when one of them is to be looked at now. Asks nobody outside. */
  async isDue(): Promise<boolean> {
    this.#open = await this.#openNow();
    const before = this.#nextAt;
    this.#nextAt = new Map(this.#open.map((row) => [keyOf(row), before.get(keyOf(row)) ?? 0]));
    return this.#open.some((row) => this.#isDue(row));
  }

  /** When the next one is to be looked at, milliseconds since 1970; null: none was open when that was asked last. */
  nextAt(): number | null {
    return this.#nextAt.size === 0 ? null : Math.min(...this.#nextAt.values());
  }

  /** Looks at all whose time has come. True: there may be something to do. */
  async look(signal: AbortSignal): Promise<true> {
    for (const row of this.#open.filter((each) => this.#isDue(each))) {
      if (signal.aborted) return true;
      await this.#lookAt(row, signal);
    }
    return true;
  }

  #isDue(row: Open): boolean {
    return (this.#nextAt.get(keyOf(row)) ?? 0) <= this.#context.clock.now();
  }

  async #openNow(): Promise<Open[]> {
    const { store } = this.#context;
    if ((await summaryOf(this.#context, this.#plan)).tallies.blocked === 0) return [];
    const open: Open[] = [];
    for (let offset = 0; ; offset += PAGE) {
      const page = await store.tasks(this.#plan, { state: "blocked", offset, limit: PAGE });
      open.push(...page.filter(isOpen));
      if (page.length < PAGE) return open;
    }
  }

  async #lookAt(row: Open, signal: AbortSignal): Promise<void> {
    const { settings, clock, store, actor } = this.#context;
    const { number, head, base, sha, cursor } = row.publication;
    const looked = await publisherOf(this.#context).look({ number, head, base, sha, cursor }, signal);
    if (signal.aborted) return;
    const usual = clock.now() + publishingOf(settings).lookMs;
    if ("code" in looked) return this.#refused(row, looked, usual);
    this.#told.delete(row.id);
    this.#nextAt.set(keyOf(row), usual);
    const heard = heardIn(looked, row.publication);
    if (heard.kind === "nothing" && looked.cursor === cursor) return;
    const of = { plan: row.plan, task: row.id, attempt: row.attempts };
    const command: PublishHear = { type: "publish.hear", ...of, cursor: looked.cursor, heard };
    // Refused where somebody moved the task meanwhile: then nobody has been told, and the old cursor holds.
    await store.submit(command, { actor });
  }

  /** Said once, and asked again all the same: a token may be renewed at any moment. */
  async #refused(row: Open, { retriable, until, text, next }: PublishRefusal, usual: number): Promise<void> {
    const { store, clock, actor } = this.#context;
    const again = retriable ? usual : clock.now() + REFUSED_LOOK_MS;
    const retry_at = Math.max(again, until ?? 0);
    this.#nextAt.set(keyOf(row), retry_at);
    if (retriable || this.#told.get(row.id) === text) return;
    this.#told.set(row.id, text);
    const failure = { about: row.id, error: `${text} ${next}`, retry_at };
    await store.submit({ type: "engine.fail", plan: row.plan, failure }, { actor });
  }
}

function isOpen(row: TaskRow): row is Open {
  const { publication, attempts } = row;
  return publication?.stage === "open" && publication.attempt === attempts;
}

/** The next attempt's work is looked at at once. */
function keyOf({ id, attempts }: Open): string {
  return `${id}#${attempts}`;
}
