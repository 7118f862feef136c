/** A repository small enough to reason about: trees are files by path, refs move by compare-and-set. */

export type Files = ReadonlyMap<string, string>;

export interface Commit {
  id: string;
  parents: string[];
  tree: string;
  message: string;
}

/** The same files are the same tree, the same content the same commit. */
export class GitModel {
  readonly refs = new Map<string, string>();
  readonly commits = new Map<string, Commit>();
  readonly #trees = new Map<string, Files>();
  readonly #treeIds = new Map<string, string>();
  readonly #commitIds = new Map<string, string>();

  tree(files: Files): string {
    const key = [...files].sort(([a], [b]) => (a < b ? -1 : 1)).join("\n");
    const known = this.#treeIds.get(key);
    if (known !== undefined) return known;
    const id = `tree${this.#treeIds.size}`;
    this.#treeIds.set(key, id);
    this.#trees.set(id, new Map(files));
    return id;
  }

  files(tree: string): Files {
    const found = this.#trees.get(tree);
    if (found === undefined) throw new Error(`there is no tree ${tree}`);
    return found;
  }

  commit(parents: string[], tree: string, message: string): string {
    const key = [tree, message, ...parents].join("\n");
    const known = this.#commitIds.get(key);
    if (known !== undefined) return known;
    const id = `c${this.#commitIds.size}`;
    this.#commitIds.set(key, id);
    this.commits.set(id, { id, parents, tree, message });
    return id;
  }

  treeOf(commit: string): string {
    const found = this.commits.get(commit);
    if (found === undefined) throw new Error(`there is no commit ${commit}`);
    return found.tree;
  }

  /** True when `commit` is `of` or one of its ancestors. */
  isAncestor(commit: string, of: string): boolean {
    const seen = new Set<string>();
    const left = [of];
    for (let next = left.pop(); next !== undefined; next = left.pop()) {
      if (next === commit) return true;
      if (seen.has(next)) continue;
      seen.add(next);
      left.push(...(this.commits.get(next)?.parents ?? []));
    }
    return false;
  }

  /** The commits that a ref gained since `base`, along first parents, newest first. */
  line(tip: string, base: string): Commit[] {
    const found: Commit[] = [];
    for (let at: string | undefined = tip; at !== undefined && at !== base; ) {
      const commit: Commit | undefined = this.commits.get(at);
      if (commit === undefined) break;
      found.push(commit);
      at = commit.parents[0];
    }
    return found;
  }
}

/** Paths whose content differs. */
export function changedPaths(before: Files, after: Files): string[] {
  const paths = new Set([...before.keys(), ...after.keys()]);
  return [...paths].filter((path) => before.get(path) !== after.get(path)).sort();
}

/** `ours` with what `theirs` changed since `base`; paths that both changed, each in its own way, are in conflict. */
export function merge(base: Files, ours: Files, theirs: Files): { files: Map<string, string>; conflicts: string[] } {
  const files = new Map(ours);
  const conflicts: string[] = [];
  for (const path of changedPaths(base, theirs)) {
    const wanted = theirs.get(path);
    const isFree = ours.get(path) === base.get(path) || ours.get(path) === wanted;
    if (!isFree) conflicts.push(path);
    else if (wanted === undefined) files.delete(path);
    else files.set(path, wanted);
  }
  return { files, conflicts };
}
