import { asEngine } from "../../compose/engine-lock.ts";
import type { PlanRow } from "../../core/task/rows.ts";
import type { EngineContext } from "../../engine/context.ts";
import type { FinishRefusal } from "../../engine/finish.ts";
import { finishPlan } from "../../engine/finish.ts";
import type { Call, CommandRun } from "../command.ts";
import { engineHeld } from "../engine-held.ts";
import { EXIT } from "../exit-codes.ts";
import { Failure } from "../failure.ts";
import { namedPlan } from "../named-plan.ts";
import { isGiven, textOption } from "../read-options.ts";
import { type StopSignals, stopSignals } from "../stop-signals.ts";

export const run: CommandRun = async (call) => {
  const { session, terminal } = call;
  const plan = await namedPlan(call);
  const context = await session.context();
  const stop = stopSignals();
  try {
    if (isGiven(call, "pr")) return await publish(call, context, plan, stop);
    const finish = () => finishPlan(context, plan, textOption(call, "into"), stop.first);
    const end = await asEngine(await session.project(), context, null, finish);
    if ("engines" in end) throw engineHeld(end.engines);
    if ("refusal" in end) {
      const { code, text } = end.refusal;
      throw new Failure(code, text, hintFor(code), { exit: stop.exitCode() ?? EXIT.refused });
    }
    const { into, from, commit, checks } = end;
    const branch = into.replace(/^refs\/heads\//, "");
    if (terminal.json) terminal.printJson({ plan: plan.name, into: branch, from, commit, checks });
    else if (from === commit) terminal.print(`${branch} has all of ${plan.name} already`);
    else
      terminal.print(
        `${plan.name} is on ${branch}: ${commit}${checks === 0 ? "" : `, ${checks} checks green on both`}`,
      );
    return EXIT.ok;
  } finally {
    stop.close();
  }
};

/** With `--pr`: people of the forge bring it there. */
async function publish(call: Call, context: EngineContext, plan: PlanRow, stop: StopSignals): Promise<number> {
  const { session, terminal } = call;
  const { publishPlan } = await import("../../engine/finish-publish.ts");
  const act = () => publishPlan(context, plan, textOption(call, "into"), stop.first);
  const end = await asEngine(await session.project(), context, null, act);
  if ("engines" in end) throw engineHeld(end.engines);
  if ("refusal" in end) {
    const { code, text } = end.refusal;
    const hint = "next" in end.refusal ? end.refusal.next : hintFor(end.refusal.code);
    throw new Failure(code, text, hint, { exit: stop.exitCode() ?? EXIT.refused });
  }
  const { number, url, state, head, into, commit } = end;
  const name = number === null ? `the branch ${head}` : `pull request #${number}`;
  if (terminal.json) terminal.printJson({ plan: plan.name, head, into, commit, number, url, state });
  else terminal.print(`${plan.name} is offered for ${into}: ${name} (${state})${url === null ? "" : `, ${url}`}`);
  return EXIT.ok;
}

function hintFor(code: FinishRefusal["code"]): string {
  switch (code) {
    case "unfinished":
      return "`lockstep status` says how it stands; finish the plan first.";
    case "checks_red":
      return "Mend it in a task of its own, or merge by hand.";
    case "conflict":
      return "Merge the branch by hand: lockstep moved nothing.";
    case "target_checked_out":
      return "Pass --into BRANCH to have the branch that is checked out here moved.";
    case "no_branch":
      return "Only plans in worktrees have one.";
    default:
      return "Put that right, then run this again: nothing was moved.";
  }
}
