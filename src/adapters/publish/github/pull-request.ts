import type { PublishRefusal, PublishRequest } from "../../../ports/publisher.ts";
import { isRefusal, LATER, refusal } from "../refusal.ts";
import { bodyWith } from "./body.ts";
import type { Answer, GithubClient } from "./client.ts";
import { eachPage } from "./each-page.ts";
import { markerOf } from "./marker.ts";
import { type Pull, parsed, pullSchema } from "./wire.ts";

/** One without an answer, one that may be no draft, and one that works: each looks first whether the one before came through. */
const CREATE_TRIES = 3;

/** The pull request of a head, made if there is none, and with the section of its body as it should be. */
export async function pullRequestOf(
  client: GithubClient,
  request: PublishRequest,
  signal: AbortSignal,
): Promise<Pull | PublishRefusal> {
  let wish = newPull(request);
  for (let tries = 1; ; tries += 1) {
    const found = await findPull(client, request, signal);
    if (isRefusal(found)) return found;
    if (found !== null) return found.state === "closed" ? found : bringUpToDate(client, found, request, signal);
    const answer = await client.ask({ method: "POST", path: "/pulls", doing: DOING, body: { ...wish } }, signal);
    if (!("refused" in answer)) return parsed(pullSchema, answer.data, DOING);
    const next = afterRefusal(answer);
    if (next === "give_up" || tries === CREATE_TRIES) return answer.refused;
    if (next === "no_draft") wish = { ...wish, draft: false };
  }
}

const DOING = "open the pull request";

interface NewPull {
  title: string;
  head: string;
  base: string;
  body: string;
  draft: boolean;
}

/** GitHub refuses longer titles. */
const TITLE_LENGTH_MAX = 256;

function newPull(request: PublishRequest): NewPull {
  const { title, head, base, draft, ready } = request;
  const body = bodyWith("", markerOf(request.origin), request.report) ?? "";
  const line = title.replaceAll(/\s+/g, " ").trim();
  const short = line.length <= TITLE_LENGTH_MAX ? line : `${line.slice(0, TITLE_LENGTH_MAX - 1)}…`;
  return { title: short || head, head, base, body, draft: draft && !ready };
}

/** `look_again`: it is there, or may have been made without an answer. */
function afterRefusal({
  status,
  message,
  refused,
}: Extract<Answer, { refused: unknown }>): "look_again" | "no_draft" | "give_up" {
  if (status === 422 && /draft pull requests are not supported/i.test(message)) return "no_draft";
  return refused.code === "unavailable" || (status === 422 && /already exists/i.test(message))
    ? "look_again"
    : "give_up";
}

/**
 * The open one of the head, by whoever made it; else one that ended with this very commit; else null. GitHub leaves out a
 * filter that it does not understand, so each is looked at.
 */
export async function findPull(
  client: GithubClient,
  { head, base, sha }: PublishRequest,
  signal: AbortSignal,
): Promise<Pull | PublishRefusal | null> {
  const { owner, repo } = client.repository;
  const path = `/pulls?state=all&head=${encodeURIComponent(`${owner}:${head}`)}`;
  const listed = await eachPage(client, { path, schema: pullSchema, doing: "look up the pull request" }, signal);
  if (isRefusal(listed)) return listed;
  const ofHead = listed.filter(
    (pull) => pull.head.ref === head && pull.head.repo?.full_name.toLowerCase() === `${owner}/${repo}`.toLowerCase(),
  );
  const open = ofHead.filter(({ state }) => state === "open");
  return open.find((pull) => pull.base.ref === base) ?? open[0] ?? ofHead.find((pull) => pull.head.sha === sha) ?? null;
}

async function bringUpToDate(
  client: GithubClient,
  pull: Pull,
  { origin, report }: PublishRequest,
  signal: AbortSignal,
): Promise<Pull | PublishRefusal> {
  // GitHub keeps line breaks as they were written in its own editor.
  const written = pull.body.replaceAll("\r\n", "\n");
  const body = bodyWith(written, markerOf(origin), report);
  if (body === null) {
    const next = "Shorten the text of the pull request, then retry the task.";
    return refusal("invalid", `The text of pull request #${pull.number} leaves no room for lockstep's section.`, next);
  }
  if (body === written) return pull;
  const doing = `bring the text of pull request #${pull.number} up to date`;
  const answer = await client.ask({ method: "PATCH", path: `/pulls/${pull.number}`, doing, body: { body } }, signal);
  return "refused" in answer ? answer.refused : parsed(pullSchema, answer.data, doing);
}

/** Reads one again by its number: what is told of it is what GitHub has. */
export async function readPull(
  client: GithubClient,
  number: number,
  signal: AbortSignal,
): Promise<Pull | PublishRefusal> {
  const doing = `read pull request #${number}`;
  const answer = await client.ask({ method: "GET", path: `/pulls/${number}`, doing }, signal);
  return "refused" in answer ? answer.refused : parsed(pullSchema, answer.data, doing);
}

/** Marks a draft as ready; one that is ready already, though the answer was lost, is no refusal. */
export async function markReady(client: GithubClient, pull: Pull, signal: AbortSignal): Promise<PublishRefusal | null> {
  const doing = `mark pull request #${pull.number} as ready for review`;
  const query =
    "mutation($id: ID!) { markPullRequestReadyForReview(input: {pullRequestId: $id}) { clientMutationId } }";
  // Only the query language has a word for it.
  const path = `${client.repository.api_url.replace(/\/v3$/, "")}/graphql`;
  const body = { query, variables: { id: pull.node_id } };
  const answer = await client.ask({ method: "POST", path, doing, body }, signal);
  if ("refused" in answer && answer.refused.code !== "unavailable") return answer.refused;
  const again = await readPull(client, pull.number, signal);
  if (isRefusal(again)) return again;
  if (again.draft !== true) return null;
  if ("refused" in answer) return answer.refused;
  return (
    queryRefusal(answer.data, doing) ?? refusal("unavailable", `GitHub did not ${doing}, though it said so.`, LATER)
  );
}

/** A query that fails is answered with 200. */
function queryRefusal(data: unknown, doing: string): PublishRefusal | null {
  const [error] = (data as { errors?: { type?: string; message?: string }[] } | null)?.errors ?? [];
  if (error === undefined) return null;
  const text = `GitHub did not ${doing} (${error.type ?? "refused"}): ${error.message ?? "it did not say why"}`;
  if (error.type === "FORBIDDEN") return refusal("forbidden", text, "Give the token `pull requests: write`.");
  if (error.type === "NOT_FOUND") return refusal("not_found", text, "See whether the token may see the repository.");
  return refusal("invalid", text, "Mark it as ready by hand, or publish it as a draft.");
}
