import type { WorkspaceRefusal } from "../../ports/workspace.ts";
import { readable } from "./byte-paths.ts";
import { type Git, GitFailure } from "./git.ts";
import type { Head } from "./head.ts";

/** What `git status` says, in one call. */
export interface CheckoutState extends Head {
  /** Files that differ from HEAD, staged or not, and files that are neither tracked nor ignored. */
  dirty: string[];
}

/** Paths that a refusal names; the rest is counted. */
const NAMED_FILES_MAX = 5;

/** Fields before the path in a line of `git status --porcelain=v2`, by the line's kind. */
const FIELDS: Readonly<Record<string, number>> = { "1": 8, u: 10, "?": 1 };

/**
 * Reads the checkout, or says why it is none. Submodules are not looked into. Nothing is written, unless `refresh` lets
 * git note in the index which files it has found unchanged. `each`: also every file of a folder that git does not know.
 */
export async function readCheckout(
  git: Git,
  { refresh = false, limitMs, each = false }: { refresh?: boolean; limitMs?: number; each?: boolean } = {},
): Promise<CheckoutState | WorkspaceRefusal> {
  const args = [
    "status",
    "--porcelain=v2",
    "--branch",
    "-z",
    "--no-renames",
    `--untracked-files=${each ? "all" : "normal"}`,
    "--ignore-submodules=all",
  ];
  const { code, stdout, stderr } = await git.run(args, {
    ...(refresh ? { env: { GIT_OPTIONAL_LOCKS: "1" } } : {}),
    ...(limitMs === undefined ? {} : { limitMs }),
  });
  if (code === 0) return parseStatus(stdout.toString("latin1"));
  if (/must be run in a work tree/.test(stderr)) {
    return {
      code: "bare_repository",
      text: "the repository is bare: lockstep needs a checkout to work in; clone it and run there",
    };
  }
  if (/not a git repository/.test(stderr))
    return { code: "missing", text: `no git repository here any more: ${stderr.trim()}` };
  throw new GitFailure(`git status failed: ${stderr.trim()}`);
}

/** Why work cannot start from this checkout, cleanliness aside; null when it can. */
export function unusable(state: Head): WorkspaceRefusal | null {
  if (state.branch === null) {
    return {
      code: "detached_head",
      text: "HEAD is detached: work lands on a branch; switch to one with `git switch BRANCH`",
    };
  }
  if (state.tip === null) {
    return {
      code: "no_commits",
      text: "the repository has no commit yet: work starts from one; make it with `git commit`",
    };
  }
  return null;
}

/** The refusal that names what is in the way and what to do; `why` opens it. */
export function notClean(
  dirty: string[],
  why = "the checkout has changes that lockstep did not make",
): WorkspaceRefusal {
  const named = dirty.slice(0, NAMED_FILES_MAX).map((name) => JSON.stringify(readable(name)).slice(1, -1));
  const more = dirty.length > named.length ? ` and ${dirty.length - named.length} more` : "";
  return {
    code: "not_clean",
    text: `${why}: ${named.join(", ")}${more}; commit them, or put them away with \`git stash -u\``,
  };
}

function parseStatus(output: string): CheckoutState {
  const state: CheckoutState = { branch: null, tip: null, dirty: [] };
  for (const line of output.split("\0")) {
    const [kind = "", header, value] = line.split(" ", 3);
    if (kind === "#" && header === "branch.oid") state.tip = value === "(initial)" ? null : (value ?? null);
    else if (kind === "#" && header === "branch.head")
      state.branch = value === "(detached)" ? null : `refs/heads/${line.slice("# branch.head ".length)}`;
    else if (FIELDS[kind] !== undefined) state.dirty.push(line.split(" ").slice(FIELDS[kind]).join(" "));
  }
  return state;
}
