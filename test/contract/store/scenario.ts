/** Plans and the steps of a task's life, in few words. */

import type { CompiledPlan, CompiledTask, TaskDefinition } from "../../../src/core/plan/definition.ts";
import { naturalKey } from "../../../src/core/plan/natural-key.ts";
import type { RowCommand } from "../../../src/core/task/commands.ts";
import type { Event } from "../../../src/core/task/events.ts";
import type { LoadAnswer, LoadCounts, Store } from "../../../src/ports/store.ts";
import * as commands from "../../fixtures/commands.ts";
import { DEFINITION, PLAN } from "../../fixtures/loaded.ts";

export const PLAN_ID = "plan";
export const PROJECT = "project";
export const TARGET = PLAN.policy.land.target;

export interface Task extends Partial<TaskDefinition> {
  id: string;
  slug?: string;
  after?: string[];
  path?: number;
}

/** `F-1`: a task; `F-2 < F-1`: one that depends on another. */
export function compiled(task: string | Task): CompiledTask {
  const [name, ...after] = typeof task === "string" ? task.split(/ < |, /) : [task.id];
  const {
    id = name!,
    slug = id,
    after: edges = after,
    path = 0,
    ...over
  } = typeof task === "string" ? { id: name! } : task;
  return {
    id,
    slug,
    natural_key: naturalKey(id),
    depends_on: edges,
    path,
    definition: { ...DEFINITION, title: `Task ${id}`, depends_on: edges, ...over },
  };
}

export function planOf(hash: string, tasks: (string | Task)[], over: Partial<CompiledPlan> = {}): CompiledPlan {
  const policy = { ...PLAN.policy, workspace: "none" as const };
  return { name: "checkout", source_hash: hash, policy, tasks: tasks.map(compiled), warnings: [], ...over };
}

export async function loads(
  store: Store,
  hash: string,
  tasks: (string | Task)[],
  { id = PLAN_ID, ...over }: Partial<CompiledPlan> & { id?: string } = {},
): Promise<LoadAnswer> {
  return store.load({ type: "plan.load", project: PROJECT, id, plan: planOf(hash, tasks, over) }, { actor: "test" });
}

/** Loads a plan that must be accepted. */
export async function loaded(
  store: Store,
  ...plan: Parameters<typeof loads> extends [Store, ...infer P] ? P : never
): Promise<LoadCounts> {
  const answer = await loads(store, ...plan);
  if (!answer.ok) throw new Error(answer.problems.map((problem) => problem.message).join("; "));
  return answer.counts;
}

/** The events of a command that must be accepted. */
export async function does(store: Store, command: RowCommand): Promise<Event[]> {
  const answer = await store.submit(command, { actor: "test" });
  if (!answer.ok) throw new Error(`${command.type}: ${answer.rejection.code}: ${answer.rejection.message}`);
  return answer.events;
}

/** Why a command that must be refused was refused. */
export async function refused(store: Store, command: RowCommand): Promise<string> {
  const answer = await store.submit(command, { actor: "test" });
  if (answer.ok) throw new Error(`${command.type} was accepted`);
  return `${answer.rejection.code}: ${answer.rejection.message}`;
}

/** Claims the task for an external worker and answers the token. */
export async function claims(
  store: Store,
  task: string,
  over: Parameters<typeof commands.claim>[0] = {},
): Promise<number> {
  const events = await does(store, commands.claim({ task, ...over }));
  return tokenOf(events);
}

export function tokenOf(events: Event[]): number {
  for (const event of events) {
    if (event.type === "attempt.created") return event.data.attempt.token;
    if (event.type === "landing.begun") return event.data.landing.token;
  }
  throw new Error("no token was given");
}

/** Claims the task and hands its work over. */
export async function finishes(store: Store, task: string): Promise<void> {
  const token = await claims(store, task);
  await does(store, commands.done({ task, token }));
}

/** Takes the task all the way. */
export async function verifies(store: Store, task: string): Promise<void> {
  await finishes(store, task);
  const attempt = (await store.task(PLAN_ID, task))!.row.attempts;
  const token = tokenOf(await does(store, commands.begin({ task, attempt })));
  await does(store, commands.land({ task, token }));
}

/** Lets the task run out of tries. */
export async function fails(store: Store, task: string): Promise<void> {
  const row = (await store.task(PLAN_ID, task))!;
  const token = await claims(store, task);
  await does(store, commands.fail({ task, token }));
  if (row.definition.tries !== 1) throw new Error(`give ${task} one try`);
}

export async function stateOf(store: Store, task: string): Promise<string> {
  return (await store.task(PLAN_ID, task))!.row.state;
}

/** `unmet/dead` of each task. */
export async function countersOf(store: Store, ...tasks: string[]): Promise<string[]> {
  const records = await Promise.all(tasks.map((task) => store.task(PLAN_ID, task)));
  return records.map((record) => `${record!.row.unmet}/${record!.row.dead}`);
}

export async function readyIds(store: Store, limit = 100): Promise<string[]> {
  return (await store.ready(PLAN_ID, limit)).map(({ row }) => row.id);
}

export async function eventTypes(store: Store, task?: string): Promise<string[]> {
  const events = await store.events({ after: 0, plan: PLAN_ID, ...(task === undefined ? {} : { task }), limit: 200 });
  return events.map((event) => event.type);
}
