import { agentProblem, withheldNote } from "../../compose/agent-problems.ts";
import type { OpenProject } from "../../compose.ts";
import type { PlanRow } from "../../core/task/rows.ts";
import { PAGE } from "../../ports/store.ts";
import type { Call } from "../command.ts";
import { EXIT } from "../exit-codes.ts";
import { Failure, usageFailure } from "../failure.ts";

/** Says before anything starts that nobody could do the work: otherwise every try would be used up in vain. */
export async function checkAgents(
  { env, terminal }: Call,
  { store, configuration }: OpenProject,
  plan: PlanRow,
  wanted: string | null,
): Promise<void> {
  const { agents, defaults } = (await configuration()).config;
  const main = wanted ?? defaults.agent ?? null;
  const ready = await store.ready(plan.id, PAGE);
  const names = new Set(ready.map(({ definition }) => definition.agent ?? main));
  if (wanted !== null) names.add(wanted);
  for (const name of names) {
    if (name === null)
      throw usageFailure(
        "no agent does the work of tasks that name none",
        "Pass --agent NAME, or set defaults.agent in lockstep.yaml; --agent none only runs the checks.",
      );
    if (name !== "none" && !Object.hasOwn(agents, name))
      throw usageFailure(`agent ${name} is not configured`, "Add it under agents: in lockstep.yaml.");
    const agent = name === "none" ? undefined : agents[name];
    if (agent === undefined) continue;
    const problem = await agentProblem(name, agent, env);
    if (problem !== null) throw new Failure(problem.code, problem.message, problem.hint, { exit: EXIT.usage });
    const withheld = withheldNote(name, agent, env);
    if (withheld !== null) terminal.note(withheld);
  }
}
