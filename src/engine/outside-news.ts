/** What people and machines outside said of a pull request, as the next brief tells it: every word of theirs is marked. */

import { wrapUntrusted } from "../core/policy/untrusted.ts";
import type { Heard } from "../core/task/commands/publications.ts";
import type { Publication } from "../core/task/publication.ts";
import { publicationName } from "../core/task/publication.ts";
import type { CiStatus, Looked, OutsideComment, OutsideReview } from "../ports/publisher.ts";

/** Texts of outsiders in one brief, and characters of each: a reader needs the first failures, not all of them. */
const TEXTS_MAX = 8;
const TEXT_LENGTH_MAX = 3_000;

/** What a look means for its task. An end counts before all else; what members ask for before what CI found. */
export function heardIn(looked: Looked, publication: Publication): Heard {
  if (looked.state === "merged" && looked.merge_sha !== null)
    return { kind: "merged", sha: looked.merge_sha, into: looked.base };
  if (looked.state === "closed") return { kind: "closed" };
  if (looked.state === "merged") return { kind: "nothing" };
  const { reviews, comments, ci } = looked.news;
  const asked = reviews.filter(({ verdict, author }) => verdict === "changes_requested" && author.is_member);
  const red = ci?.conclusion === "failed" && ci.sha === publication.sha ? ci : null;
  const name = publicationName(publication);
  if (asked.length > 0) {
    const texts = [...asked.map(reviewText), ...comments.filter(isOfMember).map(commentText)];
    const rest = red === null ? [] : failingTexts(red);
    return { kind: "changes_requested", text: told(`${name}: changes are asked for.`, [...texts, ...rest]) };
  }
  if (red === null) return { kind: "nothing" };
  return { kind: "ci_failed", text: told(`${name}: its forge's checks failed.`, failingTexts(red)) };
}

function told(first: string, texts: readonly string[]): string {
  const left = texts.length - TEXTS_MAX;
  const more = left > 0 ? [`${left} more texts are not shown here.`] : [];
  return [first, ...texts.slice(0, TEXTS_MAX), ...more].join("\n\n");
}

function isOfMember({ author }: OutsideComment): boolean {
  return author.is_member;
}

function reviewText({ author, text }: OutsideReview): string {
  return wrapUntrusted(`review by ${author.name}`, text.trim() === "" ? "(no words)" : text, TEXT_LENGTH_MAX);
}

function commentText({ author, text, place }: OutsideComment): string {
  const where = place === null ? "" : ` on ${place.path}${place.line === null ? "" : `:${place.line}`}`;
  return wrapUntrusted(`comment by ${author.name}${where}`, text, TEXT_LENGTH_MAX);
}

function failingTexts({ failing }: CiStatus): string[] {
  return failing.map(({ name, conclusion, excerpt }) =>
    wrapUntrusted(`check ${name}, ended as ${conclusion}`, excerpt ?? "(its log cannot be read)", TEXT_LENGTH_MAX),
  );
}
