/** Looks who sees to the tasks of a plan: which of the processes that the store names still live on this machine. */

import { hostname } from "node:os";
import type { Care, Carer } from "../core/schedule/care.ts";
import type { Holder, LandingRow, PlanRow, RunRow } from "../core/task/rows.ts";
import type { Store, TaskRecord } from "../ports/store.ts";
import { livingEngines } from "./engines.ts";

/** Tells of one task after the other; `landing`: where it is the one that is landed. */
export type CareOf = (record: TaskRecord, landing?: LandingRow | null) => Care;

/** `run`: the plan's live run. */
export async function careIn(store: Store, plan: PlanRow, run: RunRow | null): Promise<CareOf> {
  const isLive = run !== null && run.state !== "ended";
  const engines = isLive ? await livingEngines(store, plan.project) : [];
  const isCarried = isLive ? engines.some((engine) => engine.plan === plan.id) : null;
  const { isAlive } = await import("../adapters/processes/identity.ts");
  const carer = (holder: Holder | null | undefined): Carer | null =>
    holder == null || holder.node !== hostname() ? null : { pid: holder.pid, isAlive: isAlive(holder) };
  return ({ row, attempt, lease }, landing = null) => {
    const isAtWork = row.state === "in_progress" && attempt?.kind === "run";
    return {
      plan: plan.name,
      isCarried,
      engine: isAtWork ? carer(lease?.holder) : null,
      runner: isAtWork ? carer(attempt.process) : null,
      lander: row.state === "claimed_done" && landing?.task === row.id ? carer(landing.holder) : null,
    };
  };
}
