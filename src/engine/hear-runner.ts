/** What a runner tells, turned into commands. A line that an earlier engine has told already changes nothing. */

import type { RowCommand } from "../core/task/commands.ts";
import type { RunnerEvent } from "../ports/runner.ts";
import type { EngineContext } from "./context.ts";
import { askPerson, type LiveQuestions } from "./live-questions.ts";
import { type LiveTask, ofAttempt } from "./live-task.ts";

export async function hearRunner(
  context: EngineContext,
  live: LiveTask,
  questions: LiveQuestions,
  event: RunnerEvent,
): Promise<void> {
  const command = event.type === "ask" ? askPerson(context, live, event) : commandOf(live, event);
  if (command === null) return;
  const { row } = live.task;
  const command_id = `${row.plan}/${row.id}#${live.attempt.n}:${event.n}`;
  const answer = await context.store.submit(command, { actor: context.actor, command_id });
  if (event.type === "ask") questions.asked(event.n, answer.events);
}

/** Null for what only people who look at the transcript want to know. */
function commandOf(live: LiveTask, event: RunnerEvent): RowCommand | null {
  switch (event.type) {
    case "started":
      return { type: "attempt.start", ...ofAttempt(live), state: "running", process: event.runner };
    case "session":
      return {
        type: "attempt.report",
        ...ofAttempt(live),
        session: event.session,
        ...(event.model === null ? {} : { model: event.model }),
      };
    case "progress":
      return { type: "attempt.report", ...ofAttempt(live), progress: event.text };
    default:
      return null;
  }
}
