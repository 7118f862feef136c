/** Takes a checked plan into the store, bound to the place where its work lands. */

import type { CompiledPlan } from "../core/plan/definition.ts";
import type { LoadAnswer } from "../ports/store.ts";
import type { EngineContext } from "./context.ts";
import { cascadeFailures } from "./sweep.ts";

/** The target is fixed by the plan's first load: in a checkout it is the branch of that moment. */
export async function loadPlan(context: EngineContext, compiled: CompiledPlan): Promise<LoadAnswer> {
  const { store, project, workspace, ids, actor } = context;
  const standing = await workspace.inspect(compiled.name);
  if ("code" in standing) return { ok: false, problems: [{ path: "", message: standing.text }] };
  const known = await store.planNamed(project.id, compiled.name);
  const before = known?.policy.workspace === compiled.policy.workspace ? known.policy.land : null;
  const target = before?.target ?? standing.target ?? compiled.policy.workspace;
  const base = before?.base ?? standing.base ?? compiled.policy.land.base;
  const policy = { ...compiled.policy, land: { ...compiled.policy.land, target, base } };
  const answer = await store.load(
    { type: "plan.load", project: project.id, id: known?.id ?? ids.next(), plan: { ...compiled, policy } },
    { actor },
  );
  if (answer.ok) await cascadeFailures(context, answer.counts.id);
  return answer;
}
