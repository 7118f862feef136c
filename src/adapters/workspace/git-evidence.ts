import type { DiffWish, PinnedAttempt, WorkDiff, Workspace } from "../../ports/workspace.ts";
import { lookAt } from "./checkout.ts";
import { type Git, GitFailure } from "./git.ts";
import { commitAt } from "./head.ts";
import { attemptRefs, savedRefs } from "./kept-refs.ts";
import { holdsCommit } from "./move-ref.ts";
import { patchPresent, treeOf } from "./patch-presence.ts";
import { type Ref, readCommit, readRefs } from "./read-refs.ts";
import { redoMerge } from "./redo-merge.ts";
import { workRef } from "./worktree-settings.ts";

/** What a repository itself says of the work that was done in it. Nothing of it is changed, no lock is needed. */
export function gitEvidence(top: string): Pick<Workspace, "pinned" | "proof" | "line" | "redone" | "diff"> {
  return {
    pinned: (plan) => lookAt(top, ({ git }) => pinned(git, plan)),
    proof: ({ target, commit, base }) =>
      lookAt(top, async ({ git }) => ({
        present:
          base === null ? await holdsCommit(git, target, commit) : await patchPresent(git, { target, commit, base }),
        tree: await treeOf(git, commit),
        is_there: (await commitAt(git, target)) !== null,
      })),
    line: (target, base) => lookAt(top, ({ git }) => line(git, target, base)),
    redone: (commit) => lookAt(top, ({ git }) => redoMerge(git, commit)),
    diff: (of) => lookAt(top, ({ git }) => diff(git, of)),
  };
}

async function pinned(git: Git, plan: string): Promise<PinnedAttempt[]> {
  const folder = attemptRefs(plan);
  return [...(await readRefs(git, [folder])).values()].map(({ name, commit, message }) => {
    const [slug = "", n = ""] = name.slice(folder.length).split("/");
    return { slug, n: Number(n), commit, message };
  });
}

async function line(git: Git, target: string, base: string): Promise<string[]> {
  if ((await commitAt(git, target)) === null) return [];
  // Fails where a file of one of them is gone from the repository.
  await git.text(["rev-list", "--objects", "--quiet", target, `^${base}`, "--"]);
  const commits = await git.text(["rev-list", "--first-parent", target, `^${base}`, "--"]);
  return commits === "" ? [] : commits.split("\n");
}

async function diff(git: Git, of: DiffWish): Promise<WorkDiff | null> {
  const ends = "commit" in of ? await endsOfCommit(git, of.commit) : await endsOfWork(git, of);
  if (ends === null) return null;
  const { from, to } = ends;
  // Nothing that the user's configuration could run, or colour.
  const plain = ["--no-ext-diff", "--no-textconv", "--no-color"];
  const { code, stdout, stderr } = await git.run(["diff", ...plain, from, to, "--"]);
  if (code !== 0) throw new GitFailure(`git diff failed: ${stderr.trim()}`);
  return { from, to, message: (await readCommit(git, to)).message, patch: stdout };
}

async function endsOfCommit(git: Git, commit: string): Promise<{ from: string; to: string } | null> {
  const [from, to] = [await commitAt(git, `${commit}^1`), await commitAt(git, commit)];
  return to === null ? null : { from: from ?? to, to };
}

async function endsOfWork(
  git: Git,
  { plan, slug, target }: { plan: string; slug: string; target: string },
): Promise<{ from: string; to: string } | null> {
  const branch = workRef({ plan, slug });
  const saved = savedRefs({ plan, slug });
  const refs = await readRefs(git, [branch, saved, target]);
  const work = refs.get(branch) ?? newest([...refs.values()].filter(({ name }) => name.startsWith(saved)));
  const [tip, to] = [refs.get(target)?.commit ?? null, work?.commit];
  if (to === undefined) return null;
  const { code, stdout } = tip === null ? { code: 1, stdout: "" } : await git.run(["merge-base", tip, to]);
  return { from: code === 0 ? stdout.toString().trim() : (tip ?? to), to };
}

/** Of refs that end in `<n>` or `<n>-<copy>`, the last. */
export function newest(refs: Ref[]): Ref | undefined {
  const orderOf = ({ name }: Ref): [number, number] => {
    const [n = 0, copy = 1] = name
      .slice(name.lastIndexOf("/") + 1)
      .split("-")
      .map(Number);
    return [n, copy];
  };
  return refs
    .map((ref) => ({ ref, order: orderOf(ref) }))
    .sort((a, b) => a.order[0] - b.order[0] || a.order[1] - b.order[1])
    .at(-1)?.ref;
}
