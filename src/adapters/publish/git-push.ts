import type { Looked, LookRequest, Published, Publisher, PublishRefusal } from "../../ports/publisher.ts";
import { fetchBranch, fetchMerged } from "./fetch-merged.ts";
import { pushHead } from "./push-head.ts";
import { isRefusal, LATER, refusal } from "./refusal.ts";
import { type Remote, remoteRefs } from "./remote.ts";
import { runGit } from "./run-git.ts";

export interface GitPushOptions extends Remote {
  /**
   * Whether a target's commit has the work of the head's commit. Both are in the repository. Unless given: the head's
   * commit is in the target's history, which is blind for squashed and rebased work.
   */
  holds?(target: string, sha: string): Promise<boolean>;
}

/** For a forge whose requests are not known: pushes the head, and reads from the refs what became of it. */
export function gitPushPublisher(options: GitPushOptions): Publisher {
  return {
    publish: async (request, signal): Promise<Published | PublishRefusal> => {
      const head_sha = await pushHead(options, request, signal);
      if (isRefusal(head_sha)) return head_sha;
      return { number: null, url: null, head_sha, state: "open", draft: false };
    },
    look: (request, signal) => look(options, request, signal),
    fetch: (request, signal) => fetchMerged(options, request, signal),
  };
}

async function look(
  options: GitPushOptions,
  request: LookRequest,
  signal: AbortSignal,
): Promise<Looked | PublishRefusal> {
  const [head, base] = [`refs/heads/${request.head}`, `refs/heads/${request.base}`];
  const refs = await remoteRefs(options, [head, base], signal);
  if (isRefusal(refs)) return refs;
  const tip = refs.shas[base];
  if (tip === undefined) {
    const next = "Name a branch that the remote has, or push it.";
    return refusal("not_found", `The remote ${options.remote} has no branch ${request.base}.`, next);
  }
  const head_sha = refs.shas[head] ?? request.sha;
  // A tip that was looked at is not fetched again, as long as the head is the same.
  const cursor = `${tip} ${head_sha}`;
  const merged = request.cursor === cursor ? false : await isMerged(options, { base, tip, head_sha }, signal);
  if (isRefusal(merged)) return merged;
  const state = merged ? "merged" : refs.shas[head] === undefined ? "closed" : "open";
  return {
    ...NOTHING_KNOWN,
    state,
    head_sha,
    base: request.base,
    merge_sha: merged ? tip : null,
    merged_tree: merged ? await treeOf(options, tip, signal) : null,
    ci: { sha: head_sha, conclusion: "none", total: 0, failing: [] },
    // Merged is said as often as it is asked.
    cursor: merged ? "" : cursor,
  };
}

const NOTHING_KNOWN = {
  draft: false,
  conflicts: null,
  review: "none",
  news: { ci: null, reviews: [], comments: [] },
  unread: [],
} as const satisfies Partial<Looked> as Pick<Looked, "draft" | "conflicts" | "review" | "news" | "unread">;

async function isMerged(
  options: GitPushOptions,
  { base, tip, head_sha }: { base: string; tip: string; head_sha: string },
  signal: AbortSignal,
): Promise<boolean | PublishRefusal> {
  const fetched = await fetchBranch(options, base, signal);
  if (fetched !== null) return fetched;
  if (options.holds !== undefined) return options.holds(tip, head_sha);
  const { code, stderr } = await runGit(options, ["merge-base", "--is-ancestor", head_sha, tip], signal);
  if (code === 0 || code === 1) return code === 0;
  // Somebody else's head that was never fetched, or a tip that moved between the two questions.
  return /Not a valid (object|commit) name/.test(stderr) ? false : refusal("unavailable", stderr.trim(), LATER);
}

async function treeOf(options: GitPushOptions, commit: string, signal: AbortSignal): Promise<string | null> {
  const { code, stdout } = await runGit(options, ["rev-parse", "-q", "--verify", `${commit}^{tree}`], signal);
  return code === 0 ? stdout.trim() : null;
}
