/**
 * The scripted model behind two more APIs: Gemini's and OpenAI's chat completions. Each request is put to the model in its
 * own API, and the answer is translated back, so that scripts mean the same for every agent.
 */

import type { IncomingMessage, ServerResponse } from "node:http";
import { type ChatAsk, chatQuestion, sendChat } from "./chat-api.ts";
import { type GeminiAsk, geminiQuestion, sendGemini } from "./gemini-api.ts";
import { modelFront } from "./model-front.ts";
import { type Model, notUnderstood, startModel, type Turn } from "./model-server.ts";
import { bodyOf } from "./request-body.ts";
import type { Refusal } from "./script.ts";
import { type Answer, events, json, type Question } from "./translation.ts";

/** A model of its own, as `startModel` makes it; chat completions answer below `/v1`. */
export async function startTranslatedModel(scripts: Record<string, Turn[]>): Promise<Model> {
  const model = await startModel(scripts);
  return modelFront(model, (request, response) => {
    translate(request, response, model.url).catch((error: unknown) => notUnderstood(response, error));
  });
}

async function translate(request: IncomingMessage, response: ServerResponse, modelUrl: string): Promise<void> {
  const path = (request.url ?? "").split("?")[0]!;
  const body = await bodyOf(request);
  // One that is not waited for any more must not wait for the model.
  const left = new AbortController();
  response.on("close", () => left.abort());
  const [, method] = /\/models\/[^:/]+:(\w+)$/.exec(path) ?? [];
  if (method === "countTokens") {
    json(response, 200, { totalTokens: 100 });
    return;
  }
  if (method === "generateContent" || method === "streamGenerateContent") {
    const asked = JSON.parse(body) as GeminiAsk;
    const isStream = method === "streamGenerateContent";
    const answer = await ask(modelUrl, geminiQuestion(asked), { signal: left.signal, response, isStream });
    if (answer !== null) sendGemini(response, asked, answer, isStream);
    return;
  }
  if (path.endsWith("/chat/completions")) {
    const asked = JSON.parse(body) as ChatAsk;
    const answer = await ask(modelUrl, chatQuestion(asked), {
      signal: left.signal,
      response,
      isStream: asked.stream === true,
    });
    if (answer !== null) sendChat(response, asked, answer);
    return;
  }
  json(response, 404, { error: { code: 404, message: path, status: "NOT_FOUND" } });
}

/**
 * Null when nobody waits for the answer any more, or it broke off: then what is sent breaks off as well. A stream gets its
 * headers as soon as the model has begun its answer.
 */
async function ask(
  modelUrl: string,
  question: Question,
  { signal, response: told, isStream }: { signal: AbortSignal; response: ServerResponse; isStream: boolean },
): Promise<Answer | Refusal | null> {
  const { hasTools, ...rest } = question;
  const body = JSON.stringify({ ...rest, model: "scripted", stream: false, tools: hasTools ? [{ name: "any" }] : [] });
  try {
    const response = await fetch(`${modelUrl}/v1/messages`, { method: "POST", body, signal });
    // An answer that comes whole is no stream: this one hangs, or will break off.
    const isWhole = response.headers.get("content-type") === "application/json";
    if (!isWhole && isStream) events(told, [], false);
    const said = (await response.json()) as Answer & { error?: Omit<Refusal, "status"> };
    if (said.error === undefined) return said;
    const { type, message, ...more } = said.error;
    const headers = Object.fromEntries([...response.headers].filter(([name]) => isPassedOn(name)));
    return { status: response.status, type, message, headers, more };
  } catch (error) {
    if (signal.aborted) return null;
    if (!(error instanceof TypeError)) throw error;
    // Broken off by the model.
    told.destroy();
    return null;
  }
}

/** What a refusal says beside its body. */
function isPassedOn(header: string): boolean {
  return header === "retry-after" || header.startsWith("x-");
}
