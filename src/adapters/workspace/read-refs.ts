import type { Git } from "./git.ts";

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
  const output = await git.text(["for-each-ref", `--format=${FORMAT}`, ...names]);
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
