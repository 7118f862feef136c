import { asEngine } from "../../compose/engine-lock.ts";
import type { FinishRefusal } from "../../engine/finish.ts";
import { finishPlan } from "../../engine/finish.ts";
import type { CommandRun } from "../command.ts";
import { engineHeld } from "../engine-held.ts";
import { EXIT } from "../exit-codes.ts";
import { Failure } from "../failure.ts";
import { namedPlan } from "../named-plan.ts";
import { textOption } from "../read-options.ts";
import { stopSignals } from "../stop-signals.ts";

export const run: CommandRun = async (call) => {
  const { session, terminal } = call;
  const plan = await namedPlan(call);
  const context = await session.context();
  const stop = stopSignals();
  try {
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
