/** What can be known, without asking anybody, of whether work can be published. */

import { githubRepository } from "../adapters/publish/github/repository.ts";
import { runGit } from "../adapters/publish/run-git.ts";
import type { ProjectConfig } from "../config/config.ts";

export interface PublishProblem {
  code: "publish_remote" | "publish_repository" | "publish_token";
  message: string;
  hint: string;
}

/** Where work would be published, in words, or why that cannot be. */
export async function publishPlace(
  root: string,
  { publish }: ProjectConfig,
  env: NodeJS.ProcessEnv,
): Promise<string | PublishProblem> {
  const { to, remote, token_env } = publish;
  const place = { dir: root, hooks: "skip", env: {} } as const;
  const { code, stdout } = await runGit(place, ["config", "--get", `remote.${remote}.url`], NEVER);
  if (code !== 0) {
    const hint = "Add it with `git remote add`, or set publish.remote.";
    return { code: "publish_remote", message: `the repository has no remote ${remote}`, hint };
  }
  if (to === "git") return `branches, to the remote ${remote}`;
  const found = githubRepository(stdout.trim(), publish);
  if ("code" in found) return { code: "publish_repository", message: found.text, hint: found.next };
  if (token_env !== null && !env[token_env]?.trim()) {
    const hint = `Set ${token_env}, or drop publish.token_env.`;
    return { code: "publish_token", message: `the variable ${token_env} has no token for ${found.host}`, hint };
  }
  return `pull requests of ${found.owner}/${found.repo} on ${found.host}, to the remote ${remote}`;
}

const NEVER = new AbortController().signal;
