import fc from "fast-check";
import { expect, test } from "vitest";
import {
  command,
  errorNotice,
  failure,
  fileChange,
  item,
  mcpCall,
  notice,
  rateLimits,
  said,
  THREAD,
  TURN,
  tokens,
  turnEnded,
  window,
} from "../../../test/fixtures/codex-lines.ts";
import type { AgentEvent } from "../../ports/agent.ts";
import { type CodexNotice, readCodexLine } from "./codex-stream.ts";

const read = (fields: unknown) => readCodexLine(JSON.stringify(fields));

function noticeOf(fields: unknown): CodexNotice {
  const line = read(fields);
  if (line.kind !== "notice") throw new Error(`${line.kind} is no notice`);
  return line;
}

const eventsOf = (fields: unknown): AgentEvent[] => noticeOf(fields).events;
const note = (text: string) => ({ type: "note", text });
const begun = (fields: Record<string, unknown>) => eventsOf(item("item/started", fields));
const done = (fields: Record<string, unknown>) => eventsOf(item("item/completed", fields));

test("an answer has its number and what it gave, or why it was refused", () => {
  expect(read({ id: 2, result: { thread: { id: THREAD } } })).toEqual({
    kind: "answer",
    id: 2,
    result: { thread: { id: THREAD } },
    error: null,
  });
  expect(read({ error: { code: -32_600, message: "no rollout found" }, id: 2 })).toEqual({
    kind: "answer",
    id: 2,
    result: {},
    error: "no rollout found",
  });
  expect(read({ error: null, id: 2 })).toMatchObject({ error: "no reason given" });
});

test("what it asks has a number of its own, which may be a text", () => {
  const ask = { method: "item/commandExecution/requestApproval", id: 0, params: { command: "rm -rf x" } };
  expect(read(ask)).toEqual({ kind: "request", ...ask });
  expect(read({ method: "new/request", id: "a" })).toEqual({
    kind: "request",
    id: "a",
    method: "new/request",
    params: {},
  });
});

test("what it says is told when it is whole; what it thinks and what it was told is not", () => {
  expect(begun(said(""))).toEqual([]);
  expect(done(said(" I will look.\n"))).toEqual([{ type: "text", text: "I will look." }]);
  expect(done(said("  "))).toEqual([]);
  expect(done({ type: "reasoning", id: "rs_1", summary: ["hm"], content: [] })).toEqual([]);
  const told = { type: "userMessage", id: "u", content: [{ type: "text", text: "do it" }] };
  expect(noticeOf(item("item/completed", told))).toMatchObject({ events: [], is_work: false });
  expect(noticeOf(item("item/started", said("")))).toMatchObject({ is_work: true, thread: THREAD, turn: TURN });
});

test.each<[string, Record<string, unknown>, AgentEvent]>([
  ["a command", command(), { type: "tool", name: "exec_command", about: "npm test", id: "call_1" }],
  [
    "a command in double quotes",
    command({ command: `/usr/bin/zsh -c "echo 'a'\nls"` }),
    { type: "tool", name: "exec_command", about: "echo 'a'", id: "call_1" },
  ],
  [
    "a command without a shell",
    command({ command: "npm test" }),
    { type: "tool", name: "exec_command", about: "npm test", id: "call_1" },
  ],
  [
    "files",
    fileChange(),
    { type: "tool", name: "apply_patch", about: "/somewhere/a.js, /somewhere/b.js", id: "call_2" },
  ],
  ["an MCP tool", mcpCall(), { type: "tool", name: "notes.find", about: "taxes", id: "call_3" }],
  [
    "the web",
    { type: "webSearch", id: "w", query: "what is it" },
    { type: "tool", name: "web_search", about: "what is it", id: "w" },
  ],
  [
    "a helper",
    { type: "collabAgentToolCall", id: "h", tool: "spawnAgent", prompt: "look around" },
    { type: "tool", name: "spawnAgent", about: "look around", id: "h" },
  ],
])("of a tool it tells which and with what: %s", (_, fields, event) => {
  expect(begun(fields)).toEqual([event]);
  expect(done({ ...fields, status: "completed" })).toEqual([{ type: "tool_ended", id: fields["id"] }]);
});

test("of what a tool gave back the first line is told", () => {
  const given = { content: [{ type: "text", text: "two notes\nmore" }] };
  expect(done(command({ status: "completed", aggregatedOutput: "12 passed\nmore" }))).toEqual([
    { type: "tool_ended", id: "call_1", said: "12 passed" },
  ]);
  expect(done(mcpCall({ status: "completed", result: given }))).toEqual([
    { type: "tool_ended", id: "call_3", said: "two notes" },
  ]);
});

