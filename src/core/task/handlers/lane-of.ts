import { invariant } from "../../assert.ts";
import type { Lane } from "../../lane/lane.ts";
import type { Draft } from "../draft.ts";

/** The lane that the command's task goes through. */
export function laneOf(draft: Draft): Lane {
  const name = draft.definition.body.lane;
  const lane = draft.plan.policy.lanes[name];
  invariant(lane, `plan ${draft.plan.name} has no lane ${name}`);
  return lane;
}
