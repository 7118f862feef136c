import { expect, test } from "vitest";
import { missingProgram } from "./missing-program.ts";

const THERE = new Set(["npm", "timeout", "bash", "/opt/there"]);
const find = (program: string): string | null => (THERE.has(program) ? program : null);

test.each([
  ["linter --all", "linter"],
  ["cd app && CI=1 linter", "linter"],
  ["npm ci; timeout 5 linter | tail -1", "linter"],
  ["bash -c 'linter'", "linter"],
  ["/opt/linter/bin/run", "/opt/linter/bin/run"],
])("what only the machine can bring is named: %s", async (line, program) => {
  expect(await missingProgram(line, { dir: "/tree", find })).toBe(program);
});

test.each([
  ["npm test"],
  ["./check.sh"],
  ["scripts/check.sh --all"],
  ["/tree/check.sh"],
  ["/opt/there"],
  ["$LINTER --all"],
  ["cd app && test -f a"],
  ["lint() { npm test; }; lint"],
])("what the tree can bring, is there, or is not known is not: %s", async (line) => {
  expect(await missingProgram(line, { dir: "/tree", find })).toBeNull();
});
