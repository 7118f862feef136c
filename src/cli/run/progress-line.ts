/** The events of a run that a person wants to read while it goes on. */

import { heldForPerson } from "../../core/schedule/held-for-person.ts";
import { heldName, isGuess } from "../../core/schedule/holds.ts";
import type { Event, MoveData } from "../../core/task/events.ts";
import type { CheckResult, HoldRow } from "../../core/task/rows.ts";
import type { EngineContext } from "../../engine/context.ts";
import { standingOf } from "../check-standing.ts";
import { checkText, eventDetails, firstLine, flakyText, hookText, outsideText } from "../event-text.ts";
import type { Terminal } from "../terminal.ts";

/** Null for an event that needs no line of its own. */
export async function progressLine(terminal: Terminal, context: EngineContext, event: Event): Promise<string | null> {
  const { task, attempt } = event;
  switch (event.type) {
    case "run.started":
      return "run started";
    case "attempt.created": {
      const { plan, n, agent } = event.data.attempt;
      const title = (await context.store.task(plan, task!))?.row.title;
      return `started   ${task}  ${title} (attempt ${n}${agent === null ? "" : ` by ${agent}`})`;
    }
    case "attempt.settled":
      return event.data.outcome === "succeeded"
        ? null
        : terminal.style(
            "yellow",
            `${event.data.outcome.padEnd(9)} ${task}#${attempt}  ${lastLine(event.data.error ?? "")}`,
          );
    case "check.recorded":
      return event.data.result.outcome === "green"
        ? null
        : terminal.style(
            "yellow",
            redLine(`${task}#${attempt}`, event.data.result, await standingOf(context.store, event)),
          );
    case "check.flaky":
      return terminal.style("yellow", `flaky     ${task}#${attempt}  ${flakyText(event.data)}`);
    case "conflict.foreseen":
      return terminal.style("yellow", `conflict  ${task}#${attempt}  ${eventDetails(event)}`);
    case "scope.warned":
      return terminal.style("yellow", `outside   ${task}#${attempt}  ${outsideText(event.data)}`);
    case "checkout.changed":
      return terminal.style("yellow", `foreign   ${eventDetails(event)}`);
    case "repository.mended":
      return terminal.style("yellow", `mended    ${eventDetails(event)}`);
    case "engine.failed":
      return terminal.style("red", `aside     ${eventDetails(event)}`);
    case "hook.failed":
      return terminal.style("yellow", `hook      ${task === null ? "" : `${task}  `}${hookText(event.data)}`);
    case "hook.skipped":
      return terminal.style("yellow", `hook      ${eventDetails(event)}`);
    case "task.verified":
      return terminal.style("green", `verified  ${task}`);
    case "task.requeued":
      return `again     ${task}  ${moveText(event.data)}${dueText(terminal, event.data)}`;
    case "task.failed":
      return terminal.style("red", `failed    ${task}  ${moveText(event.data)}`);
    case "task.skipped":
    case "task.cancelled":
      return `${event.data.to.padEnd(9)} ${task}  ${moveText(event.data)}`;
    case "hold.set":
      return terminal.style("yellow", holdLine(terminal, context, event.data.hold));
    case "item.opened":
      return terminal.style(
        "yellow",
        `needs you ${task ?? ""}  ${event.data.item.id}: ${firstLine(event.data.item.text)}`,
      );
    default:
      return null;
  }
}

/** Why one could not be run stands first in what is kept of it. */
function redLine(attempt: string, result: CheckResult, standing: string): string {
  const isRun = result.outcome !== "error";
  const said = isRun ? lastLine(result.tail) : firstLine(result.tail.trim());
  const word = isRun ? "red       " : "not run   ";
  return `${word}${attempt}  ${checkText(result, standing)}${said === "" ? "" : `: ${said}`}`;
}

function moveText({ cause, set }: MoveData): string {
  return [cause.replaceAll("_", " "), firstLine(set.last_error ?? "")].filter((part) => part !== "").join(": ");
}

function dueText(terminal: Terminal, { set }: MoveData): string {
  return set.due_at === undefined || set.due_at === null ? "" : `; due ${terminal.time(set.due_at)}`;
}

/** The last line of an output usually says what went wrong. */
function lastLine(text: string): string {
  return firstLine(text.trimEnd().split("\n").at(-1) ?? "");
}

function holdLine(terminal: Terminal, { settings, clock }: EngineContext, hold: HoldRow): string {
  const [release] = heldForPerson([hold], settings.draws, clock.now());
  if (release !== undefined)
    return `needs you ${heldName(hold)} is held: ${hold.why}; when that is mended: ${release.command}`;
  const until = hold.until === null ? "until somebody clears it" : `until ${terminal.time(hold.until)}`;
  return `held      ${heldName(hold)} ${until}${isGuess(hold) ? ", a guess" : ""}`;
}
