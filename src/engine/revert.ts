/** Undoes the landing of a verified task, as a new task whose work lockstep does itself where that needs no judgement. */

import type { Rejection } from "../core/errors.ts";
import { reject } from "../core/errors.ts";
import type { CheckDefinition, CompiledTask, TaskDefinition } from "../core/plan/definition.ts";
import { naturalKey } from "../core/plan/natural-key.ts";
import { slugOf } from "../core/plan/slug.ts";
import { landedTask } from "../core/task/commit-message.ts";
import type { PlanRow, TaskRow } from "../core/task/rows.ts";
import { PAGE, type TaskRecord } from "../ports/store.ts";
import { claimTask } from "./claim.ts";
import type { EngineContext } from "./context.ts";
import { revertedTasks, revertsLabel } from "./reverted.ts";

export interface RevertRequest {
  plan: PlanRow;
  record: TaskRecord;
  /** The new task's own checks, beside the guards of the one that is undone. */
  verify: CheckDefinition[];
  unchecked: boolean;
  /** Also where tasks rely on it that are verified or under way. */
  despite_dependants: boolean;
  /** SHA-256 of a text in hexadecimal digits. */
  digest(text: string): string;
}

export interface Reverting {
  /** The new task. */
  task: string;
  /** Tasks that rely on what is undone, and are verified or under way. */
  dependants: string[];
  /** Token of the attempt whose place holds the work, ready to be done; null: the task waits for a worker, as `why` says. */
  token: number | null;
  why: string | null;
}

/** Adds the task and does its work. Its checks are still to be run: it is done as any worker's task is. */
export async function revertTask(
  context: EngineContext,
  request: RevertRequest,
): Promise<Reverting | { rejection: Rejection }> {
  const { plan, record } = request;
  const { row } = record;
  const refusal = await whyNot(context, request);
  if (refusal !== null) return { rejection: refusal };
  const dependants = await reliedOn(context, row);
  if (dependants.length > 0 && !request.despite_dependants) {
    const message = `${row.id} cannot be reverted: ${dependants.slice(0, NAMED_MAX).join(", ")} relied on it`;
    const hint = "Revert those first, or pass --despite-dependants where they go well without it.";
    return { rejection: reject("dependants_relied", message, hint) };
  }
  const added = await newRevert(context, request);
  if ("rejection" in added) return added;
  const command = { type: "task.add", plan: plan.id, added, origin: "operator" } as const;
  const answer = await context.store.submit(command, { actor: context.actor });
  if (!answer.ok) return { rejection: answer.rejection };
  return { task: added.id, dependants, ...(await workOn(context, plan, added.id, row.landed_sha!)) };
}

/** Tasks that a refusal names. */
const NAMED_MAX = 5;

async function whyNot(
  { workspace }: EngineContext,
  { record: { row, definition }, verify, unchecked }: RevertRequest,
): Promise<Rejection | null> {
  if (row.state !== "verified")
    return reject(
      "illegal_move",
      `${row.id} has not landed: it is ${row.state}`,
      "`lockstep discard TASK` takes its work away.",
    );
  const landed = row.landed_sha === null ? null : await workspace.diff({ commit: row.landed_sha });
  if (landed !== null && "code" in landed)
    return reject("workspace_busy", `${row.id} cannot be reverted: ${landed.text}`);
  if (landed === null || landedTask(landed.message) !== row.id)
    return reject(
      "illegal_move",
      `no commit landed with ${row.id} that could be undone`,
      "Undo it by hand, or with a task of its own.",
    );
  if (verify.length + definition.guards.length > 0 || unchecked) return null;
  const message = `nothing would check that ${row.id} is well undone: its plan has no guards`;
  return reject("checks_missing", message, "Name a check with --verify, or pass --unchecked.");
}

const UNDER_WAY = new Set(["verified", "in_progress", "claimed_done", "blocked"]);

async function reliedOn({ store }: EngineContext, { plan, id }: TaskRow): Promise<string[]> {
  const found: string[] = [];
  for await (const task of store.graph(plan))
    if (task.depends_on.includes(id) && UNDER_WAY.has(task.state)) found.push(task.id);
  return found;
}

