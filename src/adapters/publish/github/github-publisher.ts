import { invariant } from "../../../core/assert.ts";
import type {
  Fetched,
  FetchRequest,
  Looked,
  LookRequest,
  Published,
  Publisher,
  PublishRefusal,
  PublishRequest,
} from "../../../ports/publisher.ts";
import { fetchMerged } from "../fetch-merged.ts";
import { pushHead } from "../push-head.ts";
import { isRefusal, refusal } from "../refusal.ts";
import type { Remote } from "../remote.ts";
import { runGit } from "../run-git.ts";
import { type ClientOptions, type GithubClient, githubClient } from "./client.ts";
import { keepComment } from "./comment.ts";
import { lookAtPull, stateOf } from "./look.ts";
import { findPull, markReady, pullRequestOf, readPull } from "./pull-request.ts";
import { withToken } from "./push-credentials.ts";
import { githubRepository, type RepositorySettings } from "./repository.ts";
import { githubToken } from "./token.ts";
import type { Pull } from "./wire.ts";

export interface GithubOptions
  extends RepositorySettings,
    Pick<ClientOptions, "now" | "limit_ms" | "retry_unit_ms" | "is_paced"> {
  /** Absolute path of a checkout of the repository. */
  dir: string;
  /** Name of the remote. */
  remote: string;
  hooks: "run" | "skip";
  /** Where the token and `gh` are looked for: lockstep's own environment. */
  env: Readonly<Record<string, string | undefined>>;
  /** Name of the variable that has the token, if it is another than the usual ones. */
  token_env: string | null;
}

interface Connection {
  client: GithubClient;
  /** By the credentials that git has; and by the token, for where those are not enough. */
  remotes: Remote[];
}

/** Pull requests on GitHub, github.com or a server of one's own. The token is read when it is first needed. */
export function githubPublisher(options: GithubOptions): Publisher {
  let connection: Connection | null = null;
  const connected = async (signal: AbortSignal): Promise<Connection | PublishRefusal> => {
    if (connection !== null) return connection;
    const made = await connect(options, signal);
    if (!isRefusal(made)) connection = made;
    return made;
  };
  /** A token that is not accepted any more is looked for anew next time. */
  const forgetful = <T extends object>(answer: T): T => {
    if (isRefusal(answer) && answer.code === "forbidden") connection = null;
    return answer;
  };
  return {
    publish: async (request, signal): Promise<Published | PublishRefusal> => {
      const made = await connected(signal);
      return isRefusal(made) ? made : forgetful(await publish(made, request, signal));
    },
    look: async (request: LookRequest, signal): Promise<Looked | PublishRefusal> => {
      if (request.number === null)
        return refusal("invalid", "There is no pull request to look at.", "Publish the work first.");
      const made = await connected(signal);
      return isRefusal(made) ? made : forgetful(await lookAtPull(made.client, request.number, request, signal));
    },
    fetch: async (request: FetchRequest, signal): Promise<Fetched | PublishRefusal> => {
      const made = await connected(signal);
      if (isRefusal(made)) return made;
      return forgetful(await byRemotes(made.remotes, (remote) => fetchMerged(remote, request, signal)));
    },
  };
}

/**
 * The push comes before the pull request, which is of a branch that exists; but one that has ended with this very commit,
 * unnoticed, is left as it is, and its branch with it.
 */
async function publish(
  { client, remotes }: Connection,
  request: PublishRequest,
  signal: AbortSignal,
): Promise<Published | PublishRefusal> {
  const before = await findPull(client, request, signal);
  if (isRefusal(before)) return before;
  if (before?.state === "closed") return published(before, request.sha);
  const head_sha = await byRemotes(remotes, (remote) => pushHead(remote, request, signal));
  if (isRefusal(head_sha)) return head_sha;
  const pull = await pullRequestOf(client, request, signal);
  if (isRefusal(pull)) return pull;
  if (pull.state === "open") {
    const { note } = request;
    const refused = note === null ? null : await keepComment(client, pull.number, { ...request, note }, signal);
    if (refused !== null) return refused;
    const unready = request.ready && pull.draft === true ? await markReady(client, pull, signal) : null;
    if (unready !== null) return unready;
  }
  const seen = await readPull(client, pull.number, signal);
  return isRefusal(seen) ? seen : published(seen, head_sha);
}

/** By git's own credentials; by the token only where those are refused. */
async function byRemotes<T>(
  remotes: Remote[],
  act: (remote: Remote) => Promise<T | PublishRefusal>,
): Promise<T | PublishRefusal> {
  let last: T | PublishRefusal | null = null;
  for (const remote of remotes) {
    last = await act(remote);
    if (!isRefusal(last) || last.code !== "forbidden") return last;
  }
  invariant(last !== null, "there is a remote");
  return last;
}

function published(pull: Pull, head_sha: string): Published {
  return { number: pull.number, url: pull.html_url, head_sha, state: stateOf(pull), draft: pull.draft === true };
}

async function connect(options: GithubOptions, signal: AbortSignal): Promise<Connection | PublishRefusal> {
  const place = { dir: options.dir, hooks: options.hooks, env: {} };
  const repository = await repositoryOf(options, signal);
  if (isRefusal(repository)) return repository;
  const token = await githubToken({ env: options.env, token_env: options.token_env, host: repository.host });
  if (isRefusal(token)) return token;
  const redact = (text: string): string => text.replaceAll(token, "[redacted]").replaceAll(/\/\/[^/@\s]*@/g, "//");
  const remote = { ...place, remote: options.remote, redact };
  const remotes = [remote, { ...remote, env: withToken(repository.host, token) }];
  return { client: githubClient({ ...options, repository, token }), remotes };
}

/** The address as it is written names the repository; where it is short for another, what git makes of it. */
async function repositoryOf(options: GithubOptions, signal: AbortSignal): Promise<ReturnType<typeof githubRepository>> {
  const place = { dir: options.dir, hooks: options.hooks, env: {} };
  const written = await runGit(place, ["config", "--get", `remote.${options.remote}.url`], signal);
  if (written.code !== 0) {
    const next = "Add it with `git remote add`, or set publish.remote.";
    return refusal("invalid", `The repository has no remote ${options.remote}.`, next);
  }
  const repository = githubRepository(written.stdout.trim(), options);
  if (!isRefusal(repository)) return repository;
  const meant = await runGit(place, ["remote", "get-url", options.remote], signal);
  const second = meant.code === 0 ? githubRepository(meant.stdout.trim(), options) : repository;
  return isRefusal(second) ? repository : second;
}
