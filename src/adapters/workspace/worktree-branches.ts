import { realpathSync } from "node:fs";
import type { Candidate, JoinRequest, LandOutcome, WorkspaceRefusal, WorkspaceTask } from "../../ports/workspace.ts";
import { type Checkout, lookAt } from "./checkout.ts";
import { notClean, readCheckout } from "./checkout-state.ts";
import { commitTree, runSigned } from "./engine-commit.ts";
import { freeLanding } from "./landing-worktree.ts";
import { mergeTrees } from "./merge-trees.ts";
import { holdsCommit, moveRef } from "./move-ref.ts";
import { treeOf } from "./patch-presence.ts";
import { type Ref, readRefs } from "./read-refs.ts";
import { changedFile, diffTrees } from "./work-tree.ts";
import { inConflict } from "./worktree-conflicts.ts";
import { checkOutCandidate } from "./worktree-land.ts";
import { shortName, type WorktreeSettings } from "./worktree-settings.ts";
import { checkedOut, missingBase } from "./worktree-start.ts";

/** See `Workspace.join`. */
export function joinBranches(
  settings: WorktreeSettings,
  request: JoinRequest,
): Promise<(Candidate & { is_new: boolean }) | WorkspaceRefusal> {
  return lookAt<(Candidate & { is_new: boolean }) | WorkspaceRefusal>(settings.top, async (checkout) => {
    const { git } = checkout;
    const { source, into } = request;
    const refs = await readRefs(git, [source, into]);
    const [from, tip] = [refs.get(source), refs.get(into)];
    if (from === undefined || tip === undefined) return missingBase(from === undefined ? source : into);
    const refusal = await mayMove(checkout, request, tip);
    if (refusal !== null) return refusal;
    const commit = await joined(checkout, request, from, tip);
    if (typeof commit !== "string") return commit;
    const tree = await treeOf(git, commit);
    const changed = tree === null ? [] : (await diffTrees(git, tip.commit, tree)).map(changedFile);
    const made = {
      target: into,
      tip: tip.commit,
      commit,
      tree,
      changed,
      is_new: commit !== tip.commit && tree !== from.tree,
    };
    if (!made.is_new) return { ...made, dir: settings.top };
    const dir = await checkOutCandidate(settings, labelFor(request), { target: into, commit }, {});
    return typeof dir === "string" ? { ...made, dir } : dir;
  });
}

/** The tip itself where it has everything, the plan's commit where that has everything, else a merge of both. */
export async function joined(
  { git }: Checkout,
  { message, style }: Pick<JoinRequest, "message" | "style">,
  from: Pick<Ref, "name" | "commit">,
  tip: Pick<Ref, "name" | "commit">,
): Promise<string | WorkspaceRefusal> {
  if (await holdsCommit(git, tip.commit, from.commit)) return tip.commit;
  if (await holdsCommit(git, from.commit, tip.commit)) return from.commit;
  const merged = await mergeTrees(git, tip.commit, from.commit);
  if ("tree" in merged) return commitTree(git, merged.tree, [tip.commit, from.commit], message, style);
  const why = `${shortName(from.name)} and ${shortName(tip.name)} changed the same places`;
  return inConflict("conflict", why, merged.conflicts);
}

/** A branch that a person has checked out is moved only when they named it, and only with nothing of theirs in the way. */
async function mayMove(
  { git, place }: Checkout,
  { asked }: JoinRequest,
  branch: Ref,
): Promise<WorkspaceRefusal | null> {
  if (branch.checked_out === null) return null;
  // Git names the place without the links that led here.
  if (branch.checked_out !== realpathSync(place.top)) return checkedOut(branch, null);
  if (!asked) {
    const text = `${shortName(branch.name)} is checked out here: name it to have it moved, files and all`;
    return { code: "target_checked_out", text };
  }
  const state = await readCheckout(git);
  if ("code" in state) return state;
  return state.dirty.length === 0
    ? null
    : notClean(state.dirty, `${shortName(branch.name)} is checked out, with changes`);
}

/** See `Workspace.bring`. */
export async function bringBranch(
  checkout: Checkout,
  { folder }: WorktreeSettings,
  request: JoinRequest,
  { target, tip, commit }: Candidate,
): Promise<LandOutcome> {
  const label = labelFor(request);
  freeLanding(folder, label);
  if (target === null || tip === null || commit === null || tip === commit) return { landed: true };
  const branch = (await readRefs(checkout.git, [target])).get(target);
  if (branch?.commit !== tip)
    return { landed: false, reason: "target_moved", text: `${shortName(target)} moved meanwhile` };
  const refusal = await mayMove(checkout, request, branch);
  if (refusal !== null) return { landed: false, reason: "target_checked_out", text: refusal.text };
  if (branch.checked_out === null) return moveRef(checkout, label, { target, tip, commit });
  // Git itself moves branch, index and files here, and refuses whatever would overwrite something.
  const args = ["merge", "--ff-only", "--no-autostash", "--quiet", commit];
  const { code, stderr } = await runSigned(checkout.git, args);
  return code === 0 ? { landed: true } : { landed: false, reason: "git", text: stderr.trim() };
}

/** No task has this name beside a number 0 of an attempt. */
function labelFor({ plan }: JoinRequest): WorkspaceTask {
  return { plan, slug: "finish", n: 0 };
}
