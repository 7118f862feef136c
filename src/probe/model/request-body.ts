import type { IncomingMessage } from "node:http";

/** A conversation of an agent that is tried is some 100 kB long. */
const BODY_CHARACTERS_MAX = 32 * 1024 * 1024;

/** The whole body of a request. Throws for one that is longer than any agent's. */
export async function bodyOf(request: IncomingMessage): Promise<string> {
  let body = "";
  for await (const part of request.setEncoding("utf8")) {
    body += part;
    if (body.length > BODY_CHARACTERS_MAX) throw new Error(`more than ${BODY_CHARACTERS_MAX} characters`);
  }
  return body;
}
