/**
 * The scripted model behind two more APIs: Gemini's and OpenAI's chat completions. Each request is put to the model in its
 * own API, and the answer is translated back, so that scripts mean the same for every agent.
 */

import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { type ChatAsk, chatQuestion, sendChat } from "./chat-api.ts";
import { type GeminiAsk, geminiQuestion, sendGemini } from "./gemini-api.ts";
import { type Model, startModel, type Turn } from "./model-server.ts";
import { type Answer, json, type Question, type Refusal } from "./translation.ts";

/** A model of its own, as `startModel` makes it; chat completions answer below `/v1`. */
export async function startTranslatedModel(scripts: Record<string, Turn[]>): Promise<Model> {
  const model = await startModel(scripts);
  const server = createServer((request, response) => {
    void translate(request, response, model.url);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    ...model,
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      await model.close();
    },
  };
}

async function translate(request: IncomingMessage, response: ServerResponse, modelUrl: string): Promise<void> {
  const path = (request.url ?? "").split("?")[0]!;
  let body = "";
  for await (const part of request) body += part;
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
    const answer = await ask(modelUrl, geminiQuestion(asked), left.signal);
    if (answer !== null) sendGemini(response, asked, answer, method === "streamGenerateContent");
    return;
  }
  if (path.endsWith("/chat/completions")) {
    const asked = JSON.parse(body) as ChatAsk;
    const answer = await ask(modelUrl, chatQuestion(asked), left.signal);
    if (answer !== null) sendChat(response, asked, answer);
    return;
  }
  json(response, 404, { error: { code: 404, message: path, status: "NOT_FOUND" } });
}

/** Null when nobody waits for the answer any more. */
async function ask(modelUrl: string, question: Question, signal: AbortSignal): Promise<Answer | Refusal | null> {
  const { hasTools, ...rest } = question;
  const body = JSON.stringify({ ...rest, model: "scripted", stream: false, tools: hasTools ? [{ name: "any" }] : [] });
  try {
    const response = await fetch(`${modelUrl}/v1/messages`, { method: "POST", body, signal });
    const said = (await response.json()) as Answer & { error?: { type: string; message: string } };
    return said.error === undefined ? said : { status: response.status, ...said.error };
  } catch (error) {
    if (signal.aborted) return null;
    throw error;
  }
}
