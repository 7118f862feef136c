import { contentOf, keyOf, type MemoryState } from "../src/adapters/store/memory/state.ts";
import type { RowCommand } from "../src/core/task/commands.ts";
import type { Machines } from "./machines.ts";

export interface Standing {
  state: MemoryState;
  now: number;
  machines: Machines;
}

/** What only a worker with an unexpired lease may say. */
const OF_LEASE_HOLDERS = new Set(["task.renew", "task.done", "task.fail"]);

/** Why this command must be refused, as the store stands; null: its token, if it has one, is the latest. */
export function staleness(command: RowCommand, standing: Standing): string | null {
  if (command.type === "landing.begin") return takenFromTheLiving(command, standing);
  if (!("token" in command) || !("task" in command)) return null;
  const { state, now } = standing;
  if ("target" in command) {
    const project = state.plans.get(command.plan)?.project ?? "";
    const held = state.landings.get(keyOf(project, command.target));
    const isHeld = held !== undefined && held.token === command.token && held.task === command.task;
    return isHeld ? null : `token ${command.token} does not hold the landing (${held?.token ?? "nobody does"})`;
  }
  const held = contentOf(state, command.plan).attempts.get(command.task)?.at(-1);
  const { lease, attempt } = held ?? { lease: null, attempt: null };
  if (lease?.token !== command.token)
    return `token ${command.token} does not hold ${command.task} (${lease?.token ?? "nobody does"})`;
  const isOver = attempt?.kind === "external" && OF_LEASE_HOLDERS.has(command.type) && lease.expires_at <= now;
  return isOver ? `the lease of ${command.task} is over` : null;
}

function takenFromTheLiving(
  { plan, target, holder }: Extract<RowCommand, { type: "landing.begin" }>,
  { state, machines, now }: Standing,
): string | null {
  const held = state.landings.get(keyOf(state.plans.get(plan)?.project ?? "", target));
  if (held === undefined || !machines.isAlive(held.holder)) return null;
  const isOwn =
    held.holder.node === holder.node && held.holder.pid === holder.pid && held.holder.start === holder.start;
  const row = contentOf(state, held.plan).tasks.get(held.task);
  const isWanted = row?.state === "claimed_done" && row.attempts === held.attempt;
  // Of another node nobody sees whether it lives: who ends the task ends its landing too.
  const isForgotten = held.holder.node !== holder.node && (!isWanted || now - held.begun_at >= 3_600_000);
  return isOwn || isForgotten ? null : `the landing of ${held.task} is taken from a living process`;
}
