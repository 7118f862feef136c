/** What workspaces take of the disk, and how it is freed. */

export interface ReclaimRequest {
  /** True: only says what would be freed. */
  dry_run: boolean;
  /** Full name of the branch that a task's work has landed on; null when nothing goes to show that it has. */
  landedOn(plan: string, slug: string): Promise<string | null>;
}

export interface Reclaimed {
  freed: { kind: ReclaimedKind; name: string; bytes: number }[];
  /** What looks as if it could be freed, and why it was not. */
  kept: { kind: ReclaimedKind; name: string; why: string }[];
}

/** What a workspace takes of the disk. */
export interface PlaceUse {
  /** `saved`: work that is kept at refs, or as copies; of refs what no branch, tag or remote has as well. */
  kind: "worktree" | "saved";
  count: number;
  /** Null where git is too old to tell. */
  bytes: number | null;
}

export type ReclaimedKind = "worktree" | "branch" | "temporary";
