import { expect, test } from "vitest";
import { callOf, readAsk } from "./opencode-permission.ts";

function call(permission: string, metadata: object, tool: string | null = null) {
  const ask = readAsk({ id: "per_1", sessionID: "ses_1", permission, metadata, patterns: ["a", "b", 3] });
  return ask === null ? null : Object.values(callOf(ask, tool));
}

test("what it asks leave for has a kind, its tool and what it is about", () => {
  expect(call("bash", { command: "a && b" })).toEqual(["run", "bash", "a && b"]);
  expect(call("edit", { filepath: "/w/a" }, "write")).toEqual(["write", "write", "/w/a"]);
  expect(call("webfetch", { url: "http://a/" })).toEqual(["fetch", "webfetch", "http://a/"]);
  expect(call("read", {})).toEqual(["read", "read", "a b"]);
  expect(call("lab_echo", {})).toEqual(["other", "lab_echo", "a b"]);
});

test("what lies outside its place is of the kind of the tool that wants to go there", () => {
  expect(call("external_directory", { command: "rm /x" }, "bash")).toEqual(["run", "bash", "rm /x"]);
  expect(call("external_directory", { filepath: "/x" }, "write")).toEqual(["write", "write", "/x"]);
  expect(call("external_directory", { filepath: "/x" }, "read")).toEqual(["read", "read", "/x"]);
});

test("a question without a name cannot be answered, and one with hardly anything else can", () => {
  expect(readAsk({ permission: "bash" })).toBeNull();
  expect(readAsk({ id: "per_1", metadata: null, patterns: "x" })).toEqual({
    ...{ id: "per_1", session: null, call: null },
    about: { kind: "other", about: "", permission: "" },
  });
});
