import type { Git } from "./git.ts";
import type { RepositoryPlace } from "./repository-place.ts";
import { type TreeChange, withIndex } from "./work-tree.ts";

/** A tree with these changes undone: what each path had before stands there again. Gives its hash. */
export async function restoreEntries(
  git: Git,
  place: RepositoryPlace,
  tree: string,
  changes: TreeChange[],
): Promise<string> {
  if (changes.length === 0) return tree;
  return withIndex(place, async (env) => {
    await git.text(["read-tree", tree], { env });
    // What was added is removed first: a file may have to come back where a directory stands.
    const ordered = [...changes].sort((a, b) => Number(isAdded(b)) - Number(isAdded(a)));
    const lines = ordered.map((change) =>
      isAdded(change)
        ? `0 ${change.new_hash}\t${change.path}\0`
        : `${change.old_mode} ${change.old_hash}\t${change.path}\0`,
    );
    await git.text(["update-index", "-z", "--replace", "--index-info"], {
      env,
      input: Buffer.from(lines.join(""), "latin1"),
    });
    return git.text(["write-tree"], { env });
  });
}

function isAdded(change: TreeChange): boolean {
  return /^0+$/.test(change.old_mode);
}
