import type { Fetched, FetchRequest, PublishRefusal } from "../../ports/publisher.ts";
import { isRefusal, LATER, refusal } from "./refusal.ts";
import { type Remote, remoteRefs, remoteRefusal } from "./remote.ts";
import { runGit } from "./run-git.ts";

/** Nothing but objects comes: no ref and no FETCH_HEAD of the user's is written. */
const QUIET = ["fetch", "--quiet", "--no-tags", "--no-write-fetch-head", "--no-auto-gc", "--recurse-submodules=no"];

/** Brings the objects of a remote's branch into the repository. */
export async function fetchBranch(remote: Remote, branch: string, signal: AbortSignal): Promise<PublishRefusal | null> {
  const { code, stderr } = await runGit(remote, [...QUIET, "--refmap=", remote.remote, branch], signal);
  return code === 0 ? null : remoteRefusal(remote, stderr);
}

/** See `Publisher.fetch`. */
export async function fetchMerged(
  remote: Remote,
  { branch, sha }: FetchRequest,
  signal: AbortSignal,
): Promise<Fetched | PublishRefusal> {
  const ref = `refs/heads/${branch}`;
  const fetched = await fetchBranch(remote, ref, signal);
  if (fetched !== null) return fetched;
  const refs = await remoteRefs(remote, [ref], signal);
  if (isRefusal(refs)) return refs;
  const tip = refs.shas[ref];
  if (tip === undefined) return { holds: false };
  const { code, stderr } = await runGit(remote, ["merge-base", "--is-ancestor", sha, tip], signal);
  if (code === 0 || code === 1) return { holds: code === 0 };
  // A tip that moved between the two questions is not here yet; a commit that the branch never had does not come at all.
  const isTipHere = (await runGit(remote, ["cat-file", "-e", `${tip}^{commit}`], signal)).code === 0;
  return isTipHere ? { holds: false } : refusal("unavailable", stderr.trim(), LATER);
}
