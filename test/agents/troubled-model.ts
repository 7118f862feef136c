/** Stands before a scripted model and makes trouble where the prompt says so, `[[trouble:NAME]]`: for chat completions. */

import { type IncomingMessage, request, type ServerResponse } from "node:http";
import { modelFront } from "../../src/probe/model/model-front.ts";
import type { Model } from "../../src/probe/model/model-server.ts";
import { json } from "../../src/probe/model/translation.ts";

/** So many times, then it lets the request through; for ever unless given. */
export type Trouble = { times?: number } & (
  | { status: number; body: object; headers?: Record<string, string> }
  /** The answer begins and breaks off. */
  | { cut: true }
  /** The answer begins, and nothing follows. */
  | { stalls: true }
);

/**
 * Titles and the like are asked for without tools, and spared. `other` looks at every request first: where it gives a
 * name, that trouble is made, or none where there is none of that name.
 */
export async function startTroubledModel(
  model: Model,
  troubles: Record<string, Trouble>,
  other: (body: string) => string | null = () => null,
): Promise<Model> {
  const made = new Map<string, number>();
  const answer = async (asked: IncomingMessage, response: ServerResponse): Promise<void> => {
    let body = "";
    for await (const part of asked) body += part;
    const named = [...body.matchAll(/\[\[trouble:([\w-]+)\]\]/g)].at(-1)?.[1] ?? "";
    const name = other(body) ?? (body.includes('"tools"') ? named : "");
    const trouble = troubles[name];
    const before = made.get(name) ?? 0;
    if (trouble === undefined || before >= (trouble.times ?? Number.POSITIVE_INFINITY)) {
      return passOn(`${model.url}${asked.url}`, body, response);
    }
    made.set(name, before + 1);
    make(trouble, response);
  };
  return modelFront(model, (asked, response) => void answer(asked, response));
}

function make(trouble: Trouble, response: ServerResponse): void {
  if ("status" in trouble) {
    for (const [name, value] of Object.entries(trouble.headers ?? {})) response.setHeader(name, value);
    json(response, trouble.status, trouble.body);
    return;
  }
  response.writeHead(200, { "content-type": "text/event-stream" });
  const delta = { role: "assistant", content: "It begins" };
  const chunk = { id: "c", object: "chat.completion.chunk", created: 1, model: "one" };
  const begun = `data: ${JSON.stringify({ ...chunk, choices: [{ index: 0, delta, finish_reason: null }] })}\n\n`;
  response.write(begun, () => {
    if ("cut" in trouble) response.destroy();
  });
}

function passOn(url: string, body: string, response: ServerResponse): void {
  const onward = request(url, { method: "POST" }, (answer) => {
    response.writeHead(answer.statusCode ?? 500, answer.headers);
    answer.pipe(response);
  });
  onward.on("error", () => response.destroy());
  response.on("close", () => onward.destroy());
  onward.end(body);
}
