import { realpathSync, statSync } from "node:fs";
import { relative } from "node:path";
import type { OpenOptions, WorkspaceRefusal, WorkspaceTask } from "../../ports/workspace.ts";
import type { Checkout } from "./checkout.ts";
import { readHead } from "./head.ts";
import { type Ref, readRefs } from "./read-refs.ts";
import { shortName, targetOf, type WorktreeSettings, workRef } from "./worktree-settings.ts";

/** Where an attempt starts, as commits. */
export interface Start {
  /** Full name. */
  target: string;
  /** Where the target stands, or will stand once it is made. */
  tip: string;
  /** False when the target has to be made at `tip`. */
  exists: boolean;
  /** What the work starts from: the tip, or where the earlier work left the target. */
  base: string;
  base_tree: string;
  /** What HEAD is at. */
  head: string;
  /** What the files are as: more than HEAD has when the engine committed the earlier work. */
  files: string;
  /** Where the work branch stands now. */
  work: Ref | null;
  /** True when `work` is kept by a saved ref, an attempt's ref or the target. */
  kept: boolean;
}

/** Ends the message of a commit that the engine made: the next attempt finds its content uncommitted. */
const ENGINE_TRAILER = /^Lockstep-(Task|Saved): /m;

/** Finds where an attempt would start, changing nothing. */
export async function findStart(
  checkout: Checkout,
  settings: WorktreeSettings,
  task: WorkspaceTask,
  options: OpenOptions,
): Promise<Start | WorkspaceRefusal> {
  const target = options.target ?? targetOf(settings, task.plan);
  const kinds = ["saved", "attempts"].map((kind) => `refs/lockstep/${kind}/${task.plan}/${task.slug}`);
  const refs = await readRefs(checkout.git, [target, workRef(task), ...kinds]);
  const work = refs.get(workRef(task)) ?? null;
  const taken = checkedOut(refs.get(target) ?? null, settings.folder) ?? inTheWay(settings, work);
  if (taken !== null) return taken;
  const from = refs.get(target) ?? (await startOfTarget(checkout, settings, options.base));
  if ("code" in from) return from;
  const isKept = [...refs.values()].some((ref) => ref.name !== work?.name && ref.commit === work?.commit);
  const fresh = { base: from.commit, base_tree: from.tree, head: from.commit, files: from.commit };
  const of = { target, tip: from.commit, exists: refs.has(target), work, kept: isKept };
  if (!options.resume || work === null) return { ...of, ...fresh };
  const resumed = await earlierWork(checkout, work, from, options.merge_target === true);
  return { ...of, ...(resumed ?? fresh) };
}

async function startOfTarget(
  checkout: Checkout,
  settings: WorktreeSettings,
  named: string | null | undefined,
): Promise<Ref | WorkspaceRefusal> {
  const base = await baseBranch(checkout, settings, named);
  const found = base === null ? undefined : (await readRefs(checkout.git, [base])).get(base);
  return found ?? missingBase(base);
}

/** Full name of the branch that targets start at; null when HEAD is at none and none is named. */
export async function baseBranch(
  { git }: Checkout,
  { base }: WorktreeSettings,
  named?: string | null,
): Promise<string | null> {
  const given = named ?? base;
  if (given === null) return (await readHead(git)).branch;
  return given.startsWith("refs/") ? given : `refs/heads/${given}`;
}

export function missingBase(base: string | null): WorkspaceRefusal {
  const why = base === null ? "HEAD is detached and no base is named" : `there is no branch ${shortName(base)}`;
  return {
    code: "missing_base",
    text: `${why}: name the branch to start from in lockstep.yaml (land: {base: BRANCH})`,
  };
}

/**
 * Refused while a person has the target checked out anywhere: its files would fall behind the branch. An agent that has
 * it checked out in a worktree below `folder` is in nobody's way.
 */
export function checkedOut(target: Ref | null, folder: string | null): WorkspaceRefusal | null {
  if (target === null || target.checked_out === null || isBelow(folder, target.checked_out)) return null;
  const name = shortName(target.name);
  const text = `${name} is checked out in ${target.checked_out}, and landing would move it: switch to another branch there`;
  return { code: "target_checked_out", text };
}

function inTheWay({ folder }: WorktreeSettings, work: Ref | null): WorkspaceRefusal | null {
  if (work === null || work.checked_out === null || isBelow(folder, work.checked_out)) return null;
  const text = `${shortName(work.name)} is checked out in ${work.checked_out}, and the work has to move it: switch to another branch there`;
  return { code: "branch_in_the_way", text };
}

/** Git names a place without the links that lead there. */
function isBelow(folder: string | null, path: string): boolean {
  if (folder === null || statSync(folder, { throwIfNoEntry: false }) === undefined) return false;
  return [folder, realpathSync(folder)].some((each) => !relative(each, path).startsWith(".."));
}

/** Null when the target has all of it. */
async function earlierWork(
  { git }: Checkout,
  work: Ref,
  tip: Ref,
  merges: boolean,
): Promise<Pick<Start, "base" | "base_tree" | "head" | "files"> | null> {
  const found = await git.run(["merge-base", tip.commit, work.commit]);
  const base = found.stdout.toString("utf8").trim();
  if (found.code !== 0 || base === work.commit) return null;
  const base_tree = base === tip.commit ? tip.tree : await git.text(["rev-parse", `${base}^{tree}`]);
  const [parent, second] = work.parents;
  const byEngine = second === undefined && ENGINE_TRAILER.test(work.message);
  const head = byEngine && !merges ? parent! : work.commit;
  return { base, base_tree, head, files: work.commit };
}
