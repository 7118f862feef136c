/** Takes a plan file into the store, for `plan load` and `run FILE`. */

import { resolve } from "node:path";
import { loadPlan } from "../engine/load-plan.ts";
import type { LoadCounts } from "../ports/store.ts";
import { checkedPlan, planFailure } from "./checked-plan.ts";
import type { Call } from "./command.ts";

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

/** `loaded checkout, revision 2: 1 new, 3 updated, 12 in all`. */
export function loadText({ plan, revision, inserted, updated, retired, restored, total }: LoadCounts): string {
  const changes = [
    [inserted, "new"],
    [updated, "updated"],
    [retired, "retired"],
    [restored, "brought back"],
  ].flatMap(([count, what]) => (count === 0 ? [] : [`${count} ${what}`]));
  return `${plan}, revision ${revision}: ${[...(changes.length === 0 ? ["nothing changed"] : changes), `${total} in all`].join(", ")}`;
}
