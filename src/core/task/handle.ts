/** The one funnel: every change of state of a row, whoever asks, is decided here. Pure. */

import type { Rejection } from "../errors.ts";
import { reject } from "../errors.ts";
import type { RowCommand } from "./commands.ts";
import type { Decision } from "./draft.ts";
import { Draft } from "./draft.ts";
import { add } from "./handlers/add.ts";
import * as attempts from "./handlers/attempts.ts";
import { claim } from "./handlers/claim.ts";
import { foresee } from "./handlers/foresee.ts";
import * as holds from "./handlers/holds.ts";
import * as items from "./handlers/items.ts";
import * as landing from "./handlers/landing.ts";
import * as operator from "./handlers/operator.ts";
import * as publications from "./handlers/publications.ts";
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
  if (absent) return draft.refuse(absent);
  const decide = DECIDE[command.type] as Decide<RowCommand["type"]>;
  return decide(draft, command, actor);
}

/** Decides each command, by its type. */
const DECIDE: { [T in RowCommand["type"]]: Decide<T> } = {
  "task.claim": claim,
  "task.renew": worker.renew,
  "task.done": worker.done,
  "task.fail": worker.fail,
  "task.retry": operator.retry,
  "task.skip": operator.skip,
  "task.cancel": operator.cancel,
  "task.add": add,
  "task.edit": operator.edit,
  "task.override": operator.override,
  "task.cascade": operator.cascade,
  "attempt.start": attempts.start,
  "attempt.adopt": attempts.adopt,
  "attempt.report": attempts.report,
  "attempt.stop": attempts.stop,
  "attempt.extend": attempts.extend,
  "attempt.interrupt": attempts.interrupt,
  "attempt.foresee": foresee,
  "attempt.settle": attempts.settleAttempt,
  "check.record": landing.record,
  "check.baseline": (draft, { result }) => draft.add("check.recorded", { result }).done(),
  "landing.begin": landing.begin,
  "landing.adopt": landing.adopt,
  "landing.move": landing.move,
  "landing.fail": landing.fail,
  "publish.intend": publications.intend,
  "publish.record": publications.record,
  "publish.hear": publications.hear,
  "verdict.give": give,
  "item.open": items.open,
  "item.answer": items.answer,
  "item.expire": items.expire,
  "run.start": startRun,
  "run.pause": pauseRun,
  "run.resume": resumeRun,
  "run.stop": stopRun,
  "run.end": endRun,
  "hold.set": holds.set,
  "hold.clear": (draft, { key }) => draft.add("hold.cleared", { key }).done(),
  "hold.expire": holds.expire,
  "engine.fail": (draft, { failure }) => draft.add("engine.failed", failure).done(),
  "hook.fail": (draft, { failure }) => draft.add("hook.failed", failure).done(),
  "hook.skip": (draft, { skipped }) => draft.add("hook.skipped", skipped).done(),
  "clock.jump": (draft, { ms }) => draft.add("clock.jumped", { ms }).done(),
  "lease.expire": worker.expireLease,
};

type Decide<T extends RowCommand["type"]> = (
  draft: Draft,
  command: Extract<RowCommand, { type: T }>,
  actor: string,
) => Decision;

function absentRow(rows: Loaded, command: RowCommand): Rejection | null {
  if (!("plan" in command)) return null;
  if (!rows.plan) return reject("unknown_plan", `there is no plan ${command.plan}`);
  const named = "task" in command ? command.task : null;
  if (named === null || rows.task) return null;
  return reject("unknown_task", `plan ${rows.plan.name} has no task ${named}`);
}