/** How often one task may have been undone. */
const REVERTS_MAX = 100;

/** Named after the task that it undoes, with a number from the second time on. */
async function newRevert(
  context: EngineContext,
  { plan, record: { row, definition }, verify, unchecked, digest }: RevertRequest,
): Promise<CompiledTask | { rejection: Rejection }> {
  const { ids, slugs, reverts } = await namesIn(context, plan);
  if (revertedTasks(reverts).has(row.id))
    return {
      rejection: reject(
        "illegal_move",
        `what ${row.id} brought is undone already`,
        "`lockstep revert` of the task that undid it brings it back.",
      ),
    };
  const names = Array.from(
    { length: REVERTS_MAX },
    (_, index) => `revert-${row.id}${index === 0 ? "" : `-${index + 1}`}`,
  );
  const open = names.find((name) => ids.has(name) && !OVER.has(ids.get(name)!));
  if (open !== undefined)
    return {
      rejection: reject(
        "task_exists",
        `${open} undoes ${row.id} already`,
        `\`lockstep why ${open}\` says how it stands.`,
      ),
    };
  const id = names.find((name) => !ids.has(name)) ?? names[REVERTS_MAX - 1]!;
  const slug = slugOf(id, digest, (wanted) => slugs.has(wanted.toLowerCase()));
  const own: TaskDefinition = {
    ...definition,
    title: `Revert ${definition.title}`,
    prompt: briefOf(row),
    depends_on: [],
    verify,
    unchecked: verify.length === 0 && unchecked,
    labels: [revertsLabel(row.id)],
    lane: "build",
    red_first: false,
    changes: "required",
  };
  return { id, slug, natural_key: naturalKey(id), depends_on: [], path: 0, definition: own };
}

const OVER = new Set(["verified", "failed", "skipped", "cancelled"]);

function briefOf({ id, title, landed_sha }: TaskRow): string {
  return [
    `Undo what commit ${landed_sha} brought, which landed the task ${id} (${title}).`,
    `\`git revert --no-commit --mainline 1 ${landed_sha}\` does most of it. What later commits have built on it, or changed beside it, has to keep working.`,
  ].join("\n");
}

async function namesIn({ store }: EngineContext, { id }: PlanRow) {
  const [ids, slugs] = [new Map<string, string>(), new Set<string>()];
  const reverts: TaskRecord[] = [];
  for (let offset = 0; ; offset += PAGE) {
    const page = await store.tasks(id, { offset, limit: PAGE });
    for (const row of page) {
      ids.set(row.id, row.state);
      slugs.add(row.slug.toLowerCase());
      const record = row.origin === "operator" && row.state === "verified" ? await store.task(id, row.id) : null;
      if (record !== null) reverts.push(record);
    }
    if (page.length < PAGE) return { ids, slugs, reverts };
  }
}

/** Nothing but git works on it, and then its checks. */
const TTL_MS = 30 * 60_000;

/** Undoes the commit in a place of the new task's own; left to an agent, or to whoever claims it, where that needs judgement. */
async function workOn(
  context: EngineContext,
  plan: PlanRow,
  task: string,
  commit: string,
): Promise<Pick<Reverting, "token" | "why">> {
  const claim = { plan: plan.id, task, kind: "external", agent: "lockstep revert", run: null, ttlMs: TTL_MS } as const;
  const { claimed, ...refused } = await claimTask(context, claim);
  if (claimed === null)
    return { token: null, why: ("rejection" in refused ? refused.rejection?.message : null) ?? "it is not ready" };
  const { slug, attempts: n } = claimed.task.row;
  const place = { plan: plan.name, slug, n };
  const undone = await context.workspace.undo(place, commit);
  if ("conflicts" in undone && undone.conflicts.length === 0) return { token: claimed.lease.token, why: null };
  const why =
    "code" in undone
      ? undone.text
      : `later work changed the same places, so it is left to an agent: ${undone.conflicts.join(", ")}`;
  await context.workspace.save(place);
  const stop = { as: "interrupted", why, then: "pending" } as const;
  await context.store.submit({ type: "attempt.stop", plan: plan.id, task, ...stop }, { actor: context.actor });
  return { token: null, why };
}
