/** What is wrong with where work is to be published. */

import { hasOwnBranch } from "../core/plan/definition.ts";
import { type Finding, quoted } from "../plan-file/finding.ts";
import { type ProjectKind, WORKSPACE_MODE_DEFAULTS } from "./availability.ts";
import type { WrittenConfig } from "./config-schema.ts";

const VARIABLE = /^[A-Za-z_][A-Za-z0-9_]*$/;
const REMOTE = /^(?!-)[A-Za-z0-9][A-Za-z0-9._/-]*$/;
const REPOSITORY = /^[A-Za-z0-9][A-Za-z0-9_-]*\/(?!\.+$)[A-Za-z0-9._-]+$/;

/** All problems at once. */
export function publishProblems({ land, publish, workspace }: WrittenConfig, kind: ProjectKind): Finding[] {
  const mode = workspace?.mode ?? WORKSPACE_MODE_DEFAULTS[kind];
  const found: Finding[] = [];
  const say = (path: string[], message: string): void => void found.push({ path, message });
  if (land?.mode === "pr" && !hasOwnBranch(mode))
    say(["land", "mode"], `pull requests need the workspace mode worktree or clone, and this is ${mode}`);
  if (land?.mode === "off" && !hasOwnBranch(mode))
    say(
      ["land", "mode"],
      `only in the workspace modes worktree and clone can work be kept without landing, and this is ${mode}`,
    );
  if (land?.mode === "pr" && land.base !== undefined && land.target === land.base)
    say(["land", "target"], "must be another branch than land.base: pull requests are merged into that one");
  if (publish === undefined) return found;
  const { to = "github", remote, token_env, api_url, repository } = publish;
  if (remote !== undefined && !REMOTE.test(remote))
    say(["publish", "remote"], `${quoted(remote)} cannot be the name of a remote`);
  if (token_env !== undefined && !VARIABLE.test(token_env))
    say(
      ["publish", "token_env"],
      `${quoted(token_env)} cannot be the name of a variable: write its name, never the token`,
    );
  if (api_url !== undefined && !isApi(api_url))
    say(
      ["publish", "api_url"],
      "must be an address such as https://HOST/api/v3: a token is not sent without encryption",
    );
  if (repository !== undefined && !REPOSITORY.test(repository))
    say(["publish", "repository"], `${quoted(repository)} does not name a repository as OWNER/REPO`);
  const alone = to === "git" ? Object.entries({ token_env, api_url, repository }) : [];
  for (const [key, value] of alone)
    if (value !== undefined)
      found.push({ path: ["publish", key], atKey: true, message: `only to: github has the key ${key}` });
  return found;
}

/** A loopback address is for trials. */
function isApi(written: string): boolean {
  const url = URL.canParse(written) ? new URL(written) : null;
  if (url === null || url.username !== "" || url.search !== "" || url.hash !== "") return false;
  return (
    url.protocol === "https:" || (url.protocol === "http:" && /^(localhost|\[::1\]|127\.[\d.]+)$/.test(url.hostname))
  );
}
