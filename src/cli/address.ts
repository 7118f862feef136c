/** `[PLAN/]TASK[#ATTEMPT]` -> the task. Ids may themselves hold slashes and hashes, so every reading is tried. */

import type { OpenProject } from "../compose.ts";
import { nearestNames } from "../core/plan/nearest-name.ts";
import type { PlanRow } from "../core/task/rows.ts";
import type { Store, TaskRecord } from "../ports/store.ts";
import { PAGE } from "../ports/store.ts";
import { choosePlan, defaultPlan } from "./choose-plan.ts";
import { EXIT } from "./exit-codes.ts";
import { Failure } from "./failure.ts";

export interface TaskAddress {
  plan: PlanRow;
  record: TaskRecord;
  /** The number behind `#`, or null. */
  attempt: number | null;
}

interface Reading {
  plan: PlanRow;
  id: string;
  attempt: number | null;
}

/** Names shown of an ambiguous address. */
const CANDIDATES_MAX = 10;

/** Exact beats unique prefix, and the default plan's task beats `PLAN/TASK`. */
export async function addressedTask(
  project: OpenProject,
  planName: string | null,
  address: string,
): Promise<TaskAddress> {
  const { store } = project;
  const readings = await readingsOf(project, planName, address);
  for (const reading of readings) {
    const record = await store.task(reading.plan.id, reading.id);
    if (record) return { plan: reading.plan, record, attempt: reading.attempt };
  }
  for (const reading of readings) {
    const ids = await store.taskIds(reading.plan.id, reading.id, CANDIDATES_MAX + 1);
    if (ids.length > 1) throw ambiguous(reading, ids, readings[0]?.plan !== reading.plan);
    const record = ids[0] === undefined ? null : await store.task(reading.plan.id, ids[0]);
    if (record) return { plan: reading.plan, record, attempt: reading.attempt };
  }
  if (readings.length === 0) await choosePlan(project, planName);
  throw await unknownTask(store, readings, address);
}

async function readingsOf(project: OpenProject, planName: string | null, address: string): Promise<Reading[]> {
  const plans = await project.store.plans(project.id);
  const main = planName === null ? await defaultPlan(project, plans) : await choosePlan(project, planName);
  const slash = address.indexOf("/");
  const named =
    slash === -1 || planName !== null ? undefined : plans.find(({ name }) => name === address.slice(0, slash));
  return [...(main ? numbered(main, address) : []), ...(named ? numbered(named, address.slice(slash + 1)) : [])];
}

function numbered(plan: PlanRow, text: string): Reading[] {
  const whole = { plan, id: text, attempt: null };
  const match = /^(.+)#([1-9]\d{0,8})$/s.exec(text);
  return match ? [whole, { plan, id: match[1]!, attempt: Number(match[2]) }] : [whole];
}

function ambiguous({ plan, id }: Reading, ids: readonly string[], withPlan: boolean): Failure {
  const candidates = ids.slice(0, CANDIDATES_MAX).map((task) => (withPlan ? `${plan.name}/${task}` : task));
  const more = ids.length > CANDIDATES_MAX ? " and more" : "";
  const message = `several tasks begin with ${id}: ${candidates.join(", ")}${more}`;
  return new Failure("ambiguous_task", message, "Write more of its id.", { exit: EXIT.usage, candidates });
}

async function unknownTask(store: Store, readings: readonly Reading[], address: string): Promise<Failure> {
  const first = readings.at(-1)!;
  const ids = await store.taskIds(first.plan.id, "", PAGE);
  const nearest = nearestNames(ids)(first.id);
  const hint = nearest ? `Did you mean ${nearest}?` : "`lockstep plan show` lists the tasks.";
  return new Failure("unknown_task", `plan ${first.plan.name} has no task ${address}`, hint, { exit: EXIT.usage });
}
