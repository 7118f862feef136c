/** A task's work as it is offered to people outside: what was meant to be published, what came of it, what was heard. */

export type PublicationStage =
  /** Its branch and its pull request are to be made, or to be brought up to date. */
  | "intended"
  /** It is there and waits for the people of its forge. */
  | "open"
  /** The forge says that it was merged: that is still to be proved. */
  | "merged"
  /** Nothing of it is awaited: it was closed without a merge, or a person is asked about it. */
  | "closed";

export interface Publication {
  stage: PublicationStage;
  /** The attempt whose work it is. */
  attempt: number;
  /** The commit that is offered, what it stands on, its tree, and the checks that were green on that, as in a landing. */
  sha: string;
  tip: string | null;
  tree: string | null;
  passed: string[];
  /** Names of branches on the remote: its own, and the one that it is to be merged into. */
  head: string;
  base: string;
  /** Each commit that was pushed or meant to be pushed to that head; at most 100, the last ones. */
  ours: string[];
  /** Null until it has been made, and where the forge has no pull requests that we know of. */
  number: number | null;
  url: string | null;
  /** The commit by which it was merged, and the branch that has it. */
  merge_sha: string | null;
  merged_into: string | null;
  /** Opaque: what the publisher has told already. */
  cursor: string | null;
}

/** More would never be asked for: a head that stands at an older one was not moved by lockstep for a long time. */
export const OURS_MAX = 100;

/** `pull request #5`, or the branch where the forge has no number for it. */
export function publicationName({ number, head }: Pick<Publication, "number" | "head">): string {
  return number === null ? `the branch ${head}` : `pull request #${number}`;
}
