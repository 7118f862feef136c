import type { WorkspaceRefusal } from "../../ports/workspace.ts";
import type { Git } from "./git.ts";
import { holdsCommit } from "./move-ref.ts";
import type { LeftHead } from "./worktree-head.ts";
import { labelOf, shortName, workRef } from "./worktree-settings.ts";
import type { SlotMarker } from "./worktree-slots.ts";

/** Which commit the files that an agent left are to stand on. */
export interface Parent {
  commit: string;
  /** False when the agent rewrote what it was given. */
  isLinear: boolean;
  /** False when the files are not meant: the agent went away from its work. */
  hasFiles: boolean;
}

/** Finds out which commit an agent's work stands on, wherever it left HEAD; refused when it built on something else. */
export async function chooseParent(
  git: Git,
  marker: SlotMarker,
  { isOnBranch, commit, branch }: LeftHead,
  isDirty: boolean,
): Promise<Parent | WorkspaceRefusal> {
  const head = commit ?? marker.start;
  const isLinear = head === marker.start || (await holdsCommit(git, head, marker.base));
  if (isOnBranch) {
    const common = isLinear || (await git.run(["merge-base", head, marker.base])).code === 0;
    return common ? { commit: head, isLinear, hasFiles: true } : startedAnew(marker, head);
  }
  if (branch !== null && (await holdsCommit(git, head, branch))) return { commit: head, isLinear, hasFiles: true };
  if (branch !== null && !isDirty)
    return { commit: branch, isLinear: await holdsCommit(git, branch, marker.base), hasFiles: false };
  if (isLinear || (await holdsCommit(git, marker.base, head))) return { commit: head, isLinear, hasFiles: true };
  return wentAway(marker, head);
}

function startedAnew(marker: SlotMarker, head: string): WorkspaceRefusal {
  const text = `the history of ${shortName(workRef(marker))} was begun anew: commit ${head.slice(0, 12)} has nothing in common with what the attempt was given; ${labelOf(marker)} has to build on that`;
  return { code: "wrong_branch", text };
}

function wentAway(marker: SlotMarker, head: string): WorkspaceRefusal {
  const text = `the agent left ${shortName(workRef(marker))} for commit ${head.slice(0, 12)}, which does not build on what it was given, and changed files there: ${labelOf(marker)} has to stay on its branch`;
  return { code: "wrong_branch", text };
}
