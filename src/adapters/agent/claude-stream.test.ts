import fc from "fast-check";
import { expect, test } from "vitest";
import {
  assistant,
  init,
  rateLimit,
  result,
  retry,
  SESSION,
  said,
  toolResult,
  used,
} from "../../../test/fixtures/claude-lines.ts";
import { readClaudeBeginning, readClaudeLine } from "./claude-stream.ts";

const read = (fields: unknown) => readClaudeLine(JSON.stringify(fields));
const eventsOf = (fields: unknown) => read(fields).events;
const note = (text: string) => ({ type: "note", text });
const limit = (text: string, until: number | null = null) => ({ type: "limit", text, until });

test("the first line names the session and the model", () => {
  expect(read(init())).toEqual({
    is_event: true,
    events: [{ type: "session", session: SESSION, model: "claude-sonnet-5-5" }],
  });
  expect(eventsOf(init({ session_id: undefined }))).toEqual([]);
});

test("what it says and the tools that it uses are told; what it thinks is not", () => {
  const content = [{ type: "thinking", thinking: "hm" }, said("I will look."), said("  "), used("Bash", {})];
  expect(eventsOf(assistant(content))).toEqual([
    { type: "text", text: "I will look." },
    { type: "tool", name: "Bash", about: "", id: "toolu_1" },
  ]);
});

test.each([
  ["Bash", { command: "npm test\n&& git status", description: "run the tests" }, "npm test"],
  ["Write", { content: "secret", file_path: "/w/a.js" }, "/w/a.js"],
  ["Grep", { pattern: "todo", path: "/w" }, "todo"],
  ["WebFetch", { prompt: "what is it", url: "http://127.0.0.1/" }, "http://127.0.0.1/"],
  ["Task", { description: "look around", prompt: "..." }, "look around"],
  ["mcp__x__y", { n: 1 }, ""],
  ["Bash", { command: "x".repeat(500) }, `${"x".repeat(199)}…`],
])("of the tool %s it tells with what", (name, input, about) => {
  expect(eventsOf(assistant([used(name, input)]))).toEqual([{ type: "tool", name, about, id: "toolu_1" }]);
});

test("a tool that ended is told, and noted when it failed or was refused", () => {
  const ended = { type: "tool_ended", id: "toolu_1" };
  expect(eventsOf(toolResult("fine", false))).toEqual([ended]);
  expect(eventsOf(toolResult("\nExit code 1\nmore", true))).toEqual([ended, note("a tool failed: Exit code 1")]);
  expect(eventsOf(toolResult([{ type: "text", text: "no such file" }], true))).toEqual([
    ended,
    note("a tool failed: no such file"),
  ]);
  const denied = { type: "system", subtype: "permission_denied", tool_name: "Bash", message: "rm needs approval." };
  expect(eventsOf(denied)).toEqual([note("Bash was refused: rm needs approval.")]);
});

test("a failing service is noted, and a login that is refused is counted", () => {
  expect(read(retry("overloaded", 2, 529))).toEqual({
    is_event: true,
    events: [limit("the model's service failed (overloaded 529): retry 2 of 10 in 1.2 s")],
    retry: { kind: "overload", attempt: 2, delay_ms: 1_180 },
  });
  expect(read(retry("rate_limit", 1, 429)).retry).toEqual({ kind: "limit", attempt: 1, delay_ms: 1_180 });
  expect(read(retry("server_error", 1, 500)).retry).toMatchObject({ kind: "other" });
  expect(eventsOf(retry("unknown", 1, null))).toEqual([
    note("the model's service failed (unknown): retry 1 of 10 in 1.2 s"),
  ]);
  expect(read(retry("authentication_failed", 3, 401)).retry).toMatchObject({ kind: "auth", attempt: 3 });
  const own = assistant([said("API Error: 529 Overloaded")], { is_api_error_message: true });
  expect(eventsOf(own)).toEqual([note("API Error: 529 Overloaded")]);
});

test("half an answer that it ended itself, after the last retry over a broken connection, is no whole one", () => {
  const last = {
    type: "system",
    subtype: "api_retry",
    attempt: 2,
    max_retries: 2,
    retry_delay_ms: 5,
    error: "unknown",
  };
  expect(read({ ...last, error_status: null }).isCut).toBe(true);
  expect(read({ ...last, error_status: null, attempt: 1 }).isCut).toBeUndefined();
  expect(read({ ...last, error_status: 500 }).isCut).toBeUndefined();
  const ofModel = (stop_reason: string | null) =>
    read({ type: "assistant", message: { stop_reason, content: [said("Half a sent")] } });
  expect(ofModel("end_turn").isCut).toBeUndefined();
  expect(ofModel(null).isCut).toBe(false);
});

test("a limit is in force from the event that turns it away until one that lets it in", () => {
  expect(read(rateLimit("rejected", 1_795_960_317))).toEqual({
    is_event: true,
    events: [limit("a usage limit is reached (five_hour)", 1_795_960_317_000)],
    limit: { resets_at: 1_795_960_317_000, kind: "five_hour" },
  });
  expect(read(rateLimit("rejected")).limit).toEqual({ resets_at: null, kind: "five_hour" });
  expect(read(rateLimit("allowed_warning"))).toMatchObject({
    events: [note("a usage limit is near (five_hour)")],
    limit: null,
  });
  expect(read(rateLimit("allowed", 1_795_960_317))).toEqual({ is_event: true, events: [], limit: null });
});

