import type { CandidateRequest, CommitStyle } from "../../ports/workspace.ts";
import { commitTree } from "./engine-commit.ts";
import type { Git } from "./git.ts";

/**
 * Most work is what stands in the worktree, on the commit that the attempt was given: its commit is made while git still
 * compares the trees. One that is not wanted after all is an object that nothing names, which git clears away.
 */
export class EarlyCommit {
  readonly #git: Git;
  readonly #message: string;
  readonly #style: CommitStyle | undefined;
  #made: { tree: string; parent: string; commit: Promise<string> } | null = null;

  constructor(git: Git, { message, style }: Pick<CandidateRequest, "message" | "style">) {
    this.#git = git;
    this.#message = message;
    this.#style = style;
  }

  begin(tree: string, parent: string): void {
    const commit = commitTree(this.#git, tree, [parent], this.#message, this.#style);
    // What hinders it is told to whoever wants the commit, and to nobody else.
    commit.catch(() => undefined);
    this.#made = { tree, parent, commit };
  }

  /** The commit of this tree on these parents, the early one where it is that. */
  commitOf(tree: string, parents: string[]): Promise<string> {
    const made = this.#made;
    const fits = made?.tree === tree && parents.length === 1 && parents[0] === made.parent;
    return fits ? made.commit : commitTree(this.#git, tree, parents, this.#message, this.#style);
  }
}
