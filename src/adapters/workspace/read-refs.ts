import { setTimeout as sleep } from "node:timers/promises";
import { type Git, GitFailure } from "./git.ts";

export interface Ref {
  name: string;
  commit: string;
  tree: string;
  parents: string[];
  /** The commit's message. */
  message: string;
  /** Top of the work tree that has this branch checked out, or null. */
  checked_out: string | null;
}

const FIELDS = ["refname", "objectname", "tree", "parent", "worktreepath", "contents"];
const FORMAT = FIELDS.map((field) => `%(${field})%00`).join("");

/** The refs of these names, or below them, in one call; one that does not exist is not in the map. */
export async function readRefs(git: Git, names: string[]): Promise<Map<string, Ref>> {
  const output = await listed(git, ["for-each-ref", `--format=${FORMAT}`, ...names]);
  const fields = output.split("\0");
  const refs = new Map<string, Ref>();
  for (let at = 0; at + FIELDS.length <= fields.length; at += FIELDS.length) {
    const [first = "", commit = "", tree = "", parents = "", path = "", message = ""] = fields.slice(at);
    const name = first.replace(/^\n/, "");
    const checked_out = path === "" ? null : path;
    refs.set(name, { name, commit, tree, parents: parents === "" ? [] : parents.split(" "), message, checked_out });
  }
  return refs;
}

/** A work tree that another process makes or removes just now has files that are not written yet, for a moment. */
const HALF_MADE = /failed to read .*\/worktrees\//;
const LOOKS_MAX = 20;
const LOOK_PAUSE_MS = 25;

async function listed(git: Git, args: string[]): Promise<string> {
  for (let look = 1; ; look++) {
    try {
      return await git.text(args);
    } catch (error) {
      if (look === LOOKS_MAX || !(error instanceof GitFailure) || !HALF_MADE.test(error.message)) throw error;
    }
    await sleep(LOOK_PAUSE_MS);
  }
}

/** A commit that no branch may stand for. */
export async function readCommit(
  git: Git,
  commit: string,
): Promise<Pick<Ref, "commit" | "tree" | "parents" | "message">> {
  const [tree = "", parents = "", message = ""] = await git.items([
    "show",
    "-s",
    "--format=%T%x00%P%x00%B%x00",
    commit,
  ]);
  return { commit, tree, parents: parents === "" ? [] : parents.split(" "), message };
}
