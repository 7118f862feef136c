/** `lockstep why`: runs the scheduler's own gates for one task. Changes nothing. */

import type { Care } from "../core/schedule/care.ts";
import type { Explained, Explanation } from "../core/schedule/explain.ts";
import { explain } from "../core/schedule/explain.ts";
import { placeInQueue } from "../core/schedule/landing-queue.ts";
import { PAGE, type ReadyTask, type TaskRecord } from "../ports/store.ts";
import type { EngineContext } from "./context.ts";
import { gatherFacts } from "./facts.ts";
import { landingTarget } from "./landing-target.ts";
import { candidateOf } from "./next.ts";
import { probePlace } from "./place.ts";

/** Where the plan has no live run, a task is judged as an external worker would be; but what holds its own agent is told. `care`: who sees to it. */
export async function explainTask(context: EngineContext, record: TaskRecord, care?: Care): Promise<Explanation> {
  const { store, project, settings, clock } = context;
  const { row, attempt, lease } = record;
  const facts = await gatherFacts(context, row.plan, record.definition.agent ?? settings.agent);
  const kind = facts.run === null ? "external" : "run";
  const isPending = row.state === "pending";
  const candidate = candidateOf(record as ReadyTask, { kind, agent: record.definition.agent ?? settings.agent });
  const workspace = isPending ? await placeProblem(context, record) : null;
  const isClaimedDone = row.state === "claimed_done";
  const landing = isClaimedDone ? await store.landing(project.id, landingTarget(record)) : null;
  const queue =
    isClaimedDone && landingTarget(record) === row.target ? await store.landingQueue(project.id, row.target, PAGE) : [];
  const items = await store.openItems(project.id, row.plan, PAGE);
  const explained = {
    ...candidate,
    row,
    dependencies: row.unmet > 0 ? await store.dependencies(row.plan, row.id) : [],
    attempt,
    landing,
    queued: placeInQueue(queue, landing, row),
    items: items.filter((item) => item.task === row.id),
    leaseExpiresAt: lease?.expires_at ?? null,
    ...(care === undefined ? {} : { care }),
    foreseenBy: row.state === "in_progress" || row.state === "claimed_done" ? await foreseenBy(context, record) : [],
  };
  return explain({ ...facts, workspace }, explained, clock.now());
}

/** A conflict of two stands with the task that started later. */
async function foreseenBy(
  { store }: EngineContext,
  { row }: TaskRecord,
): Promise<NonNullable<Explained["foreseenBy"]>> {
  const active = await store.active(row.plan, PAGE);
  return active.flatMap(({ row: { id: task }, attempt }) =>
    (attempt?.foreseen ?? []).filter((conflict) => conflict.with === row.id).map((conflict) => ({ task, conflict })),
  );
}

async function placeProblem(context: EngineContext, record: TaskRecord): Promise<string | null> {
  const place = await probePlace(context, record);
  return "code" in place ? place.text : null;
}
