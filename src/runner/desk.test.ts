import { existsSync } from "node:fs";
import { dirname } from "node:path";
import { setImmediate } from "node:timers/promises";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { BRIEF, deskOf, rpc, WORK } from "./desk.fixture.ts";

const TOKEN = { headers: { accept: "application/json, text/event-stream" } };

/** Lets the desk take what was sent to it. */
async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await setImmediate();
}

describe("the server of an attempt's tools", () => {
  test.each([
    ["2025-06-18", "2025-06-18"],
    ["2024-11-05", "2024-11-05"],
    ["2026-07-28", "2025-11-25"],
    ["nonsense", "2025-11-25"],
  ])("asked for version %s speaks %s", async (wanted, spoken) => {
    const { post } = await deskOf();
    const { status, type, text } = await post(rpc("a", "initialize", { protocolVersion: wanted, capabilities: {} }));
    expect([status, type]).toEqual([200, "application/json"]);
    expect(JSON.parse(text)).toMatchObject({
      jsonrpc: "2.0",
      id: "a",
      result: { protocolVersion: spoken, capabilities: { tools: {} }, serverInfo: { name: "lockstep" } },
    });
  });

  test("tells what the agent is to know with the answer to a report, once", async () => {
    const { notices, call, post } = await deskOf();
    notices.set(["a clash"]);
    const said = async (): Promise<unknown> =>
      JSON.parse((await call("report_progress", { text: "half" })).result!.content[0]!.text);
    expect(await said()).toEqual({ ok: true, notices: ["a clash"] });
    expect(await said()).toEqual({ ok: true });
    notices.set(["a clash", "another"]);
    expect(await call("report_progress", {})).toMatchObject({ result: { isError: true } });
    const asked = await call("report_done", { summary: "done" });
    expect(JSON.parse(asked.result!.content[0]!.text)).toEqual({ ok: true, notices: ["another"] });
    expect((await post(rpc(7, "ping"))).text).not.toContain("clash");
  });

  test("answers a ping, and takes what needs no answer", async () => {
    const { post } = await deskOf();
    expect(JSON.parse((await post(rpc(7, "ping"))).text)).toEqual({ jsonrpc: "2.0", id: 7, result: {} });
    const told = JSON.stringify({ jsonrpc: "2.0", method: "notifications/initialized" });
    expect(await post(told)).toMatchObject({ status: 202, text: "" });
    expect(await post('{"jsonrpc":"2.0","id":1,"result":{}}')).toMatchObject({ status: 202, text: "" });
  });

  test("offers a verdict in a review only, and a handoff only where somebody can follow", async () => {
    const offered = async (report: typeof WORK) => {
      const { post } = await deskOf({ brief: { ...BRIEF, report } });
      const { tools } = JSON.parse((await post(rpc(1, "tools/list"))).text).result;
      expect(tools.map(({ name }: { name: string }) => name)).toEqual([
        "get_task",
        "report_progress",
        "report_done",
        "ask",
      ]);
      const { properties, required } = tools[2].inputSchema;
      return [Object.keys(properties), required];
    };
    const always = ["summary", "files", "not_done"];
    expect(await offered(WORK)).toEqual([always, ["summary"]]);
    expect(await offered({ verdict: false, handoff: true })).toEqual([[...always, "handoff"], ["summary"]]);
    expect(await offered({ verdict: true, handoff: true })).toEqual([
      [...always, "verdict", "handoff"],
      ["summary", "verdict"],
    ]);
  });

  test("tells the task of its own attempt, and why the last try failed", async () => {
    const { call } = await deskOf();
    const { result } = await call("get_task");
    const { attempt, task, workspace, last_failure, report } = BRIEF;
    expect(JSON.parse(result!.content[0]!.text)).toEqual({ attempt, task, workspace, last_failure, report });
  });

  test("keeps the last report of the work, and tells how far it is", async () => {
    const { desk, told, call } = await deskOf();
    expect(desk.done).toBeNull();
    expect(await call("report_progress", { text: "half" })).toEqual({
      jsonrpc: "2.0",
      id: 1,
      result: { content: [{ type: "text", text: '{"ok":true}' }] },
    });
    await call("report_done", { summary: "some" });
    await call("report_done", { summary: "all", files: ["a.ts"], not_done: ["b"] });
    expect(desk.done).toEqual({
      summary: "all",
      report: { files: ["a.ts"], not_done: ["b"], verdict: null, handoff: null },
    });
    expect(told[0]).toEqual({ type: "progress", text: "half" });
  });

  test("tells the model what is wrong with a report, and keeps none of it", async () => {
    const { desk, call } = await deskOf();
    expect((await call("report_done", { summary: "all", verdict: "approved" })).result).toEqual({
      content: [{ type: "text", text: "this phase is no review and yields no verdict: report without one" }],
      isError: true,
    });
    expect(desk.done).toBeNull();
  });

  test.each([
    ["{", 400, { code: -32_700, message: "this is no JSON" }],
    ["", 400, { code: -32_700, message: "this is no JSON" }],
    ["[]", 400, { code: -32_600, message: "send one message at a time, not a list of them" }],
    ["7", 400, { code: -32_600, message: "this is no message of JSON-RPC 2.0" }],
    ['{"jsonrpc":"2.0","id":1}', 400, { code: -32_600, message: "a message needs a method" }],
    ['{"jsonrpc":"2.0","id":{},"method":"ping"}', 400, { code: -32_600, message: "an id is a text or a number" }],
    [rpc(1, "resources/list"), 200, { code: -32_601, message: "there is no method resources/list" }],
    [rpc(1, "server/discover"), 200, { code: -32_601, message: "there is no method server/discover" }],
    [rpc(1, "tools/call", { name: "land" }), 200, { code: -32_602, message: 'there is no tool "land"' }],
    [rpc(1, "tools/call", { name: "toString" }), 200, { code: -32_602, message: 'there is no tool "toString"' }],
    [rpc(1, "tools/call"), 200, { code: -32_602, message: 'there is no tool ""' }],
  ])("answers %s with %i and the reason", async (body, status, error) => {
    const { post } = await deskOf();
    const heard = await post(body);
    expect(heard.status).toBe(status);
    expect(JSON.parse(heard.text)).toMatchObject({ jsonrpc: "2.0", error });
  });

  test("opens to nobody without the token, and to no other method", async () => {
    const { desk, post } = await deskOf();
    const refused = { status: 401, text: '{"error":{"message":"this runner does not know that token"}}' };
    expect(await post(rpc(1, "ping"), { token: "guessed" })).toMatchObject(refused);
    expect(await post(rpc(1, "ping"), { token: "" })).toMatchObject(refused);
    for (const method of ["GET", "DELETE", "PUT"]) expect(await post("", { method })).toMatchObject({ status: 405 });
    expect(desk.done).toBeNull();
  });

  test("outlives bodies without end", async () => {
    const { post } = await deskOf();
    // The sender may find its connection closed before it has heard why.
    const heard = await post(rpc(1, "x".repeat(20_000_000))).catch((error: NodeJS.ErrnoException) => error.code);
    expect([413, "ECONNRESET", "EPIPE"]).toContain(typeof heard === "object" ? heard.status : heard);
    expect(await post(rpc(2, "ping"))).toMatchObject({ status: 200 });
  });

  test("answers two hundred calls at once, each with its own answer", async () => {
    const { call } = await deskOf();
    const ids = Array.from({ length: 200 }, (_, n) => n);
    const answers = await Promise.all(ids.map((id) => call("report_progress", { text: `${id}` }, id)));
    expect(answers.map(({ id }) => id)).toEqual(ids);
  });

  test("takes no more reports from an agent that makes them without end", async () => {
    const { call, told } = await deskOf();
    for (let n = 0; n < 2_000; n += 100)
      await Promise.all(Array.from({ length: 100 }, () => call("report_progress", { text: "on" })));
    expect((await call("report_progress", { text: "on" })).result).toEqual({
      content: [{ type: "text", text: "this attempt has made 2000 reports: it can make no more" }],
      isError: true,
    });
    expect(told).toHaveLength(2_000);
  });

  test("says so when a report cannot be written down", async () => {
    const { call, world } = await deskOf();
    world.isFull = true;
    expect(await call("report_progress", { text: "half" })).toMatchObject({
      error: { code: -32_603, message: "no space left" },
    });
  });

  test("answers whatever it is sent, and never keeps a report that is none", async () => {
    const { desk, post } = await deskOf();
    const name = fc.constantFrom("report_done", "report_progress", "get_task", "x");
    const message = fc.record({
      jsonrpc: fc.constantFrom<unknown>("2.0", "1.0", 2),
      id: fc.oneof(fc.jsonValue(), fc.integer()),
      method: fc.constantFrom<unknown>("tools/call", "initialize", "tools/list", "ping", "notifications/cancelled", 7),
      params: fc.oneof(fc.jsonValue(), fc.record({ name, arguments: fc.jsonValue(), requestId: fc.jsonValue() })),
    });
    const any = fc.oneof(
      message.map((value) => JSON.stringify(value)),
      fc.json(),
      fc.string(),
    );
    await fc.assert(
      fc.asyncProperty(any, async (body) => {
        const { status, text } = await post(body);
        expect([200, 202, 400]).toContain(status);
        if (status !== 202) expect(JSON.parse(text)).toMatchObject({ jsonrpc: "2.0" });
      }),
      { numRuns: 300 },
    );
    expect(desk.done).toBeNull();
  });
});

