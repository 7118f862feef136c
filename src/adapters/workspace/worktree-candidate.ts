import { matchesGlob } from "../../core/plan/overlap.ts";
import type { Candidate, CandidateRequest, WorkspaceRefusal } from "../../ports/workspace.ts";
import { readable } from "./byte-paths.ts";
import { type Checkout, lookAt } from "./checkout.ts";
import { findLeftHead } from "./clone-take-over.ts";
import { commitTree } from "./engine-commit.ts";
import type { Git } from "./git.ts";
import { dropBranchLock, keptWorktree } from "./kept-worktree.ts";
import { mergeTrees } from "./merge-trees.ts";
import { type Ref, readCommit, readRefs } from "./read-refs.ts";
import { restoreEntries } from "./restore-entries.ts";
import { guardShared } from "./shared-repository.ts";
import { changedFile, diffTrees, newLink, type TreeChange } from "./work-tree.ts";
import { inConflict } from "./worktree-conflicts.ts";
import { isWorktreeGone, worktreeGone } from "./worktree-gone.ts";
import { checkOutCandidate } from "./worktree-land.ts";
import { shortName, targetOf, type WorktreeSettings, workRef } from "./worktree-settings.ts";
import { type SlotMarker, slotOf } from "./worktree-slots.ts";
import { checkedOut } from "./worktree-start.ts";
import { type CommittedWork, commitWork } from "./worktree-work.ts";

/** The attempt's work on the target's tip of this moment, checked out where its checks run, see `Workspace.candidate`. */
export async function candidateInWorktree(
  settings: WorktreeSettings,
  request: CandidateRequest,
): Promise<Candidate | WorkspaceRefusal> {
  return lookAt<Candidate | WorkspaceRefusal>(settings.top, async (checkout) => {
    const unsafe = await guardShared(settings);
    if (unsafe !== null) return unsafe;
    const parts = await findParts(checkout, settings, request);
    if ("code" in parts) return parts;
    const built = await join(checkout, settings, request, parts);
    // Both at once, and both to their end whatever becomes of the other.
    const [ready, settled] = await Promise.allSettled([
      "code" in built ? built : checkOutCandidate(settings, request, built, request),
      parts.committed?.settle(),
    ]);
    if (settled.status === "rejected") throw settled.reason;
    if (ready.status === "rejected") throw ready.reason;
    if ("code" in built) return built;
    return typeof ready.value === "string" ? { ...built, dir: ready.value } : ready.value;
  });
}

type Built = Omit<Candidate, "dir"> & { target: string; commit: string };

interface Parts {
  tip: Ref;
  work: Pick<Ref, "commit" | "parents" | "tree" | "message">;
  /** Null when the attempt's worktree was given back before, or is gone: then the work branch says it all. */
  committed: CommittedWork | null;
  marker: SlotMarker | null;
}

async function findParts(
  { git, place }: Checkout,
  settings: WorktreeSettings,
  request: CandidateRequest,
): Promise<Parts | WorkspaceRefusal> {
  const { folder } = settings;
  const taken = slotOf(folder, request);
  const marker = taken?.marker.state === "ready" ? taken.marker : null;
  const target = marker?.target ?? request.target ?? targetOf(settings, request.plan);
  const refs = await readRefs(git, [target, workRef(request)]);
  const [tip, branch] = [refs.get(target), refs.get(workRef(request))];
  const refusal = tip === undefined ? targetGone(target) : checkedOut(tip, folder);
  if (refusal !== null || tip === undefined) return refusal ?? targetGone(target);
  const isGone = taken !== null && marker !== null && (await isWorktreeGone(git, folder, taken));
  if (isGone && (branch === undefined || branch.commit === marker.start)) return worktreeGone(marker);
  const worktree =
    taken && marker && !isGone ? keptWorktree(place.common_dir, folder, taken.slot, `ref: ${workRef(request)}`) : null;
  if (marker === null || worktree === null)
    return branch === undefined ? workGone(request) : { tip, work: branch, committed: null, marker };
  dropBranchLock(place, marker);
  const left = await findLeftHead(git, settings, worktree, { slot: taken!.slot, marker });
  if ("code" in left) return left;
  const committed = await commitWork(worktree, marker, left, request);
  if ("code" in committed) return committed;
  return { tip, work: await workOf(git, committed, branch, request), committed, marker };
}

