import type { PublishRefusal } from "../../../ports/publisher.ts";
import { isRefusal, refusal } from "../refusal.ts";

/** A repository on GitHub, and where its API is. */
export interface GithubRepository {
  host: string;
  owner: string;
  repo: string;
  /** Address of the REST API, without a slash at its end. */
  api_url: string;
}

export interface RepositorySettings {
  /** `OWNER/REPO`, where the remote's address does not say it. */
  repository: string | null;
  /** Address of the API of a GitHub that is neither github.com nor below ghe.com. */
  api_url: string | null;
}

const OWNER = "[A-Za-z0-9](?:[A-Za-z0-9_-]{0,99})";
const REPO = "[A-Za-z0-9._-]{1,100}";
const PATH = new RegExp(`^/?(${OWNER})/(${REPO})$`);

/** Reads a remote's address: `https://HOST/OWNER/REPO`, `ssh://git@HOST/OWNER/REPO` or `git@HOST:OWNER/REPO`, with or without `.git`. */
export function githubRepository(url: string, settings: RepositorySettings): GithubRepository | PublishRefusal {
  const place = placeOf(url);
  if (place === null && (settings.repository === null || settings.api_url === null)) {
    return refusal(
      "invalid",
      `The remote's address ${withoutPassword(url)} names no repository of GitHub.`,
      "Point the remote at https://github.com/OWNER/REPO, or set publish.repository and publish.api_url.",
    );
  }
  const [, owner, repo] = PATH.exec(settings.repository ?? withoutSuffix(place?.path ?? "")) ?? [];
  if (owner === undefined || repo === undefined || /^\.+$/.test(repo)) {
    const named = settings.repository ?? withoutPassword(url);
    return refusal(
      "invalid",
      `${named} does not name a repository as OWNER/REPO.`,
      "Set publish.repository to OWNER/REPO.",
    );
  }
  const api = settings.api_url === null ? apiOf(place?.host ?? "") : checkedApi(settings.api_url);
  if (isRefusal(api)) return api;
  return { host: place?.host ?? new URL(api).host, owner, repo, api_url: api };
}

function placeOf(url: string): { host: string; path: string } | null {
  if (/^[a-z+]+:\/\//i.test(url)) {
    const parsed = URL.canParse(url) ? new URL(url) : null;
    if (parsed === null || !["https:", "http:", "ssh:", "git+ssh:"].includes(parsed.protocol)) return null;
    // `ssh.github.com:443` is GitHub's door for who cannot leave by port 22.
    const host = parsed.protocol.endsWith("ssh:") ? parsed.hostname.replace(/^ssh\./, "") : parsed.host;
    return parsed.search || parsed.hash ? null : { host: host.toLowerCase(), path: parsed.pathname };
  }
  const [, host, path] = /^(?:[^@/:]+@)?([A-Za-z0-9.-]+):(?!\/\/)([^:\\]+)$/.exec(url) ?? [];
  // One letter before a colon is a drive.
  return host === undefined || path === undefined || host.length === 1 ? null : { host: host.toLowerCase(), path };
}

function withoutSuffix(path: string): string {
  return path.replace(/\/$/, "").replace(/\.git$/, "");
}

function apiOf(host: string): string | PublishRefusal {
  if (host === "github.com" || host === "www.github.com") return "https://api.github.com";
  if (/^[a-z0-9-]+\.ghe\.com$/.test(host)) return `https://api.${host}`;
  return refusal(
    "invalid",
    `Nothing says that ${host} is a GitHub.`,
    `If it is a GitHub Enterprise Server, set publish.api_url: https://${host}/api/v3; else set publish.to: git.`,
  );
}

function checkedApi(written: string): string | PublishRefusal {
  const url = URL.canParse(written) ? new URL(written) : null;
  const isSafe = url?.protocol === "https:" || (url?.protocol === "http:" && isLoopback(url.hostname));
  if (url === null || !isSafe || url.username !== "" || url.search !== "" || url.hash !== "") {
    const next = "Write it as https://HOST/api/v3: a token is not sent without encryption.";
    return refusal("invalid", `publish.api_url is not the address of an API: ${withoutPassword(written)}`, next);
  }
  return url.href.replace(/\/+$/, "");
}

export function isLoopback(hostname: string): boolean {
  return hostname === "localhost" || hostname === "[::1]" || /^127\./.test(hostname);
}

function withoutPassword(url: string): string {
  return url.replace(/\/\/[^/@]*@/, "//");
}
