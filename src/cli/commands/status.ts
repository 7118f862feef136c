import { planFrame } from "../../board/frame.ts";
import { CLOCK_TIMES, spansFrom } from "../../board/time-text.ts";
import { careIn } from "../../compose/care.ts";
import { livingEngines } from "../../compose/engines.ts";
import type { Care } from "../../core/schedule/care.ts";
import type { PlanRow } from "../../core/task/rows.ts";
import type { EngineRow, Store, TaskRecord } from "../../ports/store.ts";
import { PAGE } from "../../ports/store.ts";
import type { Call, CommandRun } from "../command.ts";
import { EXIT } from "../exit-codes.ts";
import { type WireHold, wireHold } from "../hold-text.ts";
import { activeTasks, heldNow, readFailed, readPlanFacts, releasesOf, waitedItem } from "../plan-facts.ts";
import { earlier, readWaits } from "../plan-waits.ts";
import type { Standing } from "../state-words.ts";
import { standingOf } from "../state-words.ts";

export const run: CommandRun = async (call) => {
  const plan = await call.session.plan();
  const store = await call.session.store();
  if (call.terminal.json) call.terminal.printJson(await statusOf(call, store, plan));
  else for (const line of await frameOf(call, store, plan)) call.terminal.print(line);
  return EXIT.ok;
};

/** The frame of the live view, whole, as it stands. */
async function frameOf({ session, terminal }: Call, store: Store, plan: PlanRow): Promise<string[]> {
  const facts = await readPlanFacts(store, plan, session.context);
  facts.failed = await readFailed(store, plan, facts);
  if (facts.run !== null) {
    const context = await session.context();
    facts.carrier = (await engineOf(store, plan)) ?? "nobody";
    const { waits, opens_at } = await readWaits(context, plan.id, context.settings.agent);
    facts.waits = waits;
    facts.due_at = earlier(facts.due_at, opens_at);
  }
  return planFrame(facts, {
    width: terminal.columns(),
    height: Number.POSITIVE_INFINITY,
    moments: terminal.isScreen ? spansFrom(Date.now()) : CLOCK_TIMES,
    paint: terminal.style,
  });
}

async function engineOf(store: Store, plan: PlanRow): Promise<EngineRow | null> {
  return (await livingEngines(store, plan.project)).find((each) => each.plan === plan.id) ?? null;
}

async function statusOf({ session }: Call, store: Store, plan: PlanRow): Promise<Status> {
  const summary = (await store.summary(plan.id))!;
  const active = await store.active(plan.id, PAGE);
  const { total, counts, completion_pct } = standingOf(summary);
  const items = summary.open_items === 0 ? [] : await store.openItems(plan.project, plan.id, PAGE);
  const engine = await engineOf(store, plan);
  const careOf = await careIn(store, plan, summary.run);
  const doings = await activeTasks(store, plan, active, items, careOf);
  const held = await heldNow(store, plan.project);
  const releases = await releasesOf(held, session.context);
  return {
    plan: plan.name,
    revision: plan.revision,
    run: summary.run && { id: summary.run.id, state: summary.run.state },
    engine: engine && { pid: engine.pid, node: engine.node },
    total,
    counts,
    active: active.map((record, index) =>
      activeTask(record, doings[index]!.doing, waitedItem(items, record.row.id), careOf(record)),
    ),
    completion_pct,
    needs_you: summary.open_items + releases.length,
    held: held.map(wireHold),
  };
}

interface Status extends Standing {
  plan: string;
  revision: number;
  run: { id: string; state: string } | null;
  /** The process that carries the plan's run; null: none does. */
  engine: Pick<EngineRow, "pid" | "node"> | null;
  /** In progress and claimed done. */
  active: ActiveTask[];
  /** All that stands in the inbox: open items, and what is held until a person comes. */
  needs_you: number;
  /** Accounts, models, providers and agents that nothing is started for now. */
  held: WireHold[];
}

interface ActiveTask {
  id: string;
  title: string;
  state: TaskRecord["row"]["state"];
  attempt: number;
  agent: string | null;
  started_at: number | null;
  /** What is done with it beside its agent's work; claimed done, where it stands in the landing queue. */
  doing: string | null;
  /** The item whose answer its agent waits for; null: none. */
  waits_for: string | null;
  /** Whether those that see to its attempt live; null: there is none, or it is another machine's. */
  engine_alive: boolean | null;
  runner_alive: boolean | null;
}

function activeTask(
  { row, attempt }: TaskRecord,
  doing: string | null,
  waits_for: string | null,
  { engine, runner }: Care,
): ActiveTask {
  const { id, title, state, attempts, started_at } = row;
  return {
    id,
    title,
    state,
    attempt: attempts,
    agent: attempt?.agent ?? null,
    started_at: attempt?.started_at ?? started_at,
    doing,
    waits_for,
    engine_alive: engine?.isAlive ?? null,
    runner_alive: runner?.isAlive ?? null,
  };
}
