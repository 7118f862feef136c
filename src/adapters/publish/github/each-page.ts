import { z } from "zod";
import type { PublishRefusal } from "../../../ports/publisher.ts";
import { isRefusal, refusal } from "../refusal.ts";
import type { GithubClient } from "./client.ts";
import { parsed } from "./wire.ts";

export const PAGE_SIZE = 100;

/** A thousand of one kind on one pull request. */
export const PAGES_MAX = 10;

/** Every item of a list, page by page. One that is longer than the bound is refused: what was not seen is not absent. */
export async function eachPage<T>(
  client: GithubClient,
  { path, schema, doing }: { path: string; schema: z.ZodType<T>; doing: string },
  signal: AbortSignal,
): Promise<T[] | PublishRefusal> {
  const items: T[] = [];
  for (let page = 1; page <= PAGES_MAX; page += 1) {
    const answer = await client.ask({ method: "GET", path: pageOf(path, page), doing }, signal);
    if ("refused" in answer) return answer.refused;
    const read = parsed(z.array(schema), answer.data, doing);
    if (isRefusal(read)) return read;
    items.push(...read);
    if (read.length < PAGE_SIZE) return items;
  }
  return refusal("invalid", `GitHub lists more than ${items.length} when asked to ${doing}.`, "Delete some of them.");
}

export function pageOf(path: string, page: number): string {
  return `${path}${path.includes("?") ? "&" : "?"}per_page=${PAGE_SIZE}&page=${page}`;
}
