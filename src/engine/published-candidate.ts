/** What a landing has to do with work that was published before: nothing of it is built again. */

import type { Publication } from "../core/task/publication.ts";
import type { TaskRecord } from "../ports/store.ts";
import type { Candidate, Preparing } from "../ports/workspace.ts";
import { jobsOf } from "./landing-checks.ts";
import { landingCommit } from "./landing-message.ts";
import type { Landing } from "./landing-work.ts";
import { type NotPublished, notPublished, publisherOf } from "./publish.ts";
import type { CheckJob } from "./run-check.ts";

/**
 * The candidate to be offered once more, or the one that people merged, brought here; null where the work of this attempt
 * was never published.
 */
export async function publishedCandidate(
  landing: Landing,
  preparing: Preparing,
): Promise<Candidate | NotPublished | null> {
  const { record, target, dir } = landing;
  const { publication, attempts } = record.row;
  if (publication?.attempt !== attempts) return null;
  if (publication.stage === "merged") return mergedCandidate(landing, publication, preparing);
  const { sha, tip, tree } = publication;
  // A revision of the plan may ask for more than was green then.
  if (jobsToRun(record, tree).length > 0) return null;
  return { target, tip, commit: sha, tree, changed: [], dir };
}

/** The forge's word is that it was merged: the commit itself has to be on the branch, and is checked like any other. */
async function mergedCandidate(
  landing: Landing,
  { merge_sha, merged_into }: Publication,
  preparing: Preparing,
): Promise<Candidate | NotPublished> {
  const { context, record, target, place, signal } = landing;
  if (merge_sha === null || merged_into === null) return said("the forge names no commit by which it was merged");
  const fetched = await publisherOf(context).fetch({ branch: merged_into, sha: merge_sha }, signal);
  if ("code" in fetched) return notPublished(fetched);
  if (!fetched.holds)
    return said(`the forge says that it was merged as ${merge_sha}, and ${merged_into} does not have that`);
  const candidate = await context.workspace.takeIn({
    ...{ ...place, target, commit: merge_sha, ...landingCommit(landing) },
    ...{ clean: record.definition.clean, ...preparing },
  });
  return "code" in candidate ? said(candidate.text) : candidate;
}

/** What a forge says in one moment may be otherwise in the next. */
function said(text: string): NotPublished {
  return { cause: "publish_refused", text, later: { until: null } };
}

/** The task's checks without those that were green on this very tree when the same work was published. */
export function jobsToRun(record: TaskRecord, tree: string | null): CheckJob[] {
  const { publication, attempts } = record.row;
  const isSame = tree !== null && publication?.attempt === attempts && publication.tree === tree;
  const passed = isSame ? publication.passed : [];
  return jobsOf(record).filter(({ kind, run }) => !passed.includes(`${kind} ${run}`));
}
