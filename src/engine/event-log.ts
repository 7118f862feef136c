/** Reads the log of events as it stands and as it grows. */

import type { Event } from "../core/task/events.ts";
import type { Clock } from "../ports/clock.ts";
import type { EventQuery, Store } from "../ports/store.ts";
import { PAGE } from "../ports/store.ts";
import { watchChanges } from "./wait.ts";

export type EventsWanted = Omit<EventQuery, "limit">;

/** Everything that is in the log now, page by page. */
export async function* eventsNow(store: Store, query: EventsWanted): AsyncGenerator<Event> {
  let after = query.after;
  for (;;) {
    const page = await store.events({ ...query, after, limit: PAGE });
    yield* page;
    if (page.length < PAGE) return;
    after = page.at(-1)!.seq;
  }
}

/** Tells every event, those to come too, until `stopped` aborts; what is in the log by then has been told. Gives the last number. */
export async function followEvents(
  store: Store,
  clock: Clock,
  query: EventsWanted,
  tell: (event: Event) => void | Promise<void>,
  stopped: AbortSignal,
): Promise<number> {
  const changes = watchChanges(store, clock);
  let after = query.after;
  try {
    for (let last = false; ; ) {
      changes.clear();
      for await (const event of eventsNow(store, { ...query, after })) {
        await tell(event);
        after = event.seq;
      }
      if (last) return after;
      await changes.wait(Number.POSITIVE_INFINITY, [stopped]);
      last = stopped.aborted;
    }
  } finally {
    changes.close();
  }
}

/** The number of the last event in the store, found in few looks: its log may be long. */
export async function lastEvent(store: Store): Promise<number> {
  const isBefore = async (seq: number): Promise<boolean> => (await store.events({ after: seq, limit: 1 })).length > 0;
  let above = 1;
  while (await isBefore(above)) above *= 2;
  let below = 0;
  while (below < above) {
    const middle = Math.floor((below + above) / 2);
    if (await isBefore(middle)) below = middle + 1;
    else above = middle;
  }
  return below;
}
