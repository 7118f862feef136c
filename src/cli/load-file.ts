/** Takes a plan file into the store, for `plan load` and `run FILE`. */

import { resolve } from "node:path";
import { loadPlan } from "../engine/load-plan.ts";
import type { LoadCounts } from "../ports/store.ts";
import { checkedPlan, planFailure } from "./checked-plan.ts";
import type { Call } from "./command.ts";
import { policyText } from "./event-text.ts";

export async function loadFile(call: Call, file: string): Promise<LoadCounts> {
  const project = await call.session.project();
  const plan = await checkedPlan(call, file, await project.configuration());
  const answer = await loadPlan(await project.context(), plan);
  if (!answer.ok) {
    const { placeProblems } = await import("../plan-file/place-problems.ts");
    throw planFailure(file, await placeProblems(resolve(call.cwd, file), answer.problems));
  }
  return answer.counts;
}

/** `checkout, revision 2: 1 new, 3 updated, 12 in all; policy changed: workspace`. */
export function loadText(counts: LoadCounts): string {
  const { plan, revision, inserted, updated, retired, restored, total, policy_changed } = counts;
  const changes = [
    [inserted, "new"],
    [updated, "updated"],
    [retired, "retired"],
    [restored, "brought back"],
  ].flatMap(([count, what]) => (count === 0 ? [] : [`${count} ${what}`]));
  const none = policy_changed === undefined ? "nothing changed" : "no task changed";
  const tasks = [...(changes.length === 0 ? [none] : changes), `${total} in all`].join(", ");
  return `${plan}, revision ${revision}: ${tasks}${policyText(policy_changed)}`;
}
