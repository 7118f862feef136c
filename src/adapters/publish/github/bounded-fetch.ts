/** The platform's fetch with a time limit for each try and a bound on what is read. */

import { invariant } from "../../../core/assert.ts";

/** A hundred pull requests with their longest bodies. */
const BODY_BYTES_MAX = 32 * 1024 * 1024;

/** A log is read for its end; one that is longer than this is not waited for. */
const LOG_BYTES_MAX = 256 * 1024 * 1024;

type Fetch = (url: string, init: RequestInit) => Promise<Response>;

/** For answers that are wanted whole: a longer one is an error. */
export function boundedFetch(limitMs: number): Fetch {
  return timed(limitMs, async (response) => {
    const { bytes, total } = await readEnd(response, BODY_BYTES_MAX, BODY_BYTES_MAX);
    if (total > BODY_BYTES_MAX) throw new Error(`it answered with more than ${BODY_BYTES_MAX} bytes`);
    return new Response(new Uint8Array(bytes), response);
  });
}

/** For logs: the last bytes of an answer that went well, as text. */
export function endFetch(limitMs: number, bytesMax: number): Fetch {
  return timed(limitMs, async (response) => {
    const { bytes } = await readEnd(response, bytesMax, LOG_BYTES_MAX);
    const headers = new Headers(response.headers);
    if (response.ok) headers.set("content-type", "text/plain; charset=utf-8");
    return new Response(new Uint8Array(bytes), { status: response.status, headers });
  });
}

function timed(limitMs: number, read: (response: Response) => Promise<Response>): Fetch {
  return async (url, init) => {
    const limit = AbortSignal.timeout(limitMs);
    const signal = init.signal ? AbortSignal.any([init.signal, limit]) : limit;
    try {
      const response = await fetch(url, { ...init, signal });
      return response.body === null || EMPTY.has(response.status) ? response : await read(response);
    } catch (error) {
      // A caller that broke it off gets that; time that ran out is a trouble of the server's, which may be tried again.
      if (limit.aborted && !init.signal?.aborted) throw new Error(`no answer within ${limitMs} ms`);
      throw error;
    }
  };
}

/** These have no body, and a response with one cannot be made of them. */
const EMPTY: ReadonlySet<number> = new Set([204, 205, 304]);

/** At most the last so many bytes, read no further than the bound. */
async function readEnd(response: Response, keep: number, bound: number): Promise<{ bytes: Buffer; total: number }> {
  invariant(response.body !== null, "a response without a body is not read");
  let chunks: Uint8Array[] = [];
  let [held, total] = [0, 0];
  for await (const chunk of response.body as unknown as AsyncIterable<Uint8Array>) {
    chunks.push(chunk);
    held += chunk.length;
    total += chunk.length;
    if (held > 2 * keep) {
      const end = Buffer.concat(chunks).subarray(-keep);
      [chunks, held] = [[Buffer.from(end)], end.length];
    }
    if (total > bound) break;
  }
  return { bytes: Buffer.concat(chunks).subarray(-keep), total };
}
