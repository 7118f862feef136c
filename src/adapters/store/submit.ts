/** One command, or some in their order, inside the transaction that an adapter has begun. */

import { invariant } from "../../core/assert.ts";
import type { Envelope, RowCommand } from "../../core/task/commands.ts";
import type { Event } from "../../core/task/events.ts";
import { handle } from "../../core/task/handle.ts";
import type { Loaded } from "../../core/task/loaded.ts";
import type { Answer } from "../../ports/store.ts";
import { loadRows } from "./load-rows.ts";
import type { Tables } from "./tables.ts";
import { writeChanges } from "./write-changes.ts";

/** Decides the command on the rows that it needs and writes what follows. `changed`: there is something to commit. */
export function submitIn(
  tables: Tables,
  command: RowCommand,
  { command_id, actor }: Envelope,
  now: number,
): { answer: Answer; changed: boolean } {
  const first = command_id === undefined ? null : firstAnswer(tables, command_id);
  if (first) return { answer: first, changed: false };
  const before = loadRows(tables, command, now);
  const { facts, rejection, after } = handle(before, command, now, actor);
  const stamp = { at: now, project: projectOf(before, command), actor };
  const events = facts.length === 0 ? [] : writeChanges(tables, before, after, facts, stamp);
  const answer: Answer = rejection ? { ok: false, rejection, events } : { ok: true, events };
  if (command_id !== undefined) tables.putAnswer(command_id, { kind: "submit", answer });
  return { answer, changed: facts.length > 0 || command_id !== undefined };
}

/** Decides commands in their order, each on the rows that the one before it left. `changed` is false after a refusal. */
export function submitAllIn(
  tables: Tables,
  commands: readonly RowCommand[],
  { actor }: Pick<Envelope, "actor">,
  now: number,
): { answer: Answer; changed: boolean } {
  const events: Event[] = [];
  for (const command of commands) {
    const { answer } = submitIn(tables, command, { actor }, now);
    if (!answer.ok) return { answer: { ...answer, events: [] }, changed: false };
    events.push(...answer.events);
  }
  return { answer: { ok: true, events }, changed: events.length > 0 };
}

function firstAnswer(tables: Tables, command: string): Answer | null {
  const stored = tables.answer(command);
  if (!stored) return null;
  invariant(stored.kind === "submit", `command ${command} was the load of a plan`);
  return stored.answer;
}

function projectOf({ plan }: Loaded, command: RowCommand): string {
  return plan?.project ?? ("project" in command ? command.project : "");
}
