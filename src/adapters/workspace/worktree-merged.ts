import type { Candidate, TakeInRequest, WorkspaceRefusal } from "../../ports/workspace.ts";
import { lookAt } from "./checkout.ts";
import { treeOf } from "./patch-presence.ts";
import { readRefs } from "./read-refs.ts";
import { guardShared } from "./shared-repository.ts";
import { changedFile, diffTrees } from "./work-tree.ts";
import { joined } from "./worktree-branches.ts";
import { checkOutCandidate } from "./worktree-land.ts";
import type { WorktreeSettings } from "./worktree-settings.ts";
import { checkedOut, missingBase } from "./worktree-start.ts";

/** See `Workspace.takeIn`. */
export function takeIn(settings: WorktreeSettings, request: TakeInRequest): Promise<Candidate | WorkspaceRefusal> {
  return lookAt<Candidate | WorkspaceRefusal>(settings.top, async (checkout) => {
    const { git } = checkout;
    const { target, commit: merged } = request;
    const unsafe = await guardShared(settings);
    if (unsafe !== null) return unsafe;
    const tip = (await readRefs(git, [target])).get(target);
    if (tip === undefined) return missingBase(target);
    const taken = checkedOut(tip, settings.folder);
    if (taken !== null) return taken;
    const commit = await joined(checkout, request, { name: `commit ${merged.slice(0, 12)}`, commit: merged }, tip);
    if (typeof commit !== "string") return commit;
    const tree = await treeOf(git, commit);
    const changed = tree === null ? [] : (await diffTrees(git, tip.commit, tree)).map(changedFile);
    const dir = await checkOutCandidate(settings, request, { target, commit }, request);
    if (typeof dir !== "string") return dir;
    const taken_in = { target, tip: tip.commit, commit, tree, changed, dir };
    return commit === merged ? { ...taken_in, is_theirs: true } : taken_in;
  });
}
