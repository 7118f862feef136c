import { expect, test } from "vitest";
import { allCommands, filesOfChecks } from "./check-commands.ts";

test("a check's files are those that it names, and the scripts of its package or Makefile", () => {
  expect(filesOfChecks(["bash scripts/check.sh", "npm test"])).toEqual(["scripts/check.sh", "package.json"]);
  expect(filesOfChecks(["make check"])).toEqual(["Makefile"]);
  expect(filesOfChecks(["pytest -q"])).toEqual([]);
});

test("the scripts that a check of npm reaches are commands, too, with those before and after them", () => {
  const scripts = {
    pretest: "node tools/clean.mjs",
    test: "npm run lint && node tools/test.mjs",
    lint: "yarn -s lint:types",
    "lint:types": "tsc -p .",
    loop: "npm run loop",
    other: "node other.mjs",
  };
  const texts = new Map([["package.json", JSON.stringify({ scripts })]]);
  expect(allCommands(["npm t"], texts).sort()).toEqual(
    ["npm t", scripts.pretest, scripts.test, scripts.lint, scripts["lint:types"]].sort(),
  );
  expect(allCommands(["npm run loop"], texts)).toEqual(["npm run loop", "npm run loop"]);
  expect(allCommands(["npm test"], new Map([["package.json", "{"]]))).toEqual(["npm test"]);
  expect(allCommands(["npm test"], new Map([["package.json", "null"]]))).toEqual(["npm test"]);
});

test("what a named script runs is named by the check", () => {
  const text = "set -e\nnode --test-reporter=dot verify.mjs && ./bin/lint\n  python3 -u tools/x.py; cat notes.txt\n";
  expect(allCommands(["sh check.sh"], new Map([["check.sh", text]]))).toEqual([
    "sh check.sh",
    "verify.mjs",
    "./bin/lint",
    "tools/x.py",
  ]);
});
