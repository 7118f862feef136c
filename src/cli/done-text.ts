/** What came of `task done`, in words and as an exit code. */

import { exitMeaning } from "../core/attempt/exit-meaning.ts";
import type { AttemptRow } from "../core/task/rows.ts";
import type { EngineContext } from "../engine/context.ts";
import type { RecordedCheck, Store, TaskRecord } from "../ports/store.ts";
import { standingChecks } from "./check-standing.ts";
import { EXIT } from "./exit-codes.ts";
import { marksOf, stateText } from "./state-words.ts";
import type { Terminal } from "./terminal.ts";

export interface DoneEnd {
  task: TaskRecord;
  /** The attempt that was said to be done; a later one may be under way already. */
  attempt: AttemptRow;
  /** Its last check, or null when none ran. */
  check: RecordedCheck | null;
  exitOfSignal: number | null;
}

/** Moves that take a task on although nothing has landed yet. */
const WENT_ON = new Set(["phase_done", "review_due"]);

export function exitOfDone({ task, attempt, check, exitOfSignal }: DoneEnd): number {
  const { state, reason, attempts } = task.row;
  if (state === "verified") return EXIT.ok;
  if (state === "claimed_done" && exitOfSignal !== null) return exitOfSignal;
  if (state === "blocked") return EXIT.needs_person;
  if (check !== null && check.outcome !== "green") return EXIT.refused;
  const isOurs = attempts === attempt.n;
  return isOurs && !WENT_ON.has(reason ?? "") ? EXIT.refused : EXIT.ok;
}

/** The last one of what was done: what was red before the work began is no word on it. */
export async function lastCheck(store: Store, { row }: TaskRecord, attempt: number): Promise<RecordedCheck | null> {
  const checks = await standingChecks(store, row.plan, row.id);
  return checks.filter((check) => check.attempt === attempt && check.on === "candidate").at(-1) ?? null;
}

/** Lines of a failing check's output that are shown; the whole stands in its log. */
const TAIL_LINES = 20;

export async function printDone(
  terminal: Terminal,
  { blobs }: EngineContext,
  { task, attempt, check }: DoneEnd,
): Promise<void> {
  const { row, definition } = task;
  const { id, state, tries, due_at } = row;
  if (terminal.json) {
    const { command, kind, exit_code, outcome, tree, log, tail } = check ?? {};
    const shown = check === null ? null : { command, kind, exit_code, outcome, tree, log, tail };
    terminal.printJson({
      task: id,
      attempt: attempt.n,
      state,
      verified: state === "verified",
      due_at,
      error: state === "verified" ? null : row.last_error,
      check: shown,
    });
    return;
  }
  const due = due_at === null ? "" : `, due ${terminal.time(due_at)}`;
  const again = state === "pending" ? `, ${tries} of ${definition.tries} tries used${due}` : due;
  terminal.print(`${id}  ${stateText(terminal, state)}${marksOf(row)}${again}`);
  if (check !== null && check.outcome !== "green") {
    const meaning = check.outcome === "red" ? exitMeaning(check.exit_code) : null;
    const exit = `exit ${check.exit_code}${meaning === null ? "" : ` (${meaning})`}`;
    terminal.print(
      `${check.kind} \`${check.command}\` ${check.outcome === "error" ? "could not be run" : `was ${check.outcome}`}, ${exit}`,
    );
    const lines = check.tail.trimEnd().split("\n").slice(-TAIL_LINES);
    terminal.print(lines.map((line) => `  ${line}`).join("\n"));
    terminal.note(`the whole output: ${await blobs.path(check.log)}`);
  } else if (state !== "verified" && row.last_error !== null) terminal.print(row.last_error);
  if (state === "blocked") terminal.note("a person must decide: `lockstep inbox`");
}
