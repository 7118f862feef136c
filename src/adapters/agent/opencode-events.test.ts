import { expect, test } from "vitest";
import { openCode, OPENCODE_SESSION as session } from "../../../test/fixtures/opencode-events.ts";
import { readOpenCodeEvent } from "./opencode-events.ts";

const message = "msg_1";
const { summary, text, tool, step, retry, status, idle, error, model, asked, event, part } = openCode;

test("each event is read for what it says, and for whose it is", () => {
  expect(readOpenCodeEvent(model("lab", "one"))).toEqual({ session, message, model: "lab/one" });
  const user = { id: "msg_1", role: "user", model: { providerID: "lab", modelID: "one" } };
  expect(readOpenCodeEvent(event("message.updated", { info: user }))).toEqual({ session, message, model: "lab/one" });
  // What sums up may be another model, and is no answer.
  expect(readOpenCodeEvent(summary("msg_1"))).toEqual({ session, message, is_summary: true });
  expect(readOpenCodeEvent(event("session.compacted", {}))).toEqual({
    ...{ session, is_summed_up: true },
    events: [{ type: "note", text: "its conversation was summed up to make room" }],
  });
  expect(readOpenCodeEvent(text(" Done. ", "prt_1"))).toEqual({
    ...{ session, message, is_work: "words" },
    said: { part: "prt_1", text: "Done." },
  });
  expect(readOpenCodeEvent(idle())).toEqual({ session, is_idle: true });
  expect(readOpenCodeEvent(status({ type: "idle" }))).toEqual({ session, is_idle: true });
  expect(readOpenCodeEvent(status({ type: "busy" }))).toEqual({ session, is_work: "busy" });
  expect(readOpenCodeEvent(retry("Again", 7))).toEqual({
    ...{ session, is_work: "busy" },
    retry: { type: "retry", attempt: 1, message: "Again", next: 7 },
  });
  expect(readOpenCodeEvent(error("APIError", { message: "no" }))).toEqual({
    ...{ session, error: { name: "APIError", data: { message: "no" } } },
  });
  expect(readOpenCodeEvent(asked("per_1", "bash", { command: "ls" }))).toMatchObject({
    ...{ session, ask: { id: "per_1", session, call: "call_1" } },
  });
});

test("a step tells why it ended and what it cost: thoughts are output, and the cache is beside the input", () => {
  expect(readOpenCodeEvent(step("tool-calls", "prt_1")).step).toEqual({
    ...{ part: "prt_1", reason: "tool-calls", cost_usd: 0.003_84 },
    usage: { input: 1_000, output: 50, cache_read: 300, cache_write: 5 },
  });
  expect(readOpenCodeEvent(part({ type: "step-finish", tokens: "many", cost: -1 })).step).toEqual({
    ...{ part: "", reason: "unknown", cost_usd: 0 },
    usage: { input: 0, output: 0, cache_read: 0, cache_write: 0 },
  });
});

test("a tool is one when it runs, and words are whole when they have an end", () => {
  const input = { description: "look", path: "/a" };
  expect(readOpenCodeEvent(tool("c", "list", { status: "pending", input })).tool).toBeUndefined();
  expect(readOpenCodeEvent(tool("c", "list", { status: "running", input })).tool).toEqual({
    ...{ call: "c", name: "list", about: "/a", state: "begun", why: "it does not say why" },
  });
  expect(readOpenCodeEvent(tool("c", "list", { status: "error", error: "gone" })).tool).toMatchObject({
    ...{ about: "", state: "failed", why: "gone" },
  });
  expect(readOpenCodeEvent(part({ type: "text", text: "It beg", time: { start: 1 } }))).toEqual({
    ...{ session, message, is_work: "words" },
  });
});

test("what is not known, or of another shape, says nothing and throws nothing", () => {
  const odd = [{}, { type: 7 }, { type: "message.part.updated" }, { type: "session.status", properties: [] }];
  expect(odd.map(readOpenCodeEvent)).toEqual([
    { session: null },
    { session: null },
    { session: null, is_work: "busy" },
    { session: null, is_work: "busy" },
  ]);
  expect(
    readOpenCodeEvent({ properties: { sessionID: session, part: { type: "some-day" } }, type: "message.part.updated" }),
  ).toEqual({
    ...{ session, is_work: "busy" },
  });
  expect(readOpenCodeEvent({ type: "session.error", properties: {} })).toEqual({ session: null });
  expect(readOpenCodeEvent({ type: "file.edited", properties: { file: 3 } })).toEqual({ session: null });
  expect(readOpenCodeEvent({ type: "todo.updated", properties: { todos: [{ content: "a" }] } })).toEqual({
    session: null,
  });
});
