import { naturalKey } from "../../src/core/plan/natural-key.ts";
import type { PlanLoad } from "../../src/core/task/commands.ts";
import { DEFINITION, PLAN } from "../fixtures/loaded.ts";

export const RACE = { project: "project", plan: "plan", processes: 8, rounds: 500, tasks: 40 } as const;

/** One revision of the plan that all processes fight over: every revision says something new of every task. */
export function revision(hash: string): PlanLoad {
  const tasks = Array.from({ length: RACE.tasks }, (_, i) => {
    const id = `F-${i + 1}`;
    const definition = { ...DEFINITION, title: `${id} as of ${hash}`, tries: 1 };
    return {
      id,
      slug: id,
      natural_key: naturalKey(id),
      depends_on: i % 4 === 3 ? [`F-${i}`] : [],
      path: 0,
      definition,
    };
  });
  const policy = { ...PLAN.policy, workspace: "none" as const };
  return {
    type: "plan.load",
    project: RACE.project,
    id: RACE.plan,
    plan: { name: "race", source_hash: hash, policy, tasks, warnings: [] },
  };
}

/** What one process saw: which attempts it won, how many commands of a kind were accepted, how long its writes took (ms). */
export interface Notes {
  wins: string[];
  accepted: Record<string, number>;
  refused: number;
  errors: string[];
  writes: number[];
}
