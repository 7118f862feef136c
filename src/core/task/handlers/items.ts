/** What people are asked: opened, answered, or closed by their deadline. */

import { FRESH_COUNTERS } from "../../attempt/caps.ts";
import { reject } from "../../errors.ts";
import { hasOwnBranch, type WorkspaceMode } from "../../plan/definition.ts";
import type { ItemAnswer, ItemExpire, ItemOpen } from "../commands/items.ts";
import type { Decision, Draft } from "../draft.ts";
import type { ItemKind, ItemOption, ItemRow, RuledCause, RulingWord } from "../rows.ts";
import { endTask } from "./end.ts";
import { withdrawItems } from "./withdraw-items.ts";

/** Deadline of an item whose default is to fail (spec, section 2). */
const SETBACK_DEADLINE_MS = 24 * 3_600_000;

export const SETBACK_OPTIONS: ItemOption[] = [
  { name: "retry", effect: "pending" },
  { name: "skip", effect: "skipped" },
  { name: "fail", effect: "failed" },
];

export const CHECK_OPTIONS: ItemOption[] = [
  { name: "check_again", effect: "claimed_done" },
  { name: "retry", effect: "pending" },
  { name: "fail", effect: "failed" },
];

/** The target's files can be kept only where a candidate is built beside the work. */
export function rulingOptions(cause: RuledCause, mode: WorkspaceMode): ItemOption[] {
  const ruled = (name: RulingWord): ItemOption => ({ name, effect: "claimed_done", rulings: { [cause]: name } });
  const keep = cause === "protected_files" && hasOwnBranch(mode) ? [ruled("keep_mine")] : [];
  return [...keep, ruled("allow"), ...CHECK_OPTIONS.filter(({ effect }) => effect !== "claimed_done")];
}

interface Asked {
  kind: ItemKind;
  text: string;
  options: ItemOption[];
  /** What it shares with other items; absent: it stands alone. */
  shared?: string;
  /** Taken after a day; without one the item waits for a person for ever. */
  default?: string;
}

export function openItem(draft: Draft, asked: Asked): void {
  const deadline_at = asked.default === undefined ? null : draft.now + SETBACK_DEADLINE_MS;
  addItem(draft, { ...asked, task: draft.task.id, default_option: asked.default ?? null, deadline_at });
}

export function open(draft: Draft, command: ItemOpen): Decision {
  const known = command.default_option === null || command.options.some((o) => o.name === command.default_option);
  if (!known)
    return draft.refuse(reject("unknown_option", `the default ${command.default_option} is none of the options`));
  addItem(draft, command);
  return draft.done();
}

function addItem(draft: Draft, asked: Omit<ItemOpen, "type" | "plan"> & { shared?: string }): void {
  const { kind, text, options, default_option, deadline_at, task, wait = null, shared = null } = asked;
  const { project, id: plan, items } = draft.plan;
  const item: ItemRow = {
    project,
    plan,
    id: `i${items + 1}`,
    task,
    shared,
    kind,
    text,
    options,
    default_option,
    deadline_at,
    wait,
    state: "open",
    answer: null,
    opened_at: draft.now,
    closed_at: null,
    version: 0,
  };
  draft.add("item.opened", { item });
}

export function answer(draft: Draft, command: ItemAnswer): Decision {
  const item = draft.rows.items.find((i) => i.id === command.item);
  if (!item) return draft.refuse(reject("unknown_item", `there is no item ${command.item}`));
  if (item.state !== "open")
    return draft.refuse(reject("item_closed", `item ${item.id} is ${item.state}: ${item.answer}`));
  const option = item.options.find((o) => o.name === command.option);
  if (!option) {
    const names = item.options.map((o) => o.name).join(", ");
    return draft.refuse(
      reject("unknown_option", `item ${item.id} has no option ${command.option}`, `Answer with one of: ${names}.`),
    );
  }
  draft.add("item.answered", { item: item.id, option: option.name, text: command.text });
  release(draft, item, option, false, command.text);
  return draft.done();
}

export function expire(draft: Draft, command: ItemExpire): Decision {
  const item = draft.rows.items.find((i) => i.id === command.item);
  if (!item) return draft.refuse(reject("unknown_item", `there is no item ${command.item}`));
  if (item.state !== "open")
    return draft.refuse(reject("item_closed", `item ${item.id} is ${item.state}: ${item.answer}`));
  const option = item.options.find((o) => o.name === item.default_option);
  if (!option || item.deadline_at === null || item.deadline_at > draft.now)
    return draft.refuse(reject("not_due", `item ${item.id} has no default that is due`));
  draft.add("item.expired", { item: item.id, option: option.name });
  release(draft, item, option, true);
  return draft.done();
}

/** Moves the task on once its last open item is closed; an answer to fail or skip counts at once, and words reach the next brief. */
function release(
  draft: Draft,
  item: ItemRow,
  { effect, rulings }: ItemOption,
  expired: boolean,
  text: string | null = null,
): Draft {
  if (item.task === null || draft.task.state !== "blocked") return draft;
  if (effect === "failed") {
    withdrawItems(draft, "failed");
    return draft.move("failed", expired ? "expired" : "answered", { finished_at: draft.now, last_error: item.text });
  }
  if (effect === "skipped") return endTask(draft, "skipped", item.text, false, "answered");
  if (draft.rows.items.some((i) => i.state === "open")) return draft;
  if (effect === "claimed_done") {
    const ruled = rulings === undefined ? {} : { rulings: { ...draft.task.rulings, ...rulings } };
    return draft.move("claimed_done", "answered", ruled);
  }
  const told = text === null ? {} : { last_error: `${item.text}\n\nThe answer: ${text}` };
  return draft.move("pending", "answered", { ...FRESH_COUNTERS, ...told, due_at: null });
}
