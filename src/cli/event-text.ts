/** Events for people: one line each. */

import { exitMeaning } from "../core/attempt/exit-meaning.ts";
import { foreseenText } from "../core/attempt/foreseen.ts";
import { heldName, heldText } from "../core/schedule/holds.ts";
import type { Event } from "../core/task/events.ts";
import type {
  CheckOutcome,
  CheckoutChange,
  CheckResult,
  EngineFailure,
  HookFailure,
  Outside,
  RepositoryMending,
} from "../core/task/rows.ts";
import type { Store } from "../ports/store.ts";
import { standingOf } from "./check-standing.ts";
import { countsText } from "./state-words.ts";
import type { Terminal } from "./terminal.ts";

/** One line of the log; of a check it says what it was a check of. */
export async function eventLine(terminal: Terminal, store: Store, event: Event): Promise<string> {
  const { seq, at, type, task, attempt } = event;
  const about = task === null ? "" : `  ${task}${attempt === null ? "" : `#${attempt}`}`;
  const details =
    event.type === "check.recorded"
      ? checkText(event.data.result, await standingOf(store, event))
      : eventDetails(event);
  return `${terminal.style("dim", `${seq}  ${terminal.time(at)}`)}  ${type}${about}${details === "" ? "" : `  ${details}`}`;
}

/** What an event says beside its type; empty where that says all. */
export function eventDetails(event: Event): string {
  switch (event.type) {
    case "plan.loaded":
      return `${event.data.name}, revision ${event.data.revision}, ${event.data.total} tasks${policyText(event.data.policy_changed)}`;
    case "task.requeued":
    case "task.claimed":
    case "task.claimed_done":
    case "task.verified":
    case "task.blocked":
    case "task.failed":
    case "task.skipped":
    case "task.cancelled":
      return [event.data.cause, firstLine(event.data.set.last_error ?? "")].filter(Boolean).join(": ");
    case "attempt.created":
      return `${event.data.attempt.kind}${event.data.attempt.agent === null ? "" : ` by ${event.data.attempt.agent}`}`;
    case "attempt.reported":
      return firstLine(event.data.progress ?? event.data.session ?? "");
    case "attempt.stopping":
      return [event.data.stop?.at_once ? "at once" : "", firstLine(event.data.stop?.why ?? "")]
        .filter(Boolean)
        .join(": ");
    case "attempt.extended":
      return `${event.data.timeout_ms / 1_000} s in all`;
    case "attempt.interrupted":
      return firstLine(event.data.message);
    case "clock.jumped":
      return `the wall clock jumped ${event.data.ms / 1_000} s`;
    case "attempt.settled":
      return [event.data.outcome, firstLine(event.data.error ?? "")].filter(Boolean).join(": ");
    case "check.recorded":
      return checkText(event.data.result);
    case "check.flaky":
      return flakyText(event.data);
    case "conflict.foreseen":
      return foreseenText(event.data);
    case "conflict.gone":
      return `will not conflict with ${event.data.with ?? "its target"} any more`;
    case "scope.warned":
      return outsideText(event.data);
    case "checkout.changed":
      return checkoutText(event.data, `${event.task}#${event.attempt}`);
    case "repository.mended":
      return mendingText(event.data, `${event.task}#${event.attempt}`);
    case "lease.refused":
      return `${event.data.command} with the stale token ${event.data.token}`;
    case "item.opened":
      return `${event.data.item.id}: ${firstLine(event.data.item.text)}`;
    case "item.answered":
    case "item.expired":
      return `${event.data.item}: ${event.data.option}`;
    case "engine.failed":
      return failureText(event.data);
    case "hook.failed":
      return hookText(event.data);
    case "hook.skipped":
      return `${event.data.total} ${event.data.total === 1 ? "event was" : "events were"} told to no hook, from ${event.data.first} on`;
    case "hold.set":
      return heldText(event.data.hold);
    case "hold.cleared":
    case "hold.forgotten":
      return heldName(event.data);
    case "run.moved":
      return [event.data.state, event.data.reason].filter(Boolean).join(": ");
    case "run.ended":
      return `${event.data.outcome}: ${countsText(event.data.counts)}`;
    default:
      return "";
  }
}

/** `; policy changed: land.target, workspace`, or nothing. */
export function policyText(changed: readonly string[] | undefined): string {
  return changed === undefined ? "" : `; policy changed: ${changed.join(", ")}`;
}

