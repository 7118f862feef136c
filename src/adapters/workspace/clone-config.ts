import { join } from "node:path";
import type { WorkspaceRefusal } from "../../ports/workspace.ts";
import { type Git, GitFailure, gitIn } from "./git.ts";

/**
 * Settings of the repository that say how files are read and written and who commits: an agent works under the same. No
 * other has business in a clone: it would lead to a remote, to hooks, or to the repository.
 */
const TAKEN = [
  /^core\.(autocrlf|eol|filemode|ignorecase|longpaths|precomposeunicode|safecrlf|symlinks|whitespace)$/,
  /^(commit|diff|filter|gpg|merge|user)\./,
];

/** Its git tidies up for nobody: it is gone with the attempt. */
const OWN = ["core.repositoryformatversion\n0", "core.bare\nfalse", "core.logallrefupdates\ntrue", "gc.auto\n0"];

/** The whole configuration of a clone. `folder` is any directory without a repository. */
export async function configOfClone(folder: string, commonDir: string): Promise<string> {
  const { code, stdout, stderr } = await gitIn(folder).run([
    "config",
    "--file",
    join(commonDir, "config"),
    "--list",
    "-z",
  ]);
  if (code !== 0) throw new GitFailure(`git config failed: ${stderr.trim()}`);
  const settings = stdout
    .toString("utf8")
    .split("\0")
    .filter((setting) => TAKEN.some((taken) => taken.test(setting.split("\n", 1)[0]!)));
  return [...OWN, "maintenance.auto\nfalse", ...settings].map(lineOf).join("");
}

/** `section.sub.section.key`, a line break and the value; one without a value says yes. */
function lineOf(setting: string): string {
  const at = setting.indexOf("\n");
  const key = at === -1 ? setting : setting.slice(0, at);
  const value = at === -1 ? "true" : setting.slice(at + 1);
  const [first, last] = [key.indexOf("."), key.lastIndexOf(".")];
  const part = first === last ? "" : ` "${key.slice(first + 1, last).replace(/["\\]/g, "\\$&")}"`;
  const written = value.replace(/["\\]/g, "\\$&").replaceAll("\n", "\\n").replaceAll("\t", "\\t");
  return `[${key.slice(0, first)}${part}]\n\t${key.slice(last + 1)} = "${written}"\n`;
}

/** Refuses a repository that fetches its objects when they are wanted: its clone could not. */
export async function partialRepository(git: Git): Promise<WorkspaceRefusal | null> {
  const { code } = await git.run(["config", "--get-regexp", "^(extensions\\.partialclone|remote\\..*\\.promisor)$"]);
  if (code !== 0) return null;
  return {
    code: "git",
    text: "the workspace mode clone needs every object, and this repository is a partial clone: use the mode worktree, or clone it anew without --filter",
  };
}
