/** How a task's definition stands in its column: only what differs from one that says nothing. */

import type { TaskDefinition } from "../../../core/plan/definition.ts";
import { type Place, parseColumn, UnreadableColumn } from "./unreadable.ts";

/**
 * What a stored definition is where it does not say. Part of the format of the file: to change a value here is to change
 * every definition that is stored, so the defaults of plan files may move and these may not. Most tasks say little, and
 * the rest would be most of a large store.
 */
const UNSAID: Readonly<TaskDefinition> = {
  title: "",
  prompt: "",
  depends_on: [],
  verify: [],
  guards: [],
  files_owned: [],
  wave: 1,
  priority: 3,
  lane: "build",
  agent: null,
  role: null,
  skill: null,
  scope: null,
  scope_paths: [],
  scope_deny: [],
  labels: [],
  estimated_minutes: null,
  tries: 3,
  timeout_ms: 3_600_000,
  retry_delay_ms: 10_000,
  unchecked: false,
  red_first: false,
  clean: false,
  protect: [],
  outside: "warn",
  weakened_checks: "ask",
  changes: "optional",
  on_dependency_failed: "wait",
};

const KEYS = Object.keys(UNSAID) as (keyof TaskDefinition)[];

export function encodeDefinition(definition: TaskDefinition): string {
  const said: Record<string, unknown> = {};
  for (const key of KEYS) if (!isUnsaid(definition[key], UNSAID[key])) said[key] = definition[key];
  return JSON.stringify(said);
}

/** Every list that is not said is empty. */
function isUnsaid(value: unknown, unsaid: unknown): boolean {
  return value === unsaid || (Array.isArray(value) && value.length === 0);
}

/**
 * The keys come in the order in which they are declared, as every reader of plans writes them. What is no definition must
 * never pass for one that says nothing: a task without checks is one that nothing proves.
 */
export function decodeDefinition(text: string, place: Place, column: "body" | "next" = "body"): TaskDefinition {
  const said = parseColumn(text, column, () => place) as Record<string, unknown>;
  for (const key of KEYS) {
    if (said[key] !== undefined && !isLike(said[key], UNSAID[key]))
      throw new UnreadableColumn(place, `${column} (${key})`, said[key], key);
  }
  return { ...UNSAID, ...said };
}

/** Of the same kind; what may be left unsaid altogether is any text or number. */
function isLike(value: unknown, unsaid: unknown): boolean {
  if (Array.isArray(unsaid)) return Array.isArray(value);
  if (unsaid === null) return value === null || typeof value === "string" || typeof value === "number";
  return typeof value === typeof unsaid;
}