test.each([0, -5, 5, 1e300, 1_795_960_317_000, "1795960317"])("%j is no time to wait for", (resetsAt) => {
  expect(read(rateLimit("rejected", resetsAt as number)).limit).toEqual({ resets_at: null, kind: "five_hour" });
});

test("what the whole conversation used is the sum over its models, which have words of their own", () => {
  const model = { inputTokens: 10, outputTokens: 2, cacheReadInputTokens: 300, cacheCreationInputTokens: 4 };
  const { spent } = read(result({ modelUsage: { sonnet: model, haiku: { ...model, costUSD: "odd" }, odd: 3 } }))
    .result!;
  expect(spent).toEqual({ usage: { input: 20, output: 4, cache_read: 600, cache_write: 8 }, cost_usd: 0.0421 });
});

test("an answer tells what it began with, in each of its parts", () => {
  const usage = { input: 90, output: 1, cache_read: 0, cache_write: 0 };
  expect(read(assistant([])).answer).toEqual({ id: "msg_1", usage });
  expect(read(assistant([], { message: { id: "msg_2" } })).answer).toBeUndefined();
});

test("a result has its kind, its words, and four buckets that do not overlap", () => {
  const usage = { input: 120, output: 450, cache_read: 7_000, cache_write: 30 };
  expect(read(result())).toEqual({
    is_event: true,
    events: [],
    result: {
      subtype: "success",
      is_error: false,
      text: "Cart totals are right.",
      api_error_status: null,
      api_error: null,
      usage,
      cost_usd: 0.0421,
      spent: null,
    },
  });
  expect(read({ type: "result" }).result).toEqual({
    subtype: "unknown",
    is_error: true,
    text: null,
    api_error_status: null,
    api_error: null,
    usage: null,
    cost_usd: null,
    spent: null,
  });
  const errors = ["Reached maximum number of turns (2)", 5, "again"];
  expect(read(result({ subtype: "error_max_turns", is_error: true, result: undefined, errors })).result).toMatchObject({
    subtype: "error_max_turns",
    is_error: true,
    text: "Reached maximum number of turns (2); again",
  });
});

test.each(["", "Error: no", "{", '{"type":"result"', "[]", '"x"'])("%j is no event", (line) => {
  expect(readClaudeLine(line)).toEqual({ is_event: false, events: [] });
});

test.each([{ type: "new_in_the_next_release" }, { type: "system", subtype: "status" }, {}, { type: 5 }])(
  "%j is an event that nothing is known of",
  (fields) => expect(read(fields)).toEqual({ is_event: true, events: [] }),
);

test("what it asks has its name and what it is about; one that is too long is known by its name", () => {
  const asks = { type: "control_request", request_id: "6-a", request: { subtype: "can_use_tool", tool_name: "Bash" } };
  expect(read(asks).asks).toEqual({
    id: "6-a",
    subtype: "can_use_tool",
    request: { subtype: "can_use_tool", tool_name: "Bash" },
  });
  expect(read({ ...asks, request_id: 5 })).toEqual({ is_event: true, events: [] });
  expect(readClaudeBeginning(JSON.stringify(asks).slice(0, 60))).toBe("6-a");
  expect(readClaudeBeginning(JSON.stringify(assistant([said('"type":"control_request"')])).slice(0, 80))).toBeNull();
});

test("that a request of ours was refused is noted", () => {
  const answer = (response: object) => eventsOf({ type: "control_response", response });
  expect(answer({ subtype: "error", request_id: "1", error: "no such thing" })).toEqual([
    note("it refused a request: no such thing"),
  ]);
  expect(answer({ subtype: "success", request_id: "1", response: { commands: [] } })).toEqual([]);
});

test("any JSON in any place is read, never thrown at", () => {
  const keys = ["message", "content", "rate_limit_info", "usage", "errors", "result", "subtype", "session_id", "input"];
  const subtype = fc.constantFrom("init", "api_retry", "permission_denied", "success");
  const value = fc.letrec((tie) => ({
    any: fc.oneof(
      { maxDepth: 3 },
      fc.oneof(fc.jsonValue(), subtype, fc.constantFrom("tool_use", "text", "rejected")),
      fc.array(tie("any"), { maxLength: 3 }),
      fc.dictionary(fc.constantFrom(...keys, "type", "name", "text", "status"), tie("any"), { maxKeys: 5 }),
    ),
  })).any;
  const types = ["system", "assistant", "user", "rate_limit_event", "result", "control_request", "control_response"];
  const type = fc.constantFrom(...types);
  const fields = fc.dictionary(fc.constantFrom(...keys), value, { maxKeys: 6 });
  fc.assert(
    fc.property(type, fields, (type, rest) => {
      const line = read({ ...rest, type });
      expect(line.is_event).toBe(true);
      if (line.result?.usage)
        for (const count of Object.values(line.result.usage)) expect(count).toBeGreaterThanOrEqual(0);
    }),
    { numRuns: 500 },
  );
});
