import { type Git, GitFailure } from "./git.ts";

/** Who signs where the user's configuration names nobody. */
const FALLBACK = {
  GIT_AUTHOR_NAME: "lockstep",
  GIT_AUTHOR_EMAIL: "lockstep@localhost",
  GIT_COMMITTER_NAME: "lockstep",
  GIT_COMMITTER_EMAIL: "lockstep@localhost",
};

/** What git says when no identity is configured and it may not guess one (`user.useConfigOnly`). */
const NOBODY = /auto-detection is disabled|empty ident|unable to auto-detect/;

/** Makes a commit without moving anything, under the configured identity or lockstep's own. Gives its hash. */
export async function commitTree(git: Git, tree: string, parents: string[], message: string): Promise<string> {
  const args = ["commit-tree", "--no-gpg-sign", tree, ...parents.flatMap((parent) => ["-p", parent])];
  const signed = await git.run(args, { input: message });
  if (signed.code === 0) return signed.stdout.toString("utf8").trim();
  if (!NOBODY.test(signed.stderr)) throw new GitFailure(`git commit-tree failed: ${signed.stderr.trim()}`);
  return git.text(args, { input: message, env: FALLBACK });
}