describe("a desk", () => {
  test("is had by HTTP on loopback, and by a program that passes everything on", async () => {
    const { desk } = await deskOf();
    const { LOCKSTEP_RUNNER, LOCKSTEP_RUNNER_TOKEN } = desk.env;
    expect(LOCKSTEP_RUNNER).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    expect(desk.mcp).toEqual({
      name: "lockstep",
      url: `${LOCKSTEP_RUNNER}/mcp`,
      headers: { Authorization: `Bearer ${LOCKSTEP_RUNNER_TOKEN}` },
      program: { command: "/spool/bin/lockstep", args: ["self", "mcp"], env: desk.env },
      call_ms: 660_000,
    });
  });

  test("is had on a socket by that program where there is no loopback, and takes the socket away", async () => {
    // An address that no machine has.
    const { desk, post } = await deskOf({ host: "192.0.2.1" });
    const socket = /^unix:(.+)$/.exec(desk.env["LOCKSTEP_RUNNER"]!)![1]!;
    const program = { command: "/spool/bin/lockstep", args: ["self", "mcp"], env: desk.env };
    expect(desk.mcp).toEqual({ name: "lockstep", ...program });
    expect(await post(rpc(1, "ping"))).toMatchObject({ status: 200 });
    expect(await post(rpc(1, "ping"), { token: "guessed" })).toMatchObject({ status: 401 });
    await desk.close();
    expect(existsSync(dirname(socket))).toBe(false);
  });
});

