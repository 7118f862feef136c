/** A task as written, with defaults -> the definition that is stored. */

import { invariant } from "../core/assert.ts";
import type { CheckDefinition, TaskDefinition } from "../core/plan/definition.ts";
import { parseDuration } from "./duration.ts";
import type { WrittenDefaults, WrittenPlanDefaults, WrittenScope, WrittenTask } from "./plan-schema.ts";
import { BUILT_IN_DEFAULTS, type PlanSettings } from "./plan-settings.ts";

/** One list for all tasks that are held to nothing. */
const NO_GLOBS: string[] = [];

export type WrittenChecks = NonNullable<WrittenDefaults["verify"]>;

/** What a task of one plan is where it does not say: one object for all its tasks, whose lists they share. */
export interface ResolvedDefaults
  extends Omit<TaskDefinition, "title" | "prompt" | "depends_on" | "files_owned" | "scope_paths" | "scope_deny"> {
  /** As written; the time limit of each task's own checks may differ. */
  writtenVerify: WrittenChecks;
  writtenGuards: WrittenChecks;
  checkTimeoutMs: number;
  /** Of the whole project: no task can take them away. */
  protectedAlways: readonly string[];
  /** Of the plan, by name. */
  scopes: ReadonlyMap<string, WrittenScope>;
}

/** The defaults of a plan over those of the configuration over the built-in ones. */
export function resolveDefaults(
  plan: WrittenPlanDefaults,
  settings: Pick<PlanSettings, "defaults" | "protect">,
  scopes: Readonly<Record<string, WrittenScope>> = {},
): ResolvedDefaults {
  const said = { ...BUILT_IN_DEFAULTS, ...settings.defaults, ...plan };
  const writtenVerify = verifyOf([plan, settings.defaults]);
  const writtenGuards = said.guards ?? [];
  const checkTimeoutMs = milliseconds(said.verify_timeout);
  return {
    writtenVerify,
    writtenGuards,
    checkTimeoutMs,
    protectedAlways: settings.protect,
    scopes: new Map(Object.entries(scopes)),
    verify: checksOf(writtenVerify, checkTimeoutMs),
    guards: checksOf(writtenGuards, checkTimeoutMs),
    wave: said.wave,
    priority: said.priority,
    lane: said.lane,
    agent: said.agent ?? null,
    role: said.role ?? null,
    skill: said.skill ?? null,
    scope: said.scope ?? null,
    labels: said.labels ?? [],
    estimated_minutes: said.estimated_minutes ?? null,
    tries: said.tries,
    timeout_ms: milliseconds(said.timeout),
    retry_delay_ms: milliseconds(said.retry_delay),
    unchecked: said.unchecked,
    red_first: said.red_first,
    clean: said.clean,
    protect: union(settings.protect, said.protect ?? []),
    outside: said.outside,
    weakened_checks: said.weakened_checks,
    changes: said.changes,
    on_dependency_failed: said.on_dependency_failed,
  };
}

/** Fills in a well-formed task. `verify` may be empty: whether that is allowed is the caller's to judge. */
export function defineTask(task: WrittenTask, defaults: ResolvedDefaults): TaskDefinition {
  const title = task.title ?? task.id;
  const scope = task.scope ?? defaults.scope;
  const held = scope === null ? undefined : defaults.scopes.get(scope);
  return {
    title,
    prompt: task.prompt ?? title,
    depends_on: task.depends_on ?? [],
    verify: taskVerify(task, defaults),
    guards: taskGuards(task, defaults),
    files_owned: task.files_owned ?? [],
    wave: task.wave ?? defaults.wave,
    priority: task.priority ?? defaults.priority,
    lane: task.lane ?? defaults.lane,
    agent: task.agent ?? defaults.agent,
    role: task.role ?? defaults.role,
    skill: task.skill ?? defaults.skill,
    scope,
    scope_paths: held?.paths ?? NO_GLOBS,
    scope_deny: held?.deny ?? NO_GLOBS,
    labels: task.labels ?? defaults.labels,
    estimated_minutes: task.estimated_minutes ?? defaults.estimated_minutes,
    tries: task.tries ?? defaults.tries,
    timeout_ms: task.timeout === undefined ? defaults.timeout_ms : milliseconds(task.timeout),
    retry_delay_ms: task.retry_delay === undefined ? defaults.retry_delay_ms : milliseconds(task.retry_delay),
    unchecked: task.unchecked ?? defaults.unchecked,
    red_first: task.red_first ?? defaults.red_first,
    clean: task.clean ?? defaults.clean,
    protect: task.protect === undefined ? defaults.protect : union(defaults.protectedAlways, task.protect),
    outside: task.outside ?? defaults.outside,
    weakened_checks: task.weakened_checks ?? defaults.weakened_checks,
    changes: task.changes ?? defaults.changes,
    on_dependency_failed: task.on_dependency_failed ?? defaults.on_dependency_failed,
  };
}

function taskVerify(task: WrittenTask, defaults: ResolvedDefaults): CheckDefinition[] {
  if (task.verify !== undefined) return checksOf(task.verify, checkTimeout(task, defaults));
  if (task.unchecked === true) return [];
  if (task.verify_timeout === undefined) return defaults.verify;
  return checksOf(defaults.writtenVerify, checkTimeout(task, defaults));
}

function taskGuards(task: WrittenTask, defaults: ResolvedDefaults): CheckDefinition[] {
  if (task.guards === undefined && task.verify_timeout === undefined) return defaults.guards;
  return checksOf(task.guards ?? defaults.writtenGuards, checkTimeout(task, defaults));
}

function checkTimeout({ verify_timeout }: WrittenTask, { checkTimeoutMs }: ResolvedDefaults): number {
  return verify_timeout === undefined ? checkTimeoutMs : milliseconds(verify_timeout);
}

/** One form of the ways in which checks may be written. */
function checksOf(written: WrittenChecks, timeoutMs: number): CheckDefinition[] {
  return (Array.isArray(written) ? written : [written]).map((check) =>
    typeof check === "string"
      ? { run: check, timeout_ms: timeoutMs }
      : { run: check.run, timeout_ms: check.timeout === undefined ? timeoutMs : milliseconds(check.timeout) },
  );
}

/** The nearest level that says how tasks are checked; `unchecked: true` says that they are not. */
function verifyOf(levels: readonly WrittenDefaults[]): WrittenChecks {
  return levels.find((level) => level.verify !== undefined || level.unchecked === true)?.verify ?? [];
}

function union(always: readonly string[], own: readonly string[]): string[] {
  return [...new Set([...always, ...own])];
}

function milliseconds(written: string): number {
  const ms = parseDuration(written);
  invariant(ms !== null, `the schema let through the duration ${written}`);
  return ms;
}
