import fc from "fast-check";
import { expect, test } from "vitest";
import { readAcpBeginning, readAcpLine } from "./acp-message.ts";

test("answers, requests and notifications are told apart whatever the order of their members", () => {
  expect(readAcpLine('{"jsonrpc":"2.0","id":3,"result":{"stopReason":"end_turn"}}')).toEqual({
    kind: "answer",
    id: 3,
    result: { stopReason: "end_turn" },
    error: null,
  });
  expect(readAcpLine('{"result":null,"id":"3","jsonrpc":"2.0"}')).toEqual({
    kind: "answer",
    id: 3,
    result: {},
    error: null,
  });
  expect(readAcpLine('{"params":{"a":1},"id":0,"method":"fs/read_text_file"}')).toEqual({
    kind: "request",
    id: 0,
    method: "fs/read_text_file",
    params: { a: 1 },
  });
  expect(readAcpLine(' {"method":"session/update","params":{"a":1},"extra":true}')).toEqual({
    kind: "notification",
    method: "session/update",
    params: { a: 1 },
  });
});

test("an error is told with its details, which its message often lacks", () => {
  const data = { details: "No such session." };
  expect(readAcpLine(JSON.stringify({ id: 2, error: { code: -32603, message: "Internal error", data } }))).toEqual({
    kind: "answer",
    id: 2,
    result: null,
    error: { code: -32603, message: "Internal error: No such session.", data },
  });
  expect(readAcpLine('{"id":2,"error":{"code":"x"}}')).toMatchObject({
    error: { code: null, message: "it does not say what went wrong" },
  });
});

test.each([
  "",
  "Warning: old",
  "{",
  "{ not json }",
  "[]",
  "null",
  "7",
  '"text"',
  "{}",
  '{"id":1}',
  '{"id":"x","result":1}',
])("%j is no message", (line) => {
  expect(readAcpLine(line)).toEqual({ kind: "stray" });
});

test("of a line that is too long its beginning tells who waits for what", () => {
  const long = "x".repeat(5_000);
  expect(
    readAcpBeginning(`{"jsonrpc":"2.0","id":"p1","method":"session/request_permission","params":{"a":"${long}`),
  ).toEqual({ kind: "request", id: "p1", method: "session/request_permission", params: {} });
  expect(readAcpBeginning(`{"jsonrpc":"2.0","id":4,"result":{"text":"${long}`)).toMatchObject({
    kind: "answer",
    id: 4,
    error: { message: "its answer was too long to be read" },
  });
  expect(readAcpBeginning(`{"jsonrpc":"2.0","method":"session/update","params":{"a":"${long}`)).toEqual({
    kind: "stray",
  });
  expect(readAcpBeginning(long)).toEqual({ kind: "stray" });
});

test("nothing that is JSON, and no text, makes it throw", () => {
  fc.assert(
    fc.property(
      fc.oneof(
        fc.json(),
        fc.string(),
        fc.string().map((text) => `{"id":${text}`),
      ),
      (line) => {
        readAcpLine(line);
        readAcpBeginning(line);
      },
    ),
  );
});
