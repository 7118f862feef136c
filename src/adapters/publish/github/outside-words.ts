import { z } from "zod";
import type { Looked, OutsideComment, OutsideReview, Outsider, PublishRefusal } from "../../../ports/publisher.ts";
import { isRefusal } from "../refusal.ts";
import { type Reader, readPages } from "./conditional.ts";
import { isOwn } from "./marker.ts";
import { commentSchema, reviewSchema, type WireComment, type WireReview } from "./wire.ts";

/** Longer ones are cut: GitHub's own bound for one. */
const TEXT_LENGTH_MAX = 65_536;

export interface OutsideWords {
  review: Looked["review"];
  reviews: OutsideReview[];
  comments: OutsideComment[];
}

/** What reviewers and others wrote, and what their verdicts come to. */
export async function readWords(reader: Reader, number: number): Promise<OutsideWords | PublishRefusal> {
  const reviews = await readPages(reader, {
    path: `/pulls/${number}/reviews`,
    doing: `list the reviews of pull request #${number}`,
    schema: z.array(reviewSchema),
    items: (page) => page,
    keep: (page) => page.map(({ user, state }) => ({ by: user?.login ?? "ghost", state })),
  });
  if (isRefusal(reviews)) return reviews;
  const onLines = await readComments(reader, `/pulls/${number}/comments`, number);
  if (isRefusal(onLines)) return onLines;
  const onWhole = await readComments(reader, `/issues/${number}/comments`, number);
  if (isRefusal(onWhole)) return onWhole;
  const { memory } = reader;
  return {
    review: lastWords(reviews.kept.flat()),
    // A review that is still being written is nobody's business but its author's.
    reviews: reviews.fresh
      .flat()
      .filter(({ state }) => state !== "PENDING")
      .filter(({ id, state }) => memory.tellOnce(`review ${id} ${state}`))
      .map(toldReview),
    comments: [
      ...onLines.filter(({ id }) => memory.tellOnce(`line ${id}`)),
      ...onWhole.filter(({ id }) => memory.tellOnce(`comment ${id}`)),
    ].map(toldComment),
  };
}

async function readComments(reader: Reader, path: string, number: number): Promise<WireComment[] | PublishRefusal> {
  const read = await readPages(reader, {
    path,
    doing: `list the comments on pull request #${number}`,
    schema: z.array(commentSchema),
    items: (page) => page,
    // A page that has not changed holds nothing that was not told.
    keep: () => null,
  });
  return isRefusal(read) ? read : read.fresh.flat().filter(({ body }) => !isOwn(body));
}

/** A reviewer's last verdict counts; a comment is none, and one that was dismissed does not count any more. */
function lastWords(reviews: readonly { by: string; state: string }[]): Looked["review"] {
  const last = new Map<string, string>();
  for (const { by, state } of reviews) if (VERDICTS.has(state)) last.set(by, state);
  const states = [...last.values()];
  if (states.includes("CHANGES_REQUESTED")) return "changes_requested";
  return states.includes("APPROVED") ? "approved" : "none";
}

const VERDICTS: ReadonlySet<string> = new Set(["APPROVED", "CHANGES_REQUESTED", "DISMISSED"]);

function toldReview({ id, html_url, body, user, author_association, state, commit_id }: WireReview): OutsideReview {
  const word = state.toLowerCase();
  const verdict = word === "approved" || word === "changes_requested" || word === "dismissed" ? word : "commented";
  const text = body.slice(0, TEXT_LENGTH_MAX);
  return { id, author: outsider(user, author_association), verdict, sha: commit_id ?? null, text, url: html_url };
}

function toldComment(comment: WireComment): OutsideComment {
  const { id, html_url, body, user, author_association, path, line, pull_request_review_id } = comment;
  const place = path === undefined ? null : { path, line: line ?? null, review: pull_request_review_id ?? null };
  return { id, author: outsider(user, author_association), text: body.slice(0, TEXT_LENGTH_MAX), url: html_url, place };
}

const MEMBERS: ReadonlySet<string> = new Set(["OWNER", "MEMBER", "COLLABORATOR"]);

/** Somebody who is gone is GitHub's `ghost`. */
function outsider(user: WireComment["user"], association: string | undefined): Outsider {
  return { name: user?.login ?? "ghost", is_member: MEMBERS.has(association ?? ""), is_bot: user?.type === "Bot" };
}
