import { Octokit } from "@octokit/core";
import { retry } from "@octokit/plugin-retry";
import { throttling } from "@octokit/plugin-throttling";
import type { PublishRefusal } from "../../../ports/publisher.ts";
import { LATER, refusal } from "../refusal.ts";
import { apiRefusal, type Failed } from "./api-refusal.ts";
import { boundedFetch, endFetch } from "./bounded-fetch.ts";
import type { GithubRepository } from "./repository.ts";

/** GitHub itself gives up after ten seconds. */
const LIMIT_MS = 30_000;
const LOG_LIMIT_MS = 60_000;

/** After 1 and 4 s; what lasts longer is for whoever asked to wait for. */
const RETRIES = 2;
const RETRY_UNIT_MS = 1_000;

/** Refusals that the same request meets again, and limits, of which the caller is told until when they last. */
const DO_NOT_RETRY = [400, 401, 403, 404, 405, 406, 409, 410, 413, 415, 422, 429, 451];

export interface ClientOptions {
  repository: GithubRepository;
  token: string;
  /** Milliseconds since 1970. */
  now(): number;
  limit_ms?: number;
  retry_unit_ms?: number;
  /** A second between what writes and three between what notifies people, as GitHub asks (true). */
  is_paced?: boolean;
}

export interface Ask {
  method: "GET" | "POST" | "PATCH";
  /** Below `/repos/OWNER/REPO`, or a whole address. */
  path: string;
  /** As in `GitHub did not <doing>`. */
  doing: string;
  body?: Record<string, unknown>;
  etag?: string | undefined;
  /** Of a log: only so many bytes of its end. */
  end_bytes?: number;
}

/** `data` is not parsed yet; null for 304. */
export type Answer =
  | { status: number; data: unknown; etag: string | null }
  /** `status` null: there was no answer, and it is not known whether it was done. */
  | { refused: PublishRefusal; status: number | null; message: string };

export interface GithubClient {
  repository: GithubRepository;
  /** Answers failures as values. What is not repeatable (POST) is sent once. */
  ask(ask: Ask, signal: AbortSignal): Promise<Answer>;
}

/** The API of one repository. After a limit was met it refuses at once, without asking, until that is over. */
export function githubClient(options: ClientOptions): GithubClient {
  const { repository, token, now } = options;
  const octokit = connect(options);
  const base = `${repository.api_url}/repos/${repository.owner}/${repository.repo}`;
  let limited: PublishRefusal | null = null;
  const ask = async (wish: Ask, signal: AbortSignal): Promise<Answer> => {
    if (limited?.until && now() < limited.until) return { refused: limited, status: 429, message: limited.text };
    const url = /^https?:/.test(wish.path) ? wish.path : base + wish.path;
    try {
      return await unlessAborted(send(octokit, { ...wish, path: url }, signal, options), signal);
    } catch (error) {
      if (signal.aborted) return brokenOff(wish);
      const failed = failedOf(error, token);
      if (failed.status === 304) return { status: 304, data: null, etag: wish.etag ?? null };
      const refused = apiRefusal(failed, { doing: wish.doing, ...repository }, now());
      if (refused.code === "rate_limited") limited = refused;
      return { refused, status: failed.status, message: failed.message };
    }
  };
  return { repository, ask };
}

async function send(octokit: Octokit, wish: Ask, signal: AbortSignal, options: ClientOptions): Promise<Answer> {
  const { data, headers, status } = await octokit.request({
    method: wish.method,
    // What stands in it is encoded already, and braces in names of branches are no template.
    url: wish.path.replaceAll("{", "%7B").replaceAll("}", "%7D"),
    ...(wish.body === undefined ? {} : { data: wish.body }),
    headers: {
      "x-github-api-version": "2022-11-28",
      ...(wish.etag === undefined ? {} : { "if-none-match": wish.etag }),
    },
    request: {
      signal,
      // Only said where it is none: the plugin takes a number here for a wish to try again whatever was answered.
      ...(wish.method === "POST" ? { retries: 0 } : {}),
      ...(wish.end_bytes === undefined ? {} : { fetch: endFetch(options.limit_ms ?? LOG_LIMIT_MS, wish.end_bytes) }),
    },
  });
  return { status, data, etag: headers.etag ?? null };
}

const quiet = (): void => undefined;
const SILENT = { debug: quiet, info: quiet, warn: quiet, error: quiet };

/** Lets everything through at once, for a server that asks for no pauses. */
const UNPACED = { key: () => ({ schedule: (_options: unknown, job: () => unknown) => job() }) };

function connect({ repository, token, limit_ms, retry_unit_ms, is_paced }: ClientOptions): Octokit {
  const Client = Octokit.plugin(retry, throttling);
  const unpaced = is_paced === false ? { write: UNPACED as never, notifications: UNPACED as never } : {};
  return new Client({
    auth: token,
    baseUrl: repository.api_url,
    userAgent: "lockstep",
    log: SILENT,
    request: { fetch: boundedFetch(limit_ms ?? LIMIT_MS), log: SILENT },
    retry: { doNotRetry: DO_NOT_RETRY, retries: RETRIES, retryAfterBaseValue: retry_unit_ms ?? RETRY_UNIT_MS },
    // A limit is not waited for here: who asked is told until when it lasts, and may be gone by then.
    throttle: { onRateLimit: quiet, onSecondaryRateLimit: quiet, id: repository.api_url, ...unpaced },
  });
}

/** Pauses between tries do not hear the signal, so that nobody waits for their end. */
async function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  let leave = (): void => undefined;
  const aborted = new Promise<never>((_resolve, reject) => {
    leave = () => reject(new Error("broken off"));
    signal.addEventListener("abort", leave, { once: true });
    if (signal.aborted) leave();
  });
  try {
    return await Promise.race([work, aborted]);
  } finally {
    signal.removeEventListener("abort", leave);
  }
}

/** Octokit calls an answer that never came a 500; what it throws without any request is a bug of ours, and goes on. */
function failedOf(error: unknown, token: string): Failed {
  const thrown = error as Error & { status?: number; response?: { status?: number; headers?: Failed["headers"] } };
  const { response } = thrown;
  if (thrown.name !== "HttpError" && response === undefined) throw error;
  const message = thrown.message.replaceAll(token, "[redacted]");
  return { status: response?.status ?? null, message, headers: response?.headers ?? {} };
}

function brokenOff({ doing }: Ask): Answer {
  const text = `It was broken off before GitHub could ${doing}.`;
  return { refused: refusal("unavailable", text, LATER), status: null, message: text };
}
