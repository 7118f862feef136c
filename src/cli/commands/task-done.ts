import { invariant } from "../../core/assert.ts";
import { changeTask } from "../change-task.ts";
import type { Call, CommandRun } from "../command.ts";
import { exitOfDone, lastCheck, printDone } from "../done-text.ts";
import { usageFailure } from "../failure.ts";
import { finishTask } from "../finish-task.ts";
import { isGiven, requiredText, requiredToken, textOption } from "../read-options.ts";
import { stopSignals } from "../stop-signals.ts";

export const run: CommandRun = async (call) => {
  if (isGiven(call, "unverified")) return override(call);
  const { args, session } = call;
  const token = requiredToken(call);
  const { plan, record } = await session.task(args[0]!);
  const context = await session.context();
  const stop = stopSignals();
  try {
    const request = { plan, task: record.row.id, token, summary: textOption(call, "summary"), signal: stop.first };
    const task = await finishTask(context, request, (text) => call.terminal.note(text));
    const attempts = await context.store.attempts(plan.id, record.row.id);
    const attempt = attempts.find((each) => each.token === token);
    invariant(attempt, `no attempt of ${record.row.id} has the token ${token}, which settled it`);
    const end = {
      task,
      attempt,
      check: await lastCheck(context.store, task, attempt.n),
      exitOfSignal: stop.exitCode(),
    };
    await printDone(call.terminal, context, end);
    return exitOfDone(end);
  } finally {
    stop.close();
  }
};

/** An operator's word instead of checks. */
async function override(call: Call): Promise<number> {
  const why = requiredText(call, "reason", "it stands beside the task for ever");
  if (isGiven(call, "token"))
    throw usageFailure("--unverified goes without --token", "It is an operator's word, not a worker's.");
  return changeTask(call, (of) => ({ type: "task.override", ...of, why }));
}
