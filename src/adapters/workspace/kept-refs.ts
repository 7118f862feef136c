import { invariant } from "../../core/assert.ts";
import type { WorkspaceTask } from "../../ports/workspace.ts";
import type { Git } from "./git.ts";
import { commitAt } from "./head.ts";

/** The hash that stands for "no such ref" in a compare-and-set. */
export const NO_COMMIT = "0000000000000000000000000000000000000000";

/** Saves of one attempt; each is a stop, a crash or a red check of it. */
const SAVES_MAX = 1_000;

const PART = /^[A-Za-z0-9][A-Za-z0-9_-]*$/;

/** The folder of a task's saved refs, with its slash. */
export function savedRefs({ plan, slug }: Pick<WorkspaceTask, "plan" | "slug">): string {
  return `refs/lockstep/saved/${plan}/${slug}/`;
}

/** The folder of the branches that an attempt's agent made in its clone, with its slash. */
export function branchRefs({ plan, slug, n }: WorkspaceTask): string {
  return `refs/lockstep/branches/${plan}/${slug}/${n}/`;
}

/** The folder of the refs of a plan's attempts, with its slash. */
export function attemptRefs(plan: string): string {
  return `refs/lockstep/attempts/${plan}/`;
}

/**
 * Keeps a commit under the attempt's saved ref, or beside it (`<n>-2`, `<n>-3`): none is ever moved. Gives the ref's
 * name; the one that has this very tree already is not made again.
 */
export async function keepSaved(git: Git, task: WorkspaceTask, commit: string): Promise<string> {
  const folder = savedRefs(task);
  checkParts(task);
  const tree = await git.text(["rev-parse", `${commit}^{tree}`]);
  const listed = await git.text(["for-each-ref", "--format=%(refname) %(tree) %(parent)", folder]);
  const kept = new Map(listed.split("\n").map((line) => [line.slice(0, line.indexOf(" ")), line]));
  const parents = await git.text(["show", "-s", "--format=%P", commit]);
  for (let copy = 1; copy <= SAVES_MAX; copy += 1) {
    const name = `${folder}${task.n}${copy === 1 ? "" : `-${copy}`}`;
    const line = kept.get(name);
    if (line === undefined) {
      await git.text(["update-ref", name, commit, NO_COMMIT]);
      return name;
    }
    const [, itsTree, ...itsParents] = line.split(" ");
    if (itsTree === tree && itsParents.join(" ") === parents) return name;
  }
  throw new Error(
    `attempt ${task.n} of ${task.plan}/${task.slug} was saved ${SAVES_MAX} times: remove refs below ${folder}`,
  );
}

/** The ref of what this very attempt has saved; null where it saved nothing. */
export async function savedBy(git: Git, task: WorkspaceTask): Promise<string | null> {
  const name = `${savedRefs(task)}${task.n}`;
  return (await commitAt(git, name)) === null ? null : name;
}

/** The ref of one attempt. */
export function attemptRef({ plan, slug, n }: WorkspaceTask): string {
  return `${attemptRefs(plan)}${slug}/${n}`;
}

/** Keeps a settled attempt's commit. Gives the ref's name. */
export async function keepAttempt(git: Git, task: WorkspaceTask, commit: string): Promise<string> {
  checkParts(task);
  const name = attemptRef(task);
  await git.text(["update-ref", name, commit]);
  return name;
}

function checkParts(task: WorkspaceTask): void {
  invariant(PART.test(task.plan) && PART.test(task.slug), `no names for a ref: ${task.plan}, ${task.slug}`);
  invariant(Number.isInteger(task.n) && task.n > 0, `no number of an attempt: ${task.n}`);
}
