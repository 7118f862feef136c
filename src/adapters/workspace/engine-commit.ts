import { type CommitStyle, MachineTrouble } from "../../ports/workspace.ts";
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

/** What git says when a signature is wanted and cannot be made. */
const UNSIGNED = /gpg failed to sign|failed to write commit object|signing failed|cannot run gpg|user\.signingkey/i;

/** Makes a commit without moving anything, under the configured identity or lockstep's own. Gives its hash. */
export async function commitTree(
  git: Git,
  tree: string,
  parents: string[],
  message: string,
  { author, sign }: CommitStyle = PLAIN_STYLE,
): Promise<string> {
  const args = ["commit-tree", sign ? "-S" : "--no-gpg-sign", tree, ...parents.flatMap((parent) => ["-p", parent])];
  const by = author === null ? {} : { GIT_AUTHOR_NAME: author.name, GIT_AUTHOR_EMAIL: author.email };
  const { code, stdout, stderr } = await runSigned(git, args, { input: message, env: by });
  // A key that is locked or missing is nobody's work.
  if (code !== 0 && sign && UNSIGNED.test(stderr))
    throw new MachineTrouble(`land.sign is set, and git cannot sign: ${stderr.trim()}`);
  if (code !== 0) throw new GitFailure(`git commit-tree failed: ${stderr.trim()}`);
  return stdout.toString("utf8").trim();
}

const PLAIN_STYLE: CommitStyle = { author: null, sign: false };

/** Runs what git does only under somebody's name: the configured one, or lockstep's own where nobody is configured. */
export async function runSigned(
  git: Git,
  args: string[],
  options: { input?: string; env?: Record<string, string> } = {},
): Promise<GitResult> {
  const signed = await git.run(args, options);
  const isNobody = signed.code !== 0 && NOBODY.test(signed.stderr);
  return isNobody ? git.run(args, { ...options, env: { ...FALLBACK, ...options.env } }) : signed;
}
