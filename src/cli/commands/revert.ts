import { createHash } from "node:crypto";
import { invariant } from "../../core/assert.ts";
import type { PlanRow } from "../../core/task/rows.ts";
import { revertTask } from "../../engine/revert.ts";
import { isTrivialCheck } from "../../plan-file/trivial-check.ts";
import type { Call, CommandRun } from "../command.ts";
import { exitOfDone, lastCheck, printDone } from "../done-text.ts";
import { EXIT } from "../exit-codes.ts";
import { refused, usageFailure } from "../failure.ts";
import { finishTask } from "../finish-task.ts";
import { isGiven, listOption } from "../read-options.ts";
import { stopSignals } from "../stop-signals.ts";

/** As long as a check of a plan's file may take that does not say. */
const CHECK_TIMEOUT_MS = 10 * 60_000;

export const run: CommandRun = async (call) => {
  const { session, terminal } = call;
  const verify = checksOf(call);
  const { plan, record } = await session.task(call.args[0]!);
  const context = await session.context();
  const reverting = await revertTask(context, {
    plan,
    record,
    verify,
    unchecked: isGiven(call, "unchecked"),
    despite_dependants: isGiven(call, "despite-dependants"),
    digest: (text) => createHash("sha256").update(text).digest("hex"),
  });
  if ("rejection" in reverting) throw refused(reverting.rejection);
  const { task, dependants, token, why } = reverting;
  if (dependants.length > 0) terminal.note(`these relied on ${record.row.id}: ${dependants.join(", ")}`);
  if (token !== null) return land(call, plan, task, token);
  if (terminal.json) terminal.printJson({ task, state: "pending", why });
  else terminal.print(`${task} waits for \`lockstep run\`, or a worker: ${why}`);
  return EXIT.ok;
};

function checksOf(call: Call): { run: string; timeout_ms: number }[] {
  const commands = listOption(call, "verify");
  const trivial = commands.find(isTrivialCheck);
  if (trivial !== undefined)
    throw usageFailure(
      `--verify ${JSON.stringify(trivial)} is always green`,
      "Name a command that can fail, or pass --unchecked.",
    );
  return commands.map((command) => ({ run: command, timeout_ms: CHECK_TIMEOUT_MS }));
}

/** As `task done` does. */
async function land({ session, terminal }: Call, plan: PlanRow, id: string, token: number): Promise<number> {
  const context = await session.context();
  const stop = stopSignals();
  try {
    const request = { plan, task: id, token, summary: "undone by lockstep", signal: stop.first };
    const task = await finishTask(context, request, (text) => terminal.note(text));
    const attempt = (await context.store.attempts(plan.id, id)).find((each) => each.token === token);
    invariant(attempt, `no attempt of ${id} has the token ${token}, which settled it`);
    const check = await lastCheck(context.store, task, attempt.n);
    const end = { task, attempt, check, exitOfSignal: stop.exitCode() };
    await printDone(terminal, context, end);
    return exitOfDone(end);
  } finally {
    stop.close();
  }
}