test.each<[Record<string, unknown>, string]>([
  [
    command({ status: "failed", exitCode: 7, aggregatedOutput: "\nno such luck\nmore" }),
    "a tool failed: exit 7: no such luck",
  ],
  [command({ status: "failed", exitCode: 1 }), "a tool failed: exit 1"],
  [command({ status: "declined" }), "exec_command was refused"],
  [fileChange({ status: "failed" }), "a tool failed: apply_patch"],
  [mcpCall({ status: "failed", error: { message: "no such note" } }), "a tool failed: notes.find: no such note"],
])("a tool that failed or was refused is noted", (fields, text) => {
  expect(done(fields)).toEqual([{ type: "tool_ended", id: fields["id"] }, note(text)]);
});

test("an item without an id, or of a kind that is not known, is nothing", () => {
  expect(begun(command({ id: undefined }))).toEqual([]);
  expect(done({ type: "new_in_the_next_release", id: "x" })).toEqual([]);
  expect(done({ type: "contextCompaction", id: "x" })).toEqual([note("its conversation was summed up to make room")]);
});

test("the end of a turn has its status, its error and its last words", () => {
  expect(noticeOf(turnEnded("completed", null, [said("First."), said("Totals are right.\n"), command()]))).toEqual({
    kind: "notice",
    events: [],
    thread: THREAD,
    turn: TURN,
    end: { status: "completed", failure: null, summary: "Totals are right." },
  });
  expect(noticeOf(turnEnded("failed", failure("usageLimitExceeded", "No more."))).end).toEqual({
    status: "failed",
    failure: { kind: "limit", text: "No more.", status: null },
    summary: null,
  });
  expect(noticeOf(notice("turn/completed")).end).toEqual({ status: "unknown", failure: null, summary: null });
});

test.each<[unknown, string, number | null]>([
  ["usageLimitExceeded", "limit", null],
  ["rateLimitExceeded", "overload", null],
  ["serverOverloaded", "overload", null],
  ["unauthorized", "login", null],
  ["contextWindowExceeded", "context", null],
  ["sessionBudgetExceeded", "budget", null],
  ["badRequest", "request", null],
  ["modelNotFound", "request", null],
  ["cyberPolicy", "policy", null],
  ["internalServerError", "overload", null],
  ["constructor", "other", null],
  ["new_in_the_next_release", "other", null],
  [{ responseStreamDisconnected: { httpStatusCode: 429 } }, "overload", 429],
  [{ responseTooManyFailedAttempts: { httpStatusCode: 503 } }, "overload", 503],
  [{ httpConnectionFailed: { httpStatusCode: 401 } }, "login", 401],
  [{ httpConnectionFailed: { httpStatusCode: 403 } }, "login", 403],
  [{ responseStreamConnectionFailed: { httpStatusCode: null } }, "other", null],
  [{ activeTurnNotSteerable: { turnKind: "review" } }, "other", null],
  [null, "other", null],
  [{}, "other", null],
])("the code %j is a failure of the kind %s", (code, kind, status) => {
  expect(noticeOf(errorNotice(false, failure(code))).failure).toEqual({
    kind,
    text: "It failed.",
    status,
    will_retry: false,
  });
});

test("a failure is noted, with its details, and says whether it is tried again", () => {
  const again = failure({ responseStreamDisconnected: { httpStatusCode: 429 } }, "Reconnecting... 1/5", {
    additionalDetails: "last status: 429",
  });
  expect(noticeOf(errorNotice(true, again))).toMatchObject({
    events: [
      { type: "limit", text: "the model's service failed (429): Reconnecting... 1/5: last status: 429", until: null },
    ],
    failure: { will_retry: true, text: "Reconnecting... 1/5: last status: 429" },
  });
  expect(noticeOf(notice("error")).failure).toEqual({
    kind: "other",
    text: "no reason given",
    status: null,
    will_retry: false,
  });
  const raw = failure(
    "other",
    '{"type":"error","error":{"type":"invalid_request_error","message":"Unsupported value"}}',
  );
  expect(noticeOf(errorNotice(false, raw)).failure).toMatchObject({ text: "Unsupported value" });
});

