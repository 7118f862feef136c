/** What is wrong with a well-formed task or with defaults, apart from who waits for whom. */

import { type DocumentPath, type Finding, quoted, unknownName } from "./finding.ts";
import type { WrittenDefaults } from "./plan-schema.ts";
import type { PlanSettings } from "./plan-settings.ts";
import type { WrittenChecks } from "./task-definition.ts";
import { isTrivialCheck } from "./trivial-check.ts";

/** Names that tasks and defaults may use. */
export type KnownNames = Pick<PlanSettings, "agents" | "lanes">;

/** Unknown lanes and agents, and checks that prove nothing, in what one level says. `unchecked` as it holds there. */
export function problemsOfLevel(
  said: WrittenDefaults,
  { path, known, unchecked }: { path: DocumentPath; known: KnownNames; unchecked: boolean },
): Finding[] {
  const found: Finding[] = [];
  if (said.lane !== undefined && !Object.hasOwn(known.lanes, said.lane)) {
    found.push({ path: [...path, "lane"], message: unknownName("lane", said.lane, Object.keys(known.lanes)) });
  }
  if (said.agent !== undefined && known.agents.length > 0 && !known.agents.includes(said.agent)) {
    found.push({ path: [...path, "agent"], message: unknownName("agent", said.agent, known.agents) });
  }
  if (!unchecked) {
    found.push(...trivialChecks(said.verify, [...path, "verify"]), ...trivialChecks(said.guards, [...path, "guards"]));
  }
  return found;
}

/** The problem of a task that cannot be checked in a clean tree: only a worktree is lockstep's own to empty. */
export const NO_CLEAN =
  "clean: true is only for the workspace modes worktree and clone: elsewhere the checks run where people's files are";

/** The problem of a task that nothing checks. */
export const NO_VERIFY =
  "has no verify: say which command shows that the task is done, or `unchecked: true` when none can";

function trivialChecks(written: WrittenChecks | undefined, path: DocumentPath): Finding[] {
  if (written === undefined) return [];
  const entries = Array.isArray(written) ? written : [written];
  return entries.flatMap((check, index) => {
    const command = typeof check === "string" ? check : check.run;
    if (!isTrivialCheck(command)) return [];
    const place = [...path, ...(Array.isArray(written) ? [index] : []), ...(typeof check === "string" ? [] : ["run"])];
    return [{ path: place, message: trivialMessage(command) }];
  });
}

function trivialMessage(command: string): string {
  return `the check ${quoted(command)} proves nothing: it is green whatever was done; name a real one, or say \`unchecked: true\``;
}
