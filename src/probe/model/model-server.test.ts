import { afterEach, beforeEach, expect, test } from "vitest";
import { type Model, startModel, type Turn } from "./model-server.ts";
import { startTranslatedModel } from "./translated-model.ts";

const USAGE = {
  input_tokens: 7,
  cache_creation_input_tokens: 3,
  cache_read_input_tokens: 50,
  output_tokens: 11,
};

const SCRIPTS: Record<string, Turn[]> = {
  priced: [{ say: "So much.", usage: USAGE }],
  cut: [{ cut: "Half a sen" }],
  "cut-once": [{ cut: "Half a sen", times: 1 }],
  hangs: [{ hang: true }],
  "hangs-later": [{ hang: "after_headers" }],
  limited: [
    {
      refuse: {
        status: 429,
        type: "slow_down",
        message: "Later.",
        headers: { "retry-after": "1" },
        more: { resets_at: 9 },
      },
      times: 1,
      say: "It went on.",
    },
  ],
  placed: [{ use: [{ name: "run", input: { command: "ls {cwd}" } }] }],
};

let anthropic: Model;
let others: Model;
beforeEach(async () => {
  anthropic = await startModel(SCRIPTS);
  others = await startTranslatedModel(SCRIPTS);
});
afterEach(() => Promise.all([anthropic.close(), others.close()]));

const TOOLS = [{ name: "run", type: "function" }];

/** How each of the four asks, for a stream. */
const WIRES = {
  messages: (text: string) => ({
    url: `${anthropic.url}/v1/messages`,
    body: { model: "m", stream: true, tools: TOOLS, messages: [{ role: "user", content: text }] },
  }),
  responses: (text: string) => ({
    url: `${anthropic.url}/v1/responses`,
    body: { model: "m", tools: TOOLS, input: [{ role: "user", content: text }] },
  }),
  "chat completions": (text: string) => ({
    url: `${others.url}/v1/chat/completions`,
    body: { model: "m", stream: true, tools: TOOLS, messages: [{ role: "user", content: text }] },
  }),
  generateContent: (text: string) => ({
    url: `${others.url}/v1beta/models/m:streamGenerateContent`,
    body: { contents: [{ role: "user", parts: [{ text }] }], tools: [{ functionDeclarations: [{ name: "run" }] }] },
  }),
};

type Wire = keyof typeof WIRES;

function ask(wire: Wire, script: string, signal?: AbortSignal): Promise<Response> {
  const { url, body } = WIRES[wire](`[[play:${script}]] Go.`);
  return fetch(url, { method: "POST", body: JSON.stringify(body), ...(signal ? { signal } : {}) });
}

const EACH = Object.keys(WIRES) as Wire[];

test.each(EACH)("the usage that a script names is told in its own words: %s", async (wire) => {
  const text = await (await ask(wire, "priced")).text();
  expect(text).toContain("So much.");
  const told = {
    messages: [
      '"input_tokens":7',
      '"cache_read_input_tokens":50',
      '"cache_creation_input_tokens":3',
      '"output_tokens":11',
    ],
    responses: ['"input_tokens":60', '"cached_tokens":50', '"cache_write_tokens":3', '"output_tokens":11'],
    "chat completions": ['"prompt_tokens":60', '"cached_tokens":50', '"completion_tokens":11'],
    generateContent: ['"promptTokenCount":60', '"cachedContentTokenCount":50', '"candidatesTokenCount":11'],
  }[wire];
  for (const words of told) expect(text).toContain(words);
});

test.each(EACH)("an answer that is cut begins well and breaks off: %s", async (wire) => {
  const response = await ask(wire, "cut");
  expect(response.status).toBe(200);
  await expect(response.text()).rejects.toThrow("terminated");
});

test.each(EACH)("one that is cut once is whole when it is asked for again: %s", async (wire) => {
  await expect((await ask(wire, "cut-once")).text()).rejects.toThrow("terminated");
  expect(await (await ask(wire, "cut-once")).text()).toContain("Half a sen");
});

test.each(EACH)("a refusal has its status, its words and its headers, and passes after its times: %s", async (wire) => {
  const refused = await ask(wire, "limited");
  expect(refused.status).toBe(429);
  expect(refused.headers.get("retry-after")).toBe("1");
  const { error } = (await refused.json()) as { error: object };
  expect(error).toMatchObject({ message: "Later.", resets_at: 9 });
  expect(await (await ask(wire, "limited")).text()).toContain("It went on.");
});

test.each(EACH)("one that hangs says nothing, or its headers only: %s", async (wire) => {
  const [silent, begun] = [new AbortController(), new AbortController()];
  const never = ask(wire, "hangs", silent.signal);
  const response = await ask(wire, "hangs-later", begun.signal);
  expect(response.status).toBe(200);
  const rest = response.text();
  for (const each of [silent, begun]) each.abort();
  await expect(never).rejects.toThrow("aborted");
  await expect(rest).rejects.toThrow("aborted");
});

test("what it was asked is known, with all scripts of the conversation", async () => {
  const model = await startModel(SCRIPTS);
  const say = (role: string, content: string) => ({ role, content });
  const messages = [
    say("user", "[[play:priced]] One."),
    say("assistant", "So much."),
    say("user", "[[play:cut-once]] Two."),
  ];
  const body = JSON.stringify({ model: "m", tools: TOOLS, messages });
  await fetch(`${model.url}/v1/messages`, { method: "POST", body }).catch(() => null);
  expect(model.heard).toEqual([
    { script: "cut-once", turn: 0, prompt: "[[play:cut-once]] Two.", scripts: ["priced", "cut-once"] },
  ]);
  await model.close();
});

test("an agent that asks in a way that is not known is told so", async () => {
  const response = await fetch(`${anthropic.url}/v1/messages`, { method: "POST", body: "{" });
  expect(response.status).toBe(400);
  expect(await response.text()).toContain("the scripted model does not understand that");
  const placeless = await ask("messages", "placed");
  expect(await placeless.text()).toContain("the request does not say where its agent works");
});
