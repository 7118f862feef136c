import type { Event } from "../../core/task/events.ts";
import type { EventsWanted } from "../../engine/event-log.ts";
import { eventsNow, followEvents } from "../../engine/event-log.ts";
import { NEVER } from "../../engine/halt.ts";
import { wireEvent } from "../../engine/wire-event.ts";
import type { Call, CommandRun } from "../command.ts";
import { eventLine } from "../event-text.ts";
import { EXIT } from "../exit-codes.ts";
import { countOption, isGiven, textOption } from "../read-options.ts";

export const run: CommandRun = async (call) => {
  const query = await wanted(call, countOption(call, "after", 0) ?? 0);
  const { store, id } = await call.session.project();
  const plans = await store.plans(id);
  const tell = async (event: Event): Promise<void> => {
    if (call.terminal.json) call.terminal.printJson(wireEvent(event, plans));
    else call.terminal.print(await eventLine(call.terminal, store, event));
  };
  if (isGiven(call, "follow")) await followEvents(store, (await call.session.context()).clock, query, tell, NEVER);
  else for await (const event of eventsNow(store, query)) await tell(event);
  return EXIT.ok;
};

/** Whoever follows ends it by a signal, which ends this process: nothing here needs to be put right. */
async function wanted(call: Call, after: number): Promise<EventsWanted> {
  const { session, options } = call;
  const project = (await session.project()).id;
  const task = textOption(call, "task");
  if (task !== null) {
    const { plan, record } = await session.task(task);
    return { after, project, plan: plan.id, task: record.row.id };
  }
  return { after, project, ...(options["plan"] === undefined ? {} : { plan: (await session.plan()).id }) };
}