const OUTCOMES: Readonly<Record<CheckOutcome, string>> = {
  green: "green",
  red: "red",
  timed_out: "timed_out",
  error: "could not be run",
};

/** `guard `npm test` red, exit 1, 2.0 s, on the base`; without its last words where they are not known. */
export function checkText({ kind, command, outcome, exit_code, ms }: CheckResult, standing = ""): string {
  const meaning = outcome === "red" ? exitMeaning(exit_code) : null;
  const exit = `exit ${exit_code}${meaning === null ? "" : ` (${meaning})`}`;
  const said = `${kind} \`${firstLine(command)}\` ${OUTCOMES[outcome]}, ${exit}, ${(ms / 1_000).toFixed(1)} s`;
  return standing === "" ? said : `${said}, ${standing}`;
}

/** `guard `npm test` is flaky: green on the tree on which it was red once`. */
export function flakyText({ command, reds }: { command: string; reds: number }): string {
  return `guard \`${firstLine(command)}\` is flaky: green on the tree on which it was red ${reds === 1 ? "once" : `${reds} times`}`;
}

/** `task A: what went wrong; tried again`. */
export function failureText({ about, error, retry_at }: EngineFailure): string {
  const what = `${about === null ? "" : `task ${about}: `}${firstLine(error)}`;
  return `${what}; ${retry_at === null ? "set aside until that is mended" : "tried again soon"}`;
}

/** `task_settled timed_out, exit 124: no route to host`. */
export function hookText({ hook, outcome, exit_code, tail }: HookFailure): string {
  return [`${hook} ${outcome}, exit ${exit_code}`, firstLine(tail.trimStart())].filter(Boolean).join(": ");
}

/** Files that are named; the rest is counted. */
const OUTSIDE_NAMED_MAX = 5;

/** `2 files outside files_owned: a, b`. */
export function outsideText({ paths, total }: Outside): string {
  const named = paths.slice(0, OUTSIDE_NAMED_MAX);
  const more = total > named.length ? ` and ${total - named.length} more` : "";
  return `${total} ${total === 1 ? "file" : "files"} outside files_owned: ${firstLine(named.join(", "))}${more}`;
}

/** `2 files changed in your checkout while A#1 and B#2 worked: a, b`. */
export function checkoutText({ paths, total, saved, unseen, beside }: CheckoutChange, attempt: string): string {
  const workers = `while ${workersText(attempt, beside)} worked`;
  if (unseen !== null) return `not known what changed in your checkout ${workers}: ${firstLine(unseen)}`;
  const named = paths.slice(0, OUTSIDE_NAMED_MAX);
  const more = total > named.length ? ` and ${total - named.length} more` : "";
  const files = `${total} ${total === 1 ? "file" : "files"}`;
  const kept = saved === null ? "" : `; as they were found: ${saved}`;
  return `${files} changed in your checkout ${workers}: ${firstLine(named.join(", "))}${more}${kept}`;
}

/** `while A#1 worked: lockstep/p was moved to 1234567: it is at 89abcde again`, one sentence for each. */
export function mendingText({ mended, total, beside }: RepositoryMending, attempt: string): string {
  // Lockstep's own words, which end with a command to be copied.
  const named = mended.slice(0, OUTSIDE_NAMED_MAX).map((each) => each.split("\n", 1)[0]!.slice(0, MENDED_LENGTH_MAX));
  const more = total > named.length ? `; and ${total - named.length} more` : "";
  return `while ${workersText(attempt, beside)} worked: ${named.join("; ")}${more}`;
}

function workersText(attempt: string, beside: string[]): string {
  const named = [attempt, ...beside];
  return named.length === 1 ? attempt : `${named.slice(0, -1).join(", ")} and ${named.at(-1)}`;
}

/** Characters of a sentence on the repository: two names of branches, two commits and what undoes it. */
const MENDED_LENGTH_MAX = 1_000;

/** Characters of a line that is shown of a longer text. */
const LINE_LENGTH_MAX = 200;

export function firstLine(text: string): string {
  const line = text.split("\n", 1)[0]!;
  return line.length > LINE_LENGTH_MAX || line.length < text.trimEnd().length
    ? `${line.slice(0, LINE_LENGTH_MAX)} …`
    : line;
}
