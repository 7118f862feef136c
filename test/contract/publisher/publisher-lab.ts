/** A repository with work on a branch, its remote, and a GitHub that knows the remote. */

import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type GitPushOptions, gitPushPublisher } from "../../../src/adapters/publish/git-push.ts";
import { type GithubOptions, githubPublisher } from "../../../src/adapters/publish/github/github-publisher.ts";
import type { LookRequest, Publisher, PublishRefusal, PublishRequest } from "../../../src/ports/publisher.ts";
import { type FakeGithub, startFakeGithub, TOKEN } from "../../fixtures/fake-github.ts";

export const KINDS = ["github", "git"] as const;
export const NOW = Date.parse("2026-03-01T12:00:00Z");
export const never = new AbortController().signal;

export interface PublisherLab {
  dir: string;
  /** The remote. */
  bare: string;
  github: FakeGithub;
  git(...args: string[]): string;
  /** A commit on the work branch, by name of the file that it writes. */
  commit(file: string): string;
  /** A publisher as a process that has just started has it. */
  fresh(kind?: (typeof KINDS)[number], options?: Partial<GithubOptions>, refs?: Partial<GitPushOptions>): Publisher;
  options(options?: Partial<GithubOptions>): GithubOptions;
  request(change?: Partial<PublishRequest>): PublishRequest;
  /** What the remote's branch stands at; null: it does not exist. */
  remoteSha(branch: string): string | null;
  /** A hook of the remote. */
  hook(name: string, script: string): void;
  /** Remembers how the remote and GitHub are now; what it answers puts them back, and the work branch to its commit. */
  mark(): () => void;
  close(): Promise<void>;
}

export async function publisherLab(): Promise<PublisherLab> {
  const place = realpathSync(mkdtempSync(join(tmpdir(), "lockstep publish ")));
  const [dir, bare] = [join(place, "work"), join(place, "remote.git")];
  mkdirSync(dir);
  execFileSync("git", ["init", "-q", "--bare", "-b", "main", bare]);
  const git = (...args: string[]): string => {
    const identity = ["-c", "user.name=A Person", "-c", "user.email=person@localhost"];
    return execFileSync("git", [...identity, ...args], {
      cwd: dir,
      encoding: "utf8",
      stdio: ["ignore", "pipe", "pipe"],
    }).trim();
  };
  git("init", "-q", "-b", "main");
  git("remote", "add", "origin", "https://github.test/acme/widgets.git");
  git("config", `url.${bare}.insteadOf`, "https://github.test/acme/widgets.git");
  const commit = (file: string): string => {
    writeFileSync(join(dir, file), `${file}\n`);
    git("add", "-A");
    git("commit", "-q", "-m", file);
    return git("rev-parse", "HEAD");
  };
  commit("first");
  git("push", "-q", "origin", "main");
  git("checkout", "-q", "-b", "work");
  const sha = commit("work");
  const github = await startFakeGithub(bare);
  const options = (change: Partial<GithubOptions> = {}): GithubOptions => ({
    ...{ dir, remote: "origin", hooks: "skip", env: { GH_ENTERPRISE_TOKEN: TOKEN }, token_env: null, repository: null },
    ...{ api_url: github.api_url, now: () => NOW, limit_ms: 2_000, retry_unit_ms: 1, is_paced: false },
    ...change,
  });
  return {
    ...{ dir, bare, github, git, commit, options },
    fresh: (kind = "github", change = {}, refs = {}) =>
      kind === "github"
        ? githubPublisher(options(change))
        : gitPushPublisher({ dir, remote: "origin", hooks: "skip", env: {}, redact: (text) => text, ...refs }),
    request: (change = {}) => ({ ...requestOf(sha), ...change }),
    remoteSha: (branch) => github.repository.shaOf(branch),
    hook: (name, script) => writeFileSync(join(bare, "hooks", name), `#!/bin/sh\n${script}\n`, { mode: 0o755 }),
    mark: () => markOf(github, (commit) => git("reset", "-q", "--hard", commit), git("rev-parse", "HEAD")),
    close: async () => {
      await github.close();
      rmSync(place, { recursive: true, force: true });
    },
  };
}

function markOf(github: FakeGithub, reset: (commit: string) => void, work: string): () => void {
  const { repository } = github;
  const { pulls, comments } = structuredClone({ pulls: repository.pulls, comments: repository.comments });
  const refs = [HEAD, "main"].map((name) => [name, repository.shaOf(name)] as const);
  return () => {
    github.forget();
    github.asked.length = 0;
    Object.assign(repository, structuredClone({ pulls, comments }), { reviews: [], checkRuns: [], statuses: [] });
    for (const [name, commit] of refs) {
      if (repository.shaOf(name) === commit) continue;
      repository.git(
        "update-ref",
        ...(commit === null ? ["-d", `refs/heads/${name}`] : [`refs/heads/${name}`, commit]),
      );
    }
    reset(work);
  };
}

export const HEAD = "lockstep/shop/login";

function requestOf(sha: string): PublishRequest {
  return {
    origin: { project: "shop", plan: "first", task: "login" },
    head: HEAD,
    base: "main",
    sha,
    ours: [],
    title: "Log in with a passkey",
    report: {
      summary: "Adds a passkey to the log-in.",
      checks: [{ name: "test", command: "npm test", passed: true, duration_ms: 12_345 }],
      cost_usd: 1.5,
      issue: "#12",
    },
    note: "Attempt 1 is offered.",
    draft: true,
    ready: false,
  };
}

export function lookOf(sha: string, number: number | null, cursor: string | null = null): LookRequest {
  return { number, head: HEAD, base: "main", sha, cursor };
}

/** The answer, where it is no refusal. */
export function unrefused<T extends object>(answer: T | PublishRefusal): T {
  if ("code" in answer) throw new Error(JSON.stringify(answer));
  return answer;
}
