import type { Candidate, LandOutcome } from "../../ports/workspace.ts";
import type { Ref } from "./read-refs.ts";

/**
 * What keeps a candidate from landing though its checks were green: the commit is not the tree that they ran on, or does
 * not stand on the tip that it was built on (of one that people made, git says whether it has that). Null when it is as it
 * was checked.
 */
export function unlikeChecked(
  { tip, commit, tree, is_theirs }: Candidate,
  found: Pick<Ref, "tree" | "parents">,
): Extract<LandOutcome, { landed: false }> | null {
  const undone = (text: string) => ({ landed: false, reason: "undone", text }) as const;
  if (found.tree !== tree) return undone(`the candidate ${commit} is not the tree ${tree}, on which its checks ran`);
  if (is_theirs || commit === tip) return null;
  if (found.parents[0] !== tip) return undone(`the candidate ${commit} does not stand on ${tip}`);
  return null;
}
