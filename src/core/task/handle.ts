/** The one funnel: every change of state of a row, whoever asks, is decided here. Pure. */

import type { Rejection } from "../errors.ts";
import { reject } from "../errors.ts";
import type { RowCommand } from "./commands.ts";
import type { Decision } from "./draft.ts";
import { Draft } from "./draft.ts";
import { add } from "./handlers/add.ts";
import * as attempts from "./handlers/attempts.ts";
import { claim } from "./handlers/claim.ts";
import * as items from "./handlers/items.ts";
import * as landing from "./handlers/landing.ts";
import * as operator from "./handlers/operator.ts";
import { endRun, pauseRun, resumeRun, startRun, stopRun } from "./handlers/runs.ts";
import { give } from "./handlers/verdicts.ts";
import * as worker from "./handlers/worker.ts";
import type { Loaded } from "./loaded.ts";

/**
 * Decides one command on the rows that it needs. A rejection changes nothing, but for the note of a stale token and the
 * settling of a lease that has run out, which are facts whoever asks.
 */
export function handle(rows: Loaded, command: RowCommand, now: number, actor: string): Decision {
  const draft = new Draft(rows, now);
  const absent = absentRow(rows, command);
  return absent ? draft.refuse(absent) : decideOn(draft, command, actor);
}

function decideOn(draft: Draft, command: RowCommand, actor: string): Decision {
  switch (command.type) {
    case "task.claim":
      return claim(draft, command);
    case "task.renew":
      return worker.renew(draft, command);
    case "task.done":
      return worker.done(draft, command);
    case "task.fail":
      return worker.fail(draft, command);
    case "task.retry":
      return operator.retry(draft, command);
    case "task.skip":
      return operator.skip(draft, command);
    case "task.cancel":
      return operator.cancel(draft, command);
    case "task.add":
      return add(draft, command);
    case "task.edit":
      return operator.edit(draft, command);
    case "task.override":
      return operator.override(draft, command);
    case "task.cascade":
      return operator.cascade(draft, command);
    case "attempt.start":
      return attempts.start(draft, command);
    case "attempt.stop":
      return attempts.stop(draft, command);
    case "attempt.settle":
      return attempts.settleAttempt(draft, command);
    case "check.record":
      return landing.record(draft, command);
    case "check.baseline":
      return draft.add("check.recorded", { result: command.result }).done();
    case "landing.begin":
      return landing.begin(draft, command);
    case "landing.adopt":
      return landing.adopt(draft, command);
    case "landing.move":
      return landing.move(draft, command);
    case "landing.fail":
      return landing.fail(draft, command);
    case "verdict.give":
      return give(draft, command);
    case "item.open":
      return items.open(draft, command);
    case "item.answer":
      return items.answer(draft, command);
    case "item.expire":
      return items.expire(draft, command);
    case "run.start":
      return startRun(draft, command, actor);
    case "run.pause":
      return pauseRun(draft);
    case "run.resume":
      return resumeRun(draft, command);
    case "run.stop":
      return stopRun(draft, command);
    case "run.end":
      return endRun(draft, command);
    case "hold.set":
      return draft
        .add("hold.set", {
          hold: { project: command.project, key: command.key, until: command.until, why: command.why },
        })
        .done();
    case "hold.clear":
      return draft.add("hold.cleared", { key: command.key }).done();
    case "lease.expire":
      return worker.expireLease(draft, command);
  }
}

function absentRow(rows: Loaded, command: RowCommand): Rejection | null {
  if (!("plan" in command)) return null;
  if (!rows.plan) return reject("unknown_plan", `there is no plan ${command.plan}`);
  const named = "task" in command ? command.task : null;
  if (named === null || rows.task) return null;
  return reject("unknown_task", `plan ${rows.plan.name} has no task ${named}`);
}
