import { type Git, GitFailure, type GitResult } from "./git.ts";

/** Who signs where the user's configuration names nobody. */
const FALLBACK = {
  GIT_AUTHOR_NAME: "lockstep",
  GIT_AUTHOR_EMAIL: "lockstep@localhost",
  GIT_COMMITTER_NAME: "lockstep",
  GIT_COMMITTER_EMAIL: "lockstep@localhost",
};

/** What git says when no identity is configured and it may not guess one (`user.useConfigOnly`). */
const NOBODY = /auto-detection is disabled|empty ident|unable to auto-detect|identity unknown/i;

/** Makes a commit without moving anything, under the configured identity or lockstep's own. Gives its hash. */
export async function commitTree(git: Git, tree: string, parents: string[], message: string): Promise<string> {
  const args = ["commit-tree", "--no-gpg-sign", tree, ...parents.flatMap((parent) => ["-p", parent])];
  const { code, stdout, stderr } = await runSigned(git, args, { input: message });
  if (code !== 0) throw new GitFailure(`git commit-tree failed: ${stderr.trim()}`);
  return stdout.toString("utf8").trim();
}

/** Runs what git does only under somebody's name: the configured one, or lockstep's own where nobody is configured. */
export async function runSigned(git: Git, args: string[], options: { input?: string } = {}): Promise<GitResult> {
  const signed = await git.run(args, options);
  return signed.code !== 0 && NOBODY.test(signed.stderr) ? git.run(args, { ...options, env: FALLBACK }) : signed;
}
