/**
 * Where work is offered to people outside: a branch on a remote, and a pull request where the forge has them. What the
 * engine calls, in order:
 *
 *   (commit the intent: the sha joins `ours`)  publish  (commit what came back)     the same again after a crash
 *   look, now and then                                                              until it is merged or closed
 *
 *   fetch, once it says that it was merged                                          the commit, to be checked here
 *
 * All answer refusals as values, and nothing is doubled however often they are repeated: what is there is looked up first.
 */

export interface Publisher {
  /** Pushes the head and makes, or brings up to date, its one pull request and its one comment. */
  publish(request: PublishRequest, signal: AbortSignal): Promise<Published | PublishRefusal>;
  /** What became of it, and what is new since the cursor. Changes nothing outside. */
  look(request: LookRequest, signal: AbortSignal): Promise<Looked | PublishRefusal>;
  /** Brings a commit into the repository, and says whether that branch of the remote really has it. Writes no ref. */
  fetch(request: FetchRequest, signal: AbortSignal): Promise<Fetched | PublishRefusal>;
}

export interface PublishRequest {
  /** Whose pull request it is: written into a hidden marker by which it is found again. */
  origin: { project: string; plan: string; task: string };
  /** Name of the branch on the remote, without `refs/heads/`. It is lockstep's own. */
  head: string;
  /** Name of the branch that it is to be merged into. */
  base: string;
  /** The local commit that the head is to stand at. */
  sha: string;
  /** Each commit that lockstep pushed or meant to push to this head: at any other on the remote the push is refused. */
  ours: readonly string[];
  /** Of a new pull request; a person may have changed it later, so it is never written again. */
  title: string;
  report: PublishReport;
  /** Text of the one comment beside the body, in Markdown; null leaves comments alone. */
  note: string | null;
  /** A new one begins as a draft, where the forge has drafts. */
  draft: boolean;
  /** A draft is marked as ready for review. */
  ready: boolean;
}

/** What the body says, in a section of its own that is replaced in place. Texts are Markdown. */
export interface PublishReport {
  summary: string;
  checks: readonly { name: string; command: string; passed: boolean; duration_ms: number }[];
  /** US dollars of all attempts; null: nobody knows. */
  cost_usd: number | null;
  /** The issue that it is about: an address, or `#12`. */
  issue: string | null;
}

export interface FetchRequest {
  /** Name of the branch on the remote, without `refs/heads/`. */
  branch: string;
  sha: string;
}

export interface Fetched {
  /** The branch has the commit in its history. */
  holds: boolean;
}

export type PublishState = "open" | "merged" | "closed";

export interface Published {
  /** Null where the forge has no pull requests that we know of. */
  number: number | null;
  url: string | null;
  /** What the remote's branch stands at, read back after the push. */
  head_sha: string;
  state: PublishState;
  draft: boolean;
}

export type PublishRefusalCode =
  /** The credentials are missing, not accepted, or not allowed to. */
  | "forbidden"
  /** No such repository or branch, or not for these credentials: a forge does not say which. */
  | "not_found"
  /** Somebody else moved the head, or the forge is in the middle of another change. */
  | "conflict"
  /** What was asked makes no sense to the forge, or the settings name no place. */
  | "invalid"
  /** Nothing is accepted before `until`. */
  | "rate_limited"
  /** No answer, or one of a server in trouble. */
  | "unavailable"
  /** The remote took the push apart from the ref: a rule or hook of its own, or it said yes and did nothing. */
  | "rejected_push";

export interface PublishRefusal {
  code: PublishRefusalCode;
  /** What is wrong, for people. Never holds a credential. */
  text: string;
  /** What to do next, for people. */
  next: string;
  /** The same may succeed later without anyone's doing. */
  retriable: boolean;
  /** Of `rate_limited`: when it is over, milliseconds since 1970, never early; else null. */
  until: number | null;
}

export interface LookRequest {
  number: number | null;
  head: string;
  base: string;
  /** `Published.head_sha`. */
  sha: string;
  /** `Looked.cursor` of the last look whose news was committed; null at first. */
  cursor: string | null;
}

export interface Looked {
  state: PublishState;
  draft: boolean;
  head_sha: string;
  /** Name of the branch that it is to be merged into: a person may have changed it. */
  base: string;
  /** The commit by which it was merged and its tree, where they are known. */
  merge_sha: string | null;
  merged_tree: string | null;
  /** It does not merge cleanly; null: the forge has not found out. */
  conflicts: boolean | null;
  /** Of `head_sha`. */
  ci: CiStatus;
  /** By the last word of each reviewer. */
  review: "none" | "approved" | "changes_requested";
  /** Told once, if the cursor is kept: what comes from outside and is not to be trusted. */
  news: {
    /** Null unless this commit ended so for the first time: `passed` or `failed`. */
    ci: CiStatus | null;
    reviews: OutsideReview[];
    comments: OutsideComment[];
  };
  /** Sentences on what could not be read, so that it is not taken for absent. */
  unread: string[];
  /** Opaque, to be stored in one transaction with the news. */
  cursor: string;
}

export interface CiStatus {
  sha: string;
  /** `none`: nothing reported yet; `unknown`: nothing failed, and not all could be read. */
  conclusion: "none" | "pending" | "passed" | "failed" | "unknown";
  /** How many checks reported. */
  total: number;
  failing: FailingCheck[];
}

/** A check of the forge's that failed. Every text is from outside. */
export interface FailingCheck {
  name: string;
  /** In the forge's word, such as `failure` or `timed_out`. */
  conclusion: string;
  url: string | null;
  /** The end of its log, or what it said of itself; null where nothing is to be had. Only in news. */
  excerpt: string | null;
}

export interface OutsideReview {
  id: number;
  author: Outsider;
  verdict: "approved" | "changes_requested" | "commented" | "dismissed";
  /** The commit that was looked at. */
  sha: string | null;
  text: string;
  url: string;
}

export interface OutsideComment {
  id: number;
  author: Outsider;
  text: string;
  url: string;
  /** The place that it is about; null for the whole. */
  place: { path: string; line: number | null; review: number | null } | null;
}

export interface Outsider {
  name: string;
  /** May write to the repository, or belongs to its owner. */
  is_member: boolean;
  is_bot: boolean;
}
