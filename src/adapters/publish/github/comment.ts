import type { PublishRefusal, PublishRequest } from "../../../ports/publisher.ts";
import { isRefusal, LATER, refusal } from "../refusal.ts";
import { commentOf } from "./body.ts";
import type { GithubClient } from "./client.ts";
import { eachPage } from "./each-page.ts";
import { markerOf } from "./marker.ts";
import { commentSchema, parsed, type WireComment } from "./wire.ts";

/** Whoever copies the marker makes one more that is not ours; more of them are not tried. */
const CANDIDATES_MAX = 5;

/** Brings the one comment of a pull request up to date, or makes it. Null: it says what it should. */
export async function keepComment(
  client: GithubClient,
  number: number,
  { origin, note }: PublishRequest & { note: string },
  signal: AbortSignal,
): Promise<PublishRefusal | null> {
  const marker = markerOf(origin);
  const body = commentOf(marker, note);
  const find = () => ownComments(client, number, marker.begin, signal);
  const found = await find();
  if (isRefusal(found)) return found;
  for (const comment of found.slice(0, CANDIDATES_MAX)) {
    if (comment.body === body) return null;
    const doing = `bring the comment on pull request #${number} up to date`;
    const answer = await client.ask(
      { method: "PATCH", path: `/issues/comments/${comment.id}`, doing, body: { body } },
      signal,
    );
    if (!("refused" in answer)) return unlessWritten(answer.data, body, doing);
    if (!(await isOutOfReach(client, number, comment, answer, signal))) return answer.refused;
  }
  const doing = `comment on pull request #${number}`;
  const answer = await client.ask(
    { method: "POST", path: `/issues/${number}/comments`, doing, body: { body } },
    signal,
  );
  const refused = "refused" in answer ? answer.refused : unlessWritten(answer.data, body, doing);
  if (refused?.code !== "unavailable") return refused;
  // It may have been made all the same. If not, whoever tries again looks first.
  const after = await find();
  return !isRefusal(after) && after.some((comment) => comment.body === body) ? null : refused;
}

/** Null: GitHub's answer has the text. */
function unlessWritten(data: unknown, body: string, doing: string): PublishRefusal | null {
  const written = parsed(commentSchema, data, doing);
  if (isRefusal(written)) return written;
  if (withPlainBreaks(written.body) === body) return null;
  return refusal("unavailable", `GitHub did not ${doing}, though it said so.`, LATER);
}

/** GitHub may keep the line breaks of its own editor. */
function withPlainBreaks(text: string): string {
  return text.replaceAll("\r\n", "\n");
}

/** Somebody else's with our marker in it, or one that was deleted in this moment: no reason not to write one of our own. */
async function isOutOfReach(
  client: GithubClient,
  number: number,
  { id, user }: WireComment,
  { status, refused }: { status: number | null; refused: PublishRefusal },
  signal: AbortSignal,
): Promise<boolean> {
  if (status === 404) {
    const doing = `look for a comment on pull request #${number}`;
    const again = await client.ask({ method: "GET", path: `/issues/comments/${id}`, doing }, signal);
    return "refused" in again && again.status === 404;
  }
  if (refused.code !== "forbidden") return false;
  const path = `${client.repository.api_url}/user`;
  const answer = await client.ask({ method: "GET", path, doing: "say whose the token is" }, signal);
  // Whoever may not ask that is an app, and writes as a bot.
  if ("refused" in answer) return answer.status === 403 && user?.type === "User";
  const login = (answer.data as { login?: unknown } | null)?.login;
  return typeof login === "string" && login !== user?.login;
}

async function ownComments(
  client: GithubClient,
  number: number,
  begin: string,
  signal: AbortSignal,
): Promise<WireComment[] | PublishRefusal> {
  const doing = `look up the comment on pull request #${number}`;
  const listed = await eachPage(client, { path: `/issues/${number}/comments`, schema: commentSchema, doing }, signal);
  if (isRefusal(listed)) return listed;
  return listed
    .map((comment) => ({ ...comment, body: withPlainBreaks(comment.body) }))
    .filter(({ body }) => body.startsWith(begin));
}
