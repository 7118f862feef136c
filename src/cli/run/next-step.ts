import { hasOwnBranch } from "../../core/plan/definition.ts";
import type { HeldForPerson } from "../../core/schedule/held-for-person.ts";
import type { PlanRow, RunOutcome } from "../../core/task/rows.ts";

/** How a run left its plan. */
export interface LeftPlan {
  outcome: RunOutcome;
  /** What holds the first task that is held until a person comes, in words. */
  held: string | null;
  open_items: number;
  failed: number;
  releases: readonly HeldForPerson[];
}

/** What a person does next, in one line: the same words at the end of a run and in every look at it later. */
export function nextStep({ outcome, held, open_items, failed, releases }: LeftPlan, { name, policy }: PlanRow): string {
  if (outcome === "needs_person" && releases[0] !== undefined)
    return `mend that, \`${releases[0].command}\`, then \`lockstep run ${name}\``;
  if (held !== null) return `mend that, then \`lockstep run ${name}\``;
  if (open_items > 0) return `answer what needs you, then \`lockstep run ${name}\``;
  if (failed > 0) return `look at what failed, \`lockstep task retry TASK\`, then \`lockstep run ${name}\``;
  if (outcome !== "done") return `\`lockstep run ${name}\` carries on`;
  if (policy.workspace === "none") return "nothing: `lockstep status` shows the whole";
  const proof = "`lockstep prove` derives it all again";
  return hasOwnBranch(policy.workspace) ? `${proof}, \`lockstep finish\` lands it on its base` : proof;
}
