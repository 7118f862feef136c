/** Of one landed task: its commit is on the target, whole, and the one that the attempt's ref keeps. */

import type { AttemptRow, TaskRow } from "../core/task/rows.ts";
import type { LandingProof, PinnedAttempt, RedoneMerge, WorkspaceRefusal } from "../ports/workspace.ts";
import type { EngineContext } from "./context.ts";

/** Files of an edited merge that are named. */
const NAMED_MAX = 5;

export interface LandingClaim {
  row: TaskRow;
  attempt: AttemptRow | undefined;
  /** What the ref of that attempt keeps. */
  kept: PinnedAttempt | undefined;
  /** Full name of the branch that the target started at. */
  base: string | null;
}

export interface LandingFound {
  tree: string | null;
  problems: string[];
  notes: string[];
}

export async function proveLanding(context: EngineContext, claim: LandingClaim): Promise<LandingFound> {
  const { row, attempt, kept } = claim;
  const { attempts: n, landed_sha, landed_target, landed_tree } = row;
  const found: LandingFound = { tree: landed_tree, problems: [], notes: [] };
  if (kept === undefined) found.problems.push(`the ref of its attempt ${n} is gone`);
  if (landed_sha === null || landed_target === null) {
    found.problems.push("its row names no commit that landed");
    return found;
  }
  if (kept !== undefined && kept.commit !== landed_sha)
    found.problems.push(`the ref of its attempt ${n} is ${kept.commit}, not what landed`);
  if (landed_target !== row.target) found.problems.push(`it landed on ${landed_target}, not on ${row.target}`);
  const work = { commit: landed_sha, base: attempt?.base ?? null };
  const landing = await context.workspace.proof({ ...work, target: row.target });
  if (landing === null || "code" in landing) {
    found.problems.push(landing === null ? "this place has no repository any more" : landing.text);
    return found;
  }
  found.tree = landing.tree;
  if (!landing.present) await tellAbsent(context, claim, { ...work, landing }, found);
  if (landing.tree === null) found.problems.push(`its commit ${landed_sha} is gone from the repository`);
  else if (landing.tree !== landed_tree) found.problems.push(`the landed tree is ${landing.tree}, not ${landed_tree}`);
  if (landing.tree !== null) found.problems.push(...(await editedMerge(context, landed_sha, keepsFiles(row))));
  return found;
}

/** Where nothing lands, the ref of its attempt keeps the commit whose tree was checked. */
export async function proveOff(
  { workspace }: EngineContext,
  { attempts, landed_sha, landed_tree, target }: TaskRow,
  kept: PinnedAttempt | undefined,
): Promise<LandingFound> {
  const found: LandingFound = { tree: landed_tree, problems: [], notes: [] };
  if (kept === undefined) found.problems.push(`the ref of its attempt ${attempts} is gone`);
  if (landed_sha === null || kept?.commit !== landed_sha)
    found.problems.push(`its work is not kept: the attempt's ref is ${kept?.commit ?? "gone"}, not ${landed_sha}`);
  const proof = landed_sha === null ? null : await workspace.proof({ target, commit: landed_sha, base: null });
  if (proof === null || "code" in proof) {
    found.problems.push(proof?.text ?? "there is no repository any more");
    return found;
  }
  found.tree = proof.tree;
  if (proof.tree !== landed_tree) found.problems.push(`the tree of its work is ${proof.tree}, not ${landed_tree}`);
  return found;
}

/** Once a plan is finished a person may delete its branch: then the one that took it in is the proof. */
async function tellAbsent(
  { workspace }: EngineContext,
  { row, base: into }: LandingClaim,
  { landing, ...work }: { landing: LandingProof; commit: string; base: string | null },
  found: LandingFound,
): Promise<void> {
  const { target } = row;
  const onBase = landing.is_there || into === null ? null : await workspace.proof({ ...work, target: into });
  if (onBase !== null && !("code" in onBase) && onBase.present)
    found.notes.push(`${target} is gone, and ${into} has what landed on it`);
  else found.problems.push(`${target} does not have its commit ${work.commit}`);
}

/** A person let its protected files land as they were on the target. */
function keepsFiles({ rulings }: TaskRow): boolean {
  return rulings?.protected_files === "keep_mine";
}

/** A merge whose files are not what its parents make has taken somebody's work away, or brought in what nobody made. */
export async function editedMerge({ workspace }: EngineContext, commit: string, mayKeep = false): Promise<string[]> {
  const redone = await workspace.redone(commit);
  if (redone === null) return [];
  if (isRefusal(redone)) return [redone.text];
  const paths = [...redone.edited, ...(mayKeep ? [] : redone.kept)];
  if (paths.length === 0) return [];
  const more = paths.length > NAMED_MAX ? ` and ${paths.length - NAMED_MAX} more` : "";
  const named = paths.slice(0, NAMED_MAX).map((path) => JSON.stringify(path));
  return [`the merge ${commit} is not what its parents make: ${named.join(", ")}${more}`];
}

function isRefusal(answer: RedoneMerge | WorkspaceRefusal): answer is WorkspaceRefusal {
  return "code" in answer;
}
