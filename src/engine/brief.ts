/** Composes all that an attempt is given: its one task, nothing of the rest of the plan. */

import { invariant } from "../core/assert.ts";
import { reportRights } from "../core/attempt/agent-report.ts";
import { promptOf } from "../core/attempt/prompt.ts";
import { phaseAt } from "../core/lane/lane.ts";
import type { PlanRow } from "../core/task/rows.ts";
import type { Brief } from "../ports/agent.ts";
import type { Claimed } from "./claim.ts";

/** `evidence`: what went wrong with the last try; null: nothing did. */
export function briefFor(plan: PlanRow, { task, attempt, workspace }: Claimed, evidence: string | null): Brief {
  const { row, definition } = task;
  const lane = plan.policy.lanes[definition.lane];
  invariant(lane, `plan ${plan.name} has no lane ${definition.lane}`);
  return {
    protocol: 1,
    attempt: `${row.id}#${attempt.n}`,
    task: {
      id: row.id,
      slug: row.slug,
      title: definition.title,
      prompt: definition.prompt,
      phase: phaseAt(lane, row.phase).name,
      verify: definition.verify.map((check) => check.run),
      files_owned: definition.files_owned,
      skill: definition.skill,
      labels: definition.labels,
    },
    report: reportRights(lane, row.phase),
    workspace: workspace.dir,
    prompt: promptOf(definition, evidence, row.dirty),
    last_failure: evidence,
    timeout_ms: definition.timeout_ms,
  };
}
