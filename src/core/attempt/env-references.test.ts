import { expect, test } from "vitest";
import { expandReferences } from "./env-references.ts";

const ENV = Object.assign(Object.create(null), { KEY: "k-1", EMPTY: "" });

const braced = (name: string): string => `$\{${name}}`;

test.each([
  ["plain", "plain", []],
  ["$KEY", "k-1", ["KEY"]],
  [`Bearer ${braced("KEY")}!`, "Bearer k-1!", ["KEY"]],
  ["$KEY_2$KEY", "k-1", ["KEY_2", "KEY"]],
  ["$EMPTY", "", ["EMPTY"]],
  [`$$KEY costs 5$ or ${braced("5")}`, `$KEY costs 5$ or ${braced("5")}`, []],
  [braced("toString"), "", ["toString"]],
])("%j is %j, and refers to %j", (text, value, names) => {
  expect(expandReferences(text, ENV)).toEqual({ value, names });
});
