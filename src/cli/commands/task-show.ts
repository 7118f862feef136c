import { nextStep } from "../../core/attempt/failure.ts";
import { goneOnFrom } from "../../core/attempt/resume-session.ts";
import type { Event } from "../../core/task/events.ts";
import type { AttemptRow, TaskRow } from "../../core/task/rows.ts";
import { eventsNow } from "../../engine/event-log.ts";
import type { Store } from "../../ports/store.ts";
import { type StandingCheck, standingChecks, standingText } from "../check-standing.ts";
import type { CommandRun } from "../command.ts";
import { eventDetails, outsideText } from "../event-text.ts";
import { EXIT } from "../exit-codes.ts";
import { Failure } from "../failure.ts";
import { reportLines } from "../report-lines.ts";
import { marksOf, stateText } from "../state-words.ts";
import type { Terminal } from "../terminal.ts";
import { phaseName } from "../worker-task.ts";

export const run: CommandRun = async ({ args, session, terminal }) => {
  const { plan, record, attempt } = await session.task(args[0]!);
  const { row, definition } = record;
  const store = await session.store();
  const isWanted = (n: number): boolean => attempt === null || n === attempt;
  const all = await store.attempts(plan.id, row.id);
  const attempts = all.filter(({ n }) => isWanted(n));
  const checks = (await standingChecks(store, plan.id, row.id)).filter((check) => isWanted(check.attempt));
  if (attempt !== null && attempts.length === 0) {
    const hint = row.attempts === 0 ? "It has had no attempt yet." : `Its attempts are 1 to ${row.attempts}.`;
    throw new Failure("unknown_attempt", `${row.id} has no attempt ${attempt}`, hint, { exit: EXIT.usage });
  }
  const notices = await noticesIn(store, row);
  const noticesOf = ({ n }: AttemptRow): Notice[] => notices.filter((event) => event.attempt === n);
  const dependencies = await store.dependencies(plan.id, row.id);
  if (terminal.json) {
    terminal.printJson({
      id: row.id,
      title: row.title,
      state: row.state,
      phase: phaseName(plan, record),
      depends_on: dependencies.map(({ id }) => id),
      attempts: attempts.map((each) => ({
        ...shownAttempt(each),
        goes_on_from: goneOnFrom(each, all),
        ...noticeData(noticesOf(each)),
      })),
      checks: checks.map(shownCheck),
      landing: { target: row.landed_target, sha: row.landed_sha },
    });
    return EXIT.ok;
  }
  terminal.print(`${terminal.style("bold", row.id)}  ${row.title}`);
  terminal.print(
    `${stateText(terminal, row.state)}${marksOf(row)}, phase ${phaseName(plan, record)}, ${row.tries} of ${definition.tries} tries used`,
  );
  for (const { id, state } of dependencies) terminal.print(`  after  ${id} (${state})`);
  for (const each of attempts)
    printAttempt(
      terminal,
      each,
      goneOnFrom(each, all),
      noticesOf(each),
      checks.filter((check) => check.attempt === each.n),
    );
  if (row.landed_sha !== null) terminal.print(`landed  ${row.landed_sha} on ${row.landed_target}`);
  if (row.last_error !== null && row.state !== "verified") terminal.print(`\n${row.last_error}`);
  return EXIT.ok;
};

type Notice = Extract<Event, { type: "checkout.changed" | "repository.mended" }>;

/** What was found and put right outside the task's own place while it was worked on. */
async function noticesIn(store: Store, { plan, id }: TaskRow): Promise<Notice[]> {
  const found: Notice[] = [];
  for await (const event of eventsNow(store, { after: 0, plan, task: id }))
    if (event.type === "checkout.changed" || event.type === "repository.mended") found.push(event);
  return found;
}

function noticeData(notices: Notice[]): Record<"checkout" | "repository", unknown> {
  const of = (type: Notice["type"]): unknown => notices.find((event) => event.type === type)?.data ?? null;
  return { checkout: of("checkout.changed"), repository: of("repository.mended") };
}

function shownAttempt(attempt: AttemptRow) {
  const { n, phase, agent, model, outcome, failure, started_at, ended_at, error, summary, report } = attempt;
  const { session, outside, usage, cost_usd, partial } = attempt;
  const said = { session, failure, error, summary, report };
  return { n, phase, agent, model, outcome, started_at, ended_at, ...said, outside, usage, cost_usd, partial };
}

function shownCheck({ command, kind, exit_code, outcome, tree, log, on, rerun, flaky }: StandingCheck) {
  return { command, kind, exit_code, outcome, tree, log, on, rerun, flaky };
}

function printAttempt(
  terminal: Terminal,
  { n, agent, phase, outcome, failure, state, session, started_at, ended_at, summary, report, outside }: AttemptRow,
  from: number | null,
  notices: Notice[],
  checks: StandingCheck[],
): void {
  const by = agent === null ? "" : ` by ${agent}`;
  const ended = ended_at === null ? "" : `, ended ${terminal.time(ended_at)}`;
  terminal.print(`attempt ${n}  ${phase}${by}: ${outcome ?? state}, begun ${terminal.time(started_at)}${ended}`);
  if (from !== null) terminal.print(`  in the conversation ${session} of attempt ${from}`);
  if (failure !== null) terminal.print(`  ${failure.replaceAll("_", " ")}: ${nextStep(failure, agent)}`);
  if (report !== null) for (const line of reportLines(report, summary ?? "")) terminal.print(`  ${line}`);
  if (outside !== null) terminal.print(`  ${terminal.style("yellow", outsideText(outside))}`);
  for (const notice of notices) terminal.print(`  ${terminal.style("yellow", eventDetails(notice))}`);
  for (const check of checks)
    terminal.print(
      `  ${check.kind}  ${check.command}: ${check.outcome}, exit ${check.exit_code}, ${(check.ms / 1_000).toFixed(1)} s, ${standingText(check)}`,
    );
}
