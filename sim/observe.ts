/** Somebody asks every now and then why a task does not start: asking changes nothing, and tells which gates were closed. */

import { contentOf } from "../src/adapters/store/memory/state.ts";
import { GATE_CODES } from "../src/core/schedule/gates.ts";
import type { PlanRow } from "../src/core/task/rows.ts";
import { explainTask } from "../src/engine/why.ts";
import { actAs, type Play } from "./contexts.ts";
import type { Engines } from "./engines.ts";

const EVERY_MS = 90_000;
const CODES: ReadonlySet<string> = new Set(GATE_CODES);

export function observe(play: Play, plan: PlanRow, engines: Engines): void {
  const { world } = play;
  const again = (): void => {
    world.clock.after(world.random.between(5_000, EVERY_MS), () => {
      if (engines.isOver?.()) return;
      void ask(play, plan);
      again();
    });
  };
  again();
}

async function ask(play: Play, plan: PlanRow): Promise<void> {
  const { world } = play;
  const pending = [...contentOf(world.state, plan.id).tasks.values()].filter(({ state }) => state === "pending");
  if (pending.length === 0) return;
  const { mortal, context } = actAs(play, { node: world.setting.nodes[0]!, kind: "operator", name: "asker" });
  const events = world.state.events.length;
  const record = await context.store.task(plan.id, world.random.pick(pending).id);
  const explained = record === null ? null : await explainTask(context, record);
  for (const { code } of explained?.reasons ?? []) if (CODES.has(code)) world.coverage.gates.add(code);
  if (explained !== null)
    world.log.write(`why ${explained.id}: ${explained.reason.code} ${explained.reason.by.join(", ")}`);
  if (world.state.events.slice(events).some(({ actor }) => actor === "asker"))
    world.violate("asking changes nothing", "an event");
  mortal.exit();
}
