import type { Workspace } from "../../ports/workspace.ts";

/** Where nothing is landed there is nothing that a repository could prove or show. */
export const NO_EVIDENCE: Pick<Workspace, "pinned" | "proof" | "line" | "redone" | "diff" | "fresh"> = {
  pinned: async () => [],
  proof: async () => null,
  line: async () => null,
  redone: async () => null,
  diff: async () => null,
  fresh: async () => null,
};

const NO_BRANCH_TEXT = "work does not land on a branch of the plan's own here";

/** Where work does not land on a branch of the plan's own there is none to take in, and none to move back. */
export const NO_BRANCH: Pick<Workspace, "join" | "takeIn" | "bring" | "takeBack" | "undo"> = {
  takeBack: async () => false,
  join: async () => ({ code: "missing", text: NO_BRANCH_TEXT }),
  takeIn: async () => ({ code: "missing", text: NO_BRANCH_TEXT }),
  bring: async () => ({ landed: false, reason: "git", text: NO_BRANCH_TEXT }),
  undo: async () => ({ code: "missing", text: NO_BRANCH_TEXT }),
};

/** Where attempts have no worktrees of their own there is nothing to free, and no place that is not theirs. */
export const NO_POOL: Pick<Workspace, "foreign" | "foresee" | "reclaim" | "ownDir" | "discard" | "inUse"> = {
  ownDir: async () => null,
  foreign: async () => ({ paths: [], total: 0, saved: null, unseen: null, mended: [] }),
  discard: async () => ({ saved: null }),
  foresee: async () => null,
  reclaim: async () => ({ freed: [], kept: [] }),
  inUse: async () => [],
};
