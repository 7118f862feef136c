import fc from "fast-check";
import { expect, test } from "vitest";
import { readCommandLine } from "./command-events.ts";

const event = (event: object) => ({ kind: "event", event });
const malformed = (why: string) => ({ kind: "malformed", why });
const ZERO = { input: 0, output: 0, cache_read: 0, cache_write: 0 };

test.each([
  [{ type: "progress", text: "half" }, event({ type: "progress", text: "half" })],
  [{ type: "note", text: "a\0b" }, event({ type: "note", text: "a\ufffdb" })],
  [{ type: "session", session: "s-1" }, event({ type: "session", session: "s-1", model: null })],
  [{ type: "session", session: "s-1", model: "m" }, event({ type: "session", session: "s-1", model: "m" })],
  [{ type: "usage", input: 3, more: 1 }, event({ type: "usage", usage: { ...ZERO, input: 3 }, cost_usd: null })],
  [
    { type: "usage", input: 1, output: 2, cache_read: 3, cache_write: 4, cost_usd: 0.5 },
    event({ type: "usage", usage: { input: 1, output: 2, cache_read: 3, cache_write: 4 }, cost_usd: 0.5 }),
  ],
  [{ type: "result" }, { kind: "result", result: { outcome: "succeeded", summary: null, error: null } }],
  [
    { type: "result", summary: "did it", at: 5 },
    { kind: "result", result: { outcome: "succeeded", summary: "did it", error: null } },
  ],
  [
    { type: "result", error: "no model" },
    { kind: "result", result: { outcome: "failed", summary: null, error: "no model" } },
  ],
  [
    { type: "result", outcome: "blocked", error: "which one?" },
    { kind: "result", result: { outcome: "blocked", summary: null, error: "which one?" } },
  ],
  [{ type: "progress" }, malformed('a progress line needs a "text" that is a string')],
  [
    { type: "session", session: 1 },
    malformed('a session line needs a "session" that is a string, and may have a "model"'),
  ],
  [
    { type: "usage", input: -1 },
    malformed('a usage line has whole numbers: input, output, cache_read, cache_write; and may have a "cost_usd"'),
  ],
  [
    { type: "usage", cost_usd: 1 },
    malformed('a usage line has whole numbers: input, output, cache_read, cache_write; and may have a "cost_usd"'),
  ],
  [
    { type: "result", outcome: "done" },
    malformed(
      'a result line may have an "outcome" (succeeded, failed, blocked), a "summary" and an "error", all texts',
    ),
  ],
  [{ type: "system" }, { kind: "output" }],
  [{ text: "half" }, { kind: "output" }],
])("%j", (line, read) => {
  expect(readCommandLine(JSON.stringify(line))).toEqual(read);
});

test.each(["", "plain words", '"text"', "[1]", "{", '{"type":"result"', '{"type":"result"} trailing', "null"])(
  "%j is plain output",
  (line) => expect(readCommandLine(line)).toEqual({ kind: "output" }),
);

test("a long text is cut, and never in the middle of a character", () => {
  const read = readCommandLine(JSON.stringify({ type: "note", text: "🙂".repeat(5_000) }));
  if (read.kind !== "event" || read.event.type !== "note") throw new Error(read.kind);
  expect(read.event.text.length).toBeLessThanOrEqual(4_000);
  expect(Buffer.from(read.event.text).toString()).toBe(read.event.text);
});

test("any JSON at all is read, never thrown at", () => {
  const value = fc.oneof(fc.jsonValue(), fc.record({ type: fc.constantFrom("usage", "result", "session", "note") }));
  const fields = fc.dictionary(fc.constantFrom("text", "input", "outcome", "summary", "session", "cost_usd"), value);
  const type = fc.constantFrom("usage", "result", "session", "note", "progress");
  fc.assert(
    fc.property(type, fields, (type, rest) => {
      expect(readCommandLine(JSON.stringify({ ...rest, type })).kind).not.toBe("output");
    }),
  );
});
