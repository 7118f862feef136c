import type { CiStatus, Looked, LookRequest, PublishRefusal, PublishState } from "../../../ports/publisher.ts";
import { isRefusal } from "../refusal.ts";
import { readChecks, type SeenCheck, summarised } from "./ci.ts";
import type { GithubClient } from "./client.ts";
import { type Reader, readOnce } from "./conditional.ts";
import { LookMemory } from "./cursor.ts";
import { withExcerpts } from "./excerpts.ts";
import { readWords } from "./outside-words.ts";
import { commitSchema, type Pull, pullSchema } from "./wire.ts";

/** All that is to be known of a pull request, and what is new of it since the cursor. */
export async function lookAtPull(
  client: GithubClient,
  number: number,
  { cursor }: LookRequest,
  signal: AbortSignal,
): Promise<Looked | PublishRefusal> {
  const unread: string[] = [];
  const memory = new LookMemory(cursor);
  const reader: Reader = { client, memory, signal, unread: (sentence) => unread.push(sentence) };
  const pull = await readState(reader, number);
  if (isRefusal(pull)) return pull;
  const merged_tree = pull.merge_sha === null ? null : await readTree(reader, pull.merge_sha);
  if (isRefusal(merged_tree)) return merged_tree;
  const unreadBefore = unread.length;
  const checks = await readChecks(reader, pull.head_sha);
  if (isRefusal(checks)) return checks;
  const ci = summarised(pull.head_sha, checks, unread.length === unreadBefore);
  const words = await readWords(reader, number);
  if (isRefusal(words)) return words;
  const ended = await newlyEnded(reader, ci, checks);
  if (isRefusal(ended)) return ended;
  const { review, reviews, comments } = words;
  return { ...pull, merged_tree, ci, review, news: { ci: ended, reviews, comments }, unread, cursor: memory.cursor() };
}

export function stateOf({ state, merged_at }: Pull): PublishState {
  if (merged_at) return "merged";
  return state;
}

type State = Pick<Looked, "state" | "draft" | "head_sha" | "base" | "merge_sha" | "conflicts">;

async function readState(reader: Reader, number: number): Promise<State | PublishRefusal> {
  const keep = (pull: Pull): State => {
    const state = stateOf(pull);
    return {
      state,
      draft: pull.draft === true,
      head_sha: pull.head.sha,
      base: pull.base.ref,
      // Of an open one that is a trial merge.
      merge_sha: state === "merged" ? (pull.merge_commit_sha ?? null) : null,
      conflicts: pull.mergeable === undefined || pull.mergeable === null ? null : !pull.mergeable,
    };
  };
  const path = `/pulls/${number}`;
  const read = await readOnce(reader, {
    path,
    doing: `read pull request #${number}`,
    schema: pullSchema,
    items: () => [],
    keep,
  });
  return isRefusal(read) ? read : read.kept;
}

/** Null where GitHub does not have the commit any more. */
async function readTree(reader: Reader, sha: string): Promise<string | PublishRefusal | null> {
  const doing = "read the commit of the merge";
  const keep = ({ tree }: { tree: { sha: string } }): string => tree.sha;
  const read = await readOnce(reader, {
    path: `/git/commits/${sha}`,
    doing,
    schema: commitSchema,
    items: () => [],
    keep,
  });
  if (!isRefusal(read)) return read.kept;
  if (read.code !== "not_found") return read;
  reader.unread(read.text);
  return null;
}

/** The checks of a commit with their output, the first time that all of them have ended, and again if they end otherwise. */
async function newlyEnded(
  reader: Reader,
  ci: CiStatus,
  checks: readonly SeenCheck[],
): Promise<CiStatus | PublishRefusal | null> {
  if (ci.conclusion !== "passed" && ci.conclusion !== "failed") return null;
  if (!reader.memory.tellOnce(`ci ${ci.sha} ${ci.conclusion}`)) return null;
  if (ci.conclusion === "passed") return ci;
  const failing = await withExcerpts(reader, checks);
  return isRefusal(failing) ? failing : { ...ci, failing };
}
