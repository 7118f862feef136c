import type { RedoneMerge } from "../../ports/workspace.ts";
import { readable } from "./byte-paths.ts";
import type { Git } from "./git.ts";
import { oldGit } from "./git-version.ts";
import { mergeTrees } from "./merge-trees.ts";
import { readCommit } from "./read-refs.ts";
import { withScratchObjects } from "./scratch-objects.ts";
import { diffTrees } from "./work-tree.ts";

/** `git merge-tree --write-tree` came with this one. */
const VERSION_MIN = [2, 38] as const;

/** See `Workspace.redone`. The repository is not written to. */
export async function redoMerge(git: Git, commit: string): Promise<RedoneMerge | null> {
  const { tree, parents } = await readCommit(git, commit);
  const [first, second] = parents;
  if (first === undefined || second === undefined || parents.length > 2) return null;
  if ((await oldGit(git, VERSION_MIN)) !== null) return null;
  return withScratchObjects(git, async (scratch) => {
    const merged = await mergeTrees(scratch, first, second);
    if ("conflicts" in merged) return null;
    const differing = await diffTrees(scratch, merged.tree, tree);
    if (differing.length === 0) return { edited: [], kept: [] };
    const changed = new Set((await diffTrees(scratch, first, tree)).map(({ path }) => path));
    const paths = (isKept: boolean): string[] =>
      differing.flatMap(({ path }) => (changed.has(path) === isKept ? [] : [readable(path)]));
    return { edited: paths(false), kept: paths(true) };
  });
}
