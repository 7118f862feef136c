import type { z } from "zod";
import type { PublishRefusal } from "../../../ports/publisher.ts";
import { isRefusal } from "../refusal.ts";
import type { GithubClient } from "./client.ts";
import type { LookMemory } from "./cursor.ts";
import { PAGE_SIZE, PAGES_MAX, pageOf } from "./each-page.ts";
import { parsed } from "./wire.ts";

export interface Reader {
  client: GithubClient;
  memory: LookMemory;
  signal: AbortSignal;
  /** Takes a sentence on what could not be read. */
  unread(sentence: string): void;
}

export interface Wanted<T, K> {
  path: string;
  doing: string;
  /** Of a whole answer; `items` are what it lists. */
  schema: z.ZodType<T>;
  items(answer: T): readonly unknown[];
  /** What is needed of an answer, now and when it has not changed. It goes into the cursor. */
  keep(answer: T): K;
}

/** One answer, or what was kept of it when GitHub says that it is still the same. */
export async function readOnce<T, K>(
  { client, memory, signal }: Reader,
  { path, doing, schema, items, keep }: Wanted<T, K>,
): Promise<{ kept: K; items: number; fresh: T | null } | PublishRefusal> {
  const before = memory.page(path);
  const answer = await client.ask({ method: "GET", path, doing, etag: before?.etag }, signal);
  if ("refused" in answer) return answer.refused;
  if (answer.status === 304 && before !== null) {
    memory.keep(path, before);
    return { kept: before.kept as K, items: before.items, fresh: null };
  }
  const fresh = parsed(schema, answer.data, doing);
  if (isRefusal(fresh)) return fresh;
  const page = { items: items(fresh).length, kept: keep(fresh) };
  if (answer.etag !== null) memory.keep(path, { etag: answer.etag, ...page });
  return { ...page, fresh };
}

/** Every page of a list. A full page that has not changed may still have got another behind it, so that one is asked for. */
export async function readPages<T, K>(
  reader: Reader,
  wanted: Wanted<T, K>,
): Promise<{ kept: K[]; fresh: T[] } | PublishRefusal> {
  const all: { kept: K[]; fresh: T[] } = { kept: [], fresh: [] };
  for (let page = 1; page <= PAGES_MAX; page += 1) {
    const read = await readOnce(reader, { ...wanted, path: pageOf(wanted.path, page) });
    if (isRefusal(read)) return read;
    all.kept.push(read.kept);
    if (read.fresh !== null) all.fresh.push(read.fresh);
    if (read.items < PAGE_SIZE) return all;
  }
  reader.unread(
    `GitHub lists more than ${PAGES_MAX * PAGE_SIZE} when asked to ${wanted.doing}: the rest was not read.`,
  );
  return all;
}
