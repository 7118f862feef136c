import { MAX_WAIT_DEFAULT_MS } from "../../engine/run.ts";
import type { Call, CommandRun } from "../command.ts";
import { usageFailure } from "../failure.ts";
import { countOption, durationOption, isGiven, textOption } from "../read-options.ts";
import { carryOut } from "../run/carry-out.ts";
import { checkAgents } from "../run/check-agents.ts";
import { checkHost } from "../run/check-host.ts";
import { dryRun } from "../run/dry-run.ts";
import { planToRun } from "../run/plan-to-run.ts";

export const run: CommandRun = async (call) => {
  const wish = {
    agent: textOption(call, "agent"),
    tasksMax: countOption(call, "max-tasks", 1),
    jobs: countOption(call, "jobs", 1),
    maxWaitMs: maxWait(call),
    stay: isGiven(call, "stay"),
  };
  const plan = await planToRun(call);
  const context = await call.session.context();
  const project = await call.session.project();
  await checkAgents(call, project, plan, wish.agent);
  await checkHost(call, project);
  if (isGiven(call, "dry-run")) return dryRun(call, context, { plan, ...wish });
  return carryOut(call, context, { plan, ...wish });
};

function maxWait(call: Call): number {
  const noWait = isGiven(call, "no-wait");
  if (noWait && isGiven(call, "max-wait"))
    throw usageFailure("--no-wait and --max-wait exclude each other", "Give one of them.");
  return noWait ? 0 : durationOption(call, "max-wait", MAX_WAIT_DEFAULT_MS);
}
