import type { TaskRecord } from "../../ports/store.ts";
import { PAGE } from "../../ports/store.ts";
import type { CommandRun } from "../command.ts";
import { EXIT } from "../exit-codes.ts";
import type { Standing } from "../state-words.ts";
import { countsText, standingOf, stateText } from "../state-words.ts";
import type { Terminal } from "../terminal.ts";

export const run: CommandRun = async ({ session, terminal }) => {
  const plan = await session.plan();
  const store = await session.store();
  const summary = (await store.summary(plan.id))!;
  const active = await store.active(plan.id, PAGE);
  const { total, counts, completion_pct } = standingOf(summary);
  const status: Status = {
    plan: plan.name,
    revision: plan.revision,
    run: summary.run && { id: summary.run.id, state: summary.run.state },
    total,
    counts,
    active: active.map(activeTask),
    completion_pct,
    needs_you: summary.open_items,
  };
  if (terminal.json) terminal.printJson(status);
  else print(terminal, status);
  return EXIT.ok;
};

interface Status extends Standing {
  plan: string;
  revision: number;
  run: { id: string; state: string } | null;
  /** In progress and claimed done. */
  active: ActiveTask[];
  /** Open items of the inbox. */
  needs_you: number;
}

interface ActiveTask {
  id: string;
  title: string;
  state: TaskRecord["row"]["state"];
  attempt: number;
  agent: string | null;
  started_at: number | null;
}

function activeTask({ row, attempt }: TaskRecord): ActiveTask {
  const { id, title, state, attempts, started_at } = row;
  return {
    id,
    title,
    state,
    attempt: attempts,
    agent: attempt?.agent ?? null,
    started_at: attempt?.started_at ?? started_at,
  };
}

function print(
  terminal: Terminal,
  { plan, revision, run, total, counts, active, completion_pct, needs_you }: Status,
): void {
  const running = run ? `run ${run.state}` : "no run";
  terminal.print(`${terminal.style("bold", plan)}  revision ${revision}, ${running}`);
  terminal.print(`${completion_pct.toFixed(1)} % of ${total} ${total === 1 ? "task" : "tasks"}: ${countsText(counts)}`);
  for (const { id, title, state, attempt, agent, started_at } of active) {
    const since = started_at === null ? "" : `, begun ${terminal.time(started_at)}`;
    terminal.print(
      `  ${stateText(terminal, state)}  ${id}  ${title} (attempt ${attempt}${agent ? ` by ${agent}` : ""}${since})`,
    );
  }
  if (needs_you > 0) terminal.print(`${terminal.style("yellow", "needs you:")} ${needs_you} in \`lockstep inbox\``);
}
