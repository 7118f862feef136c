import { expect, onTestFinished, test } from "vitest";
import { type EchoServer, startEchoServer } from "./mcp-server.ts";

async function started(): Promise<{ echo: EchoServer; url: string; headers: Record<string, string> }> {
  const echo = await startEchoServer("a secret");
  onTestFinished(() => echo.close());
  if (!("url" in echo.server)) throw new Error("it has no address");
  return { echo, url: echo.server.url, headers: echo.server.headers };
}

test("its tool is found, called and noted", async () => {
  const { echo, url, headers } = await started();
  const send = async (message: object): Promise<unknown> => {
    const body = JSON.stringify({ jsonrpc: "2.0", ...message });
    const response = await fetch(url, { method: "POST", headers, body });
    return response.status === 202 ? null : ((await response.json()) as { result?: unknown; error?: unknown });
  };
  expect(echo.wasReached()).toBe(false);
  expect(await send({ id: 1, method: "initialize", params: { protocolVersion: "2025-03-26" } })).toMatchObject({
    id: 1,
    result: { protocolVersion: "2025-03-26", capabilities: { tools: {} } },
  });
  expect(echo.wasReached()).toBe(true);
  expect(await send({ method: "notifications/initialized" })).toBeNull();
  expect(await send({ id: 2, method: "tools/list" })).toMatchObject({ result: { tools: [{ name: "echo" }] } });
  const call = { name: "echo", arguments: { text: "hello" } };
  expect(await send({ id: 3, method: "tools/call", params: call })).toMatchObject({
    result: { content: [{ type: "text", text: "hello" }] },
  });
  expect(echo.words).toEqual(["hello"]);
  expect(await send({ id: 4, method: "resources/list" })).toMatchObject({ error: { code: -32_601 } });
});

test("who does not know its header, asks by another method, or sends no message, gets nothing", async () => {
  const { echo, url, headers } = await started();
  expect((await fetch(url, { method: "POST", body: "{}" })).status).toBe(401);
  expect(echo.wasReached()).toBe(false);
  expect((await fetch(url, { headers })).status).toBe(405);
  expect((await fetch(url, { method: "POST", headers, body: "{" })).status).toBe(400);
});
