/** What a new revision says otherwise of the plan as a whole. */

import type { PlanPolicy } from "./definition.ts";

/** Names of what differs, in order: `land.target`, `lanes.build`, `workspace`. Both come from one reader, with its order of keys. */
export function policyChanges(before: PlanPolicy, after: PlanPolicy): string[] {
  const [old, now] = [leavesOf(before), leavesOf(after)];
  const names = new Set([...old.keys(), ...now.keys()]);
  return [...names].filter((name) => old.get(name) !== now.get(name)).sort();
}

/** The parts that have a name, as JSON. */
function leavesOf(policy: PlanPolicy): Map<string, string> {
  const leaves = Object.entries(policy).flatMap(([name, value]): [string, unknown][] =>
    typeof value === "object" && value !== null
      ? Object.entries(value).map(([part, of]) => [`${name}.${part}`, of])
      : [[name, value]],
  );
  return new Map(leaves.map(([name, value]) => [name, JSON.stringify(value)]));
}