describe("a question by a tool", () => {
  const ask = (more: object = {}, meta: object = {}): string =>
    rpc(5, "tools/call", { name: "ask", arguments: { question: "Which?", ...more }, _meta: meta });
  const answered = (answer: string | null, question = 1) => ({
    jsonrpc: "2.0",
    id: 5,
    result: { content: [{ type: "text", text: JSON.stringify({ question, answer }) }] },
  });

  test("waits for a person, and shows meanwhile that it does to a client that wants to know", async () => {
    const { post, questions, sleeps, told } = await deskOf();
    let heard = "";
    const hear = (text: string): void => {
      heard += text;
    };
    const asked = post(ask({ options: ["a", "b"] }, { progressToken: "p" }), { ...TOKEN, hear });
    await until(() => sleeps.some(({ ms }) => ms === 10_000));
    expect(questions.halting).toBe("Which?");
    sleeps.findLast(({ ms }) => ms === 10_000)!.wake();
    await until(() => heard.includes("notifications/progress"));
    expect(JSON.parse(heard.split("data: ")[1]!)).toEqual({
      jsonrpc: "2.0",
      method: "notifications/progress",
      params: { progressToken: "p", progress: 1, message: "waiting for a person" },
    });
    questions.answer(1, "b");
    const { type, text } = await asked;
    expect(type).toBe("text/event-stream");
    expect(JSON.parse(text.split("data: ").at(-1)!)).toEqual(answered("b"));
    expect(told).toEqual([
      { type: "ask", question: "Which?", options: ["a", "b"], default: null, wait: { ms: 600_000, then: "ends" } },
    ]);
  });

  test("keeps the connection of any other client alive", async () => {
    const { post, questions, sleeps } = await deskOf();
    let heard = "";
    const asked = post(ask(), { ...TOKEN, hear: (text) => (heard += text) });
    await until(() => sleeps.some(({ ms }) => ms === 10_000));
    sleeps.findLast(({ ms }) => ms === 10_000)!.wake();
    await until(() => heard !== "");
    expect(heard).toBe(": waiting for a person\n\n");
    questions.answer(1, "b");
    await asked;
  });

  test("is one answer to a client that takes no stream", async () => {
    const { post, questions, told } = await deskOf();
    const asked = post(ask(), { headers: { accept: "application/json" } });
    await until(() => told.length === 1);
    questions.answer(1, "b");
    expect(JSON.parse((await asked).text)).toEqual(answered("b"));
  });

  test("that nobody answers in time ends the attempt as blocked", async () => {
    const { post, stop } = await deskOf({ askWaitMs: 0 });
    expect(JSON.parse((await post(ask())).text)).toEqual(answered(null));
    expect(stop.asked).toEqual({ outcome: "blocked", why: "Which?" });
  });

  test.each(["leaves", "cancels"])(
    "whose client %s holds nothing any more, and is the same when asked again",
    async (how) => {
      const { post, questions, stop, told } = await deskOf();
      const left = new AbortController();
      const asked = post(ask(), { ...TOKEN, signal: left.signal }).catch(() => null);
      await until(() => questions.halting !== null);
      const cancel = { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 5 } };
      if (how === "leaves") left.abort();
      else await post(JSON.stringify(cancel));
      await asked;
      await until(() => questions.halting === null);
      expect(stop.asked).toBeNull();
      const again = post(ask(), TOKEN);
      await until(() => questions.halting !== null);
      questions.answer(1, "b");
      expect(JSON.parse((await again).text.split("data: ").at(-1)!)).toEqual(answered("b"));
      expect(told).toHaveLength(1);
    },
  );

  test("that can wait is answered when it is asked again after a person has", async () => {
    const { post, questions, told } = await deskOf();
    const wait = ask({ can_continue: true });
    expect(JSON.parse((await post(wait)).text)).toEqual(answered(null));
    expect(questions.halting).toBeNull();
    questions.answer(1, "b");
    expect(JSON.parse((await post(wait)).text)).toEqual(answered("b"));
    // The answer has been heard: from now on it is another question.
    expect(JSON.parse((await post(wait)).text)).toEqual(answered(null, 2));
    expect(told).toHaveLength(2);
  });
});