test("tokens are in four buckets that do not overlap", () => {
  expect(noticeOf(tokens([1_300, 1_000, 20, 50], [130, 100, 0, 5])).tokens).toEqual({
    thread: THREAD,
    turn: TURN,
    total: { input: 280, output: 50, cache_read: 1_000, cache_write: 20 },
    last: { input: 30, output: 5, cache_read: 100, cache_write: 0 },
  });
  expect(noticeOf(tokens([1, 5, 0, -3], [0, 0, 0, 0])).tokens?.total).toEqual({
    input: 0,
    output: 0,
    cache_read: 5,
    cache_write: 0,
  });
  expect(noticeOf(tokens([1, 0, 0, 1], [1, 0, 0, 1], { threadId: null })).tokens).toBeUndefined();
});

test("the account's windows are told by how much of each is used", () => {
  expect(noticeOf(rateLimits(window(100, 1_805_000_000), window(40, null))).windows).toEqual([
    { used_percent: 100, resets_at: 1_805_000_000_000 },
    { used_percent: 40, resets_at: null },
  ]);
  expect(noticeOf(rateLimits(null)).windows).toEqual([]);
});

test.each([0, -5, 5, 1e300, 1_805_000_000_000, "1805000000"])("%j is no time to wait for", (resetsAt) => {
  expect(noticeOf(rateLimits(window(100, resetsAt as number))).windows).toEqual([
    { used_percent: 100, resets_at: null },
  ]);
});

test("how far its plan is, is its progress", () => {
  const plan = [
    { step: "look", status: "completed" },
    { step: "write", status: "inProgress" },
    { step: "test", status: "pending" },
  ];
  expect(eventsOf(notice("turn/plan/updated", { plan }))).toEqual([{ type: "progress", text: "2 of 3: write" }]);
  expect(eventsOf(notice("turn/plan/updated", { plan: [] }))).toEqual([]);
});

test.each<[string, Record<string, unknown>, string[]]>([
  ["warning", { message: "Falling back to HTTPS.\nmore" }, ["Falling back to HTTPS."]],
  ["configWarning", { summary: "no such key: modle", details: null }, ["no such key: modle"]],
  ["configWarning", { summary: "Codex could not find bubblewrap on PATH." }, []],
  ["model/rerouted", { fromModel: "a", toModel: "b" }, ["another model answers: b"]],
  [
    "mcpServer/startupStatus/updated",
    { name: "notes", status: "failed", error: "no such program" },
    ["the MCP server notes did not start: no such program"],
  ],
  ["mcpServer/startupStatus/updated", { name: "notes", status: "ready" }, []],
  ["new/in/the/next/release", { a: 1 }, []],
  ["deprecationNotice", { summary: "x" }, []],
])("what it remarks is noted, what is not known is not: %s", (method, params, notes) => {
  expect(eventsOf(notice(method, params))).toEqual(notes.map(note));
});

test.each(["", "Error: no", "{", '{"method":"error"', "[]", '"x"', "null"])("%j is no message", (line) => {
  expect(readCodexLine(line)).toEqual({ kind: "stray" });
});

test("any JSON in any place is read, never thrown at", () => {
  const keys = ["item", "turn", "error", "tokenUsage", "rateLimits", "plan", "codexErrorInfo", "changes", "arguments"];
  const more = [
    "type",
    "id",
    "status",
    "total",
    "last",
    "primary",
    "message",
    "text",
    "items",
    "threadId",
    "usedPercent",
  ];
  const word = fc.constantFrom("agentMessage", "commandExecution", "fileChange", "mcpToolCall", "failed", "inProgress");
  const value = fc.letrec((tie) => ({
    any: fc.oneof(
      { maxDepth: 3 },
      fc.oneof(fc.jsonValue(), word),
      fc.array(tie("any"), { maxLength: 3 }),
      fc.dictionary(fc.constantFrom(...keys, ...more), tie("any"), { maxKeys: 5 }),
    ),
  })).any;
  const method = fc.oneof(
    fc.constantFrom("item/started", "item/completed", "turn/completed", "turn/plan/updated", "error", "warning"),
    fc.constantFrom("thread/tokenUsage/updated", "account/rateLimits/updated", "mcpServer/startupStatus/updated"),
    value,
  );
  const fields = fc.dictionary(fc.constantFrom(...keys, ...more), value, { maxKeys: 6 });
  fc.assert(
    fc.property(method, fc.oneof(fields, value), fc.option(value), (method, params, id) => {
      const line = read({ params, method, ...(id === null ? {} : { id }) });
      expect(["answer", "request", "notice"]).toContain(line.kind);
      if (line.kind !== "notice" || !line.tokens) return;
      for (const count of Object.values(line.tokens.total)) expect(count).toBeGreaterThanOrEqual(0);
    }),
    { numRuns: 1_000 },
  );
});
