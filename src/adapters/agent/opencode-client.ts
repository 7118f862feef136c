/** Speaks with an OpenCode server: requests, and the stream of what happens there. */

import { LineSplitter } from "./line-splitter.ts";
import { type Fields, fieldsOfLine } from "./wire-fields.ts";

/** A healthy server answers within milliseconds; one that starts beside many others takes seconds. */
const ANSWER_MS = 60_000;

/** Its events carry whole files before and after an edit; a longer one is not read. */
const EVENT_BYTES_MAX = 16 * 1024 * 1024;

/** Of an answer that is no success, this much stands in an error. */
const REFUSAL_CHARACTERS = 500;

export type OpenCodeAnswer =
  | { kind: "result"; body: unknown }
  /** `status`: HTTP. */
  | { kind: "refused"; status: number; why: string }
  /** It is gone, or did not answer in its time. */
  | { kind: "gone"; why: string };

export class OpenCodeClient {
  readonly #base: string;
  readonly #headers: Record<string, string>;
  readonly #place: string;

  /** `base`: its address, `http://127.0.0.1:4096`; `directory`: absolute path in which its agent works. */
  constructor(base: string, password: string, directory: string) {
    this.#base = base;
    this.#headers = { authorization: `Basic ${Buffer.from(`opencode:${password}`).toString("base64")}` };
    this.#place = new URLSearchParams({ directory }).toString();
  }

  /** `path` may end with a query; `ms`: how long it waits for the answer. Never rejects. */
  async ask(
    method: "GET" | "POST" | "PATCH" | "DELETE",
    path: string,
    body?: Fields,
    ms: number = ANSWER_MS,
  ): Promise<OpenCodeAnswer> {
    try {
      const response = await fetch(this.#url(path), {
        method,
        headers: { ...this.#headers, ...(body === undefined ? {} : { "content-type": "application/json" }) },
        signal: AbortSignal.timeout(ms),
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      const said = await response.text();
      if (response.ok) return { kind: "result", body: said === "" ? null : JSON.parse(said) };
      return { kind: "refused", status: response.status, why: said.slice(0, REFUSAL_CHARACTERS) };
    } catch (error) {
      return { kind: "gone", why: reasonOf(error) };
    }
  }

  /**
   * Hears each event as the line of JSON that it is; `leftOut` is the number of bytes that it lacks. Resolves with the
   * reason when nothing more will come, or when `gone` aborts. Never rejects, unless `hear` throws.
   */
  async listen(gone: AbortSignal, hear: (line: string, event: Fields, leftOut: number) => void): Promise<string> {
    const splitter = new LineSplitter((line, leftOut) => {
      if (!line.startsWith("data:")) return;
      const data = line.slice("data:".length).trim();
      hear(data, (leftOut > 0 ? null : fieldsOfLine(data)) ?? {}, leftOut);
    }, EVENT_BYTES_MAX);
    let chunks: AsyncIterator<Uint8Array>;
    try {
      const response = await fetch(this.#url("/event"), { headers: this.#headers, signal: gone });
      if (!response.ok || response.body === null) return `its events are refused with ${response.status}`;
      chunks = response.body[Symbol.asyncIterator]();
    } catch (error) {
      return reasonOf(error);
    }
    for (;;) {
      const chunk = await chunks.next().catch((error: unknown) => ({ done: true as const, value: reasonOf(error) }));
      if (chunk.done) return typeof chunk.value === "string" ? chunk.value : "its events ended";
      splitter.take(Buffer.from(chunk.value));
    }
  }

  #url(path: string): string {
    return `${this.#base}${path}${path.includes("?") ? "&" : "?"}${this.#place}`;
  }
}

/** What `fetch` fails with says little; its cause says why. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error ? error.cause.message : error.message;
}