/** The work's commit, known already where the engine made it. */
async function workOf(
  git: Git,
  { commit, own }: CommittedWork,
  branch: Ref | undefined,
  { message }: CandidateRequest,
): Promise<Parts["work"]> {
  if (own !== null) return { commit, tree: own.tree, parents: own.parents, message };
  return commit === branch?.commit ? branch : readCommit(git, commit);
}

async function join(
  { git, place }: Checkout,
  { landMode }: WorktreeSettings,
  request: CandidateRequest,
  { tip, work, committed, marker }: Parts,
): Promise<Built | WorkspaceRefusal> {
  const isLinear = committed?.isLinear ?? true;
  const isAhead = isLinear && (tip.commit === marker?.base || work.parents[0] === tip.commit);
  const merged = isAhead ? { tree: work.tree } : await mergeTrees(git, tip.commit, work.commit);
  if ("conflicts" in merged) {
    const why = `${shortName(tip.name)} and the work of ${request.plan}/${request.slug} changed the same places`;
    return inConflict("conflict", why, merged.conflicts);
  }
  const own = committed?.own ?? null;
  const isKnown = isAhead && own?.parents[0] === tip.commit;
  const all = isKnown && own ? own.changes : await diffTrees(git, tip.commit, merged.tree);
  const nested = newLink(all);
  if (nested !== null) return nested;
  const { changes, restored, leaked } = sortOut(all, request.protect ?? [], marker?.copied ?? []);
  const tree = await restoreEntries(git, place, merged.tree, [...restored, ...leaked]);
  const of = { target: tip.name, tip: tip.commit, changed: changes.map(changedFile) };
  const put = restored.length === 0 ? of : { ...of, restored: restored.map(changedFile) };
  if (changes.length === 0) return { ...put, commit: tip.commit, tree: tip.tree };
  if (isAhead && tree === work.tree && isOneCommit(work, tip, request)) return { ...put, commit: work.commit, tree };
  // What the agent rewrote, or committed though it is a copy of the user's, must not become the target's history.
  const parents = landMode === "squash" || !isLinear || leaked.length > 0 ? [tip.commit] : [tip.commit, work.commit];
  return { ...put, commit: await commitTree(git, tree, parents, request.message, request.style), tree };
}

/** The work is a single commit on the tip that says what the landing has to say. */
function isOneCommit(work: Parts["work"], tip: Ref, { message }: CandidateRequest): boolean {
  return work.parents.length === 1 && work.parents[0] === tip.commit && work.message.trimEnd() === message.trimEnd();
}

interface Sorted {
  changes: TreeChange[];
  /** Of protected files. */
  restored: TreeChange[];
  /** Of copies of the user's untracked files, which the agent committed. */
  leaked: TreeChange[];
}

function sortOut(all: TreeChange[], protect: readonly string[], copied: string[]): Sorted {
  const sorted: Sorted = { changes: [], restored: [], leaked: [] };
  for (const change of all) {
    const path = readable(change.path);
    if (copied.includes(change.path)) sorted.leaked.push(change);
    else if (protect.some((glob) => matchesGlob(glob, path))) sorted.restored.push(change);
    else sorted.changes.push(change);
  }
  return sorted;
}

function targetGone(target: string): WorkspaceRefusal {
  const name = shortName(target);
  const text = `the branch ${name} is gone, and with it what has landed: make it again with \`git branch ${name} COMMIT\``;
  return { code: "target_moved", text };
}

function workGone(request: CandidateRequest): WorkspaceRefusal {
  const text = `there is neither a worktree nor a branch ${shortName(workRef(request))}: the attempt's work is at a saved ref, if anywhere`;
  return { code: "missing", text };
}
