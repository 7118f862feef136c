import { expect, test } from "vitest";
import { formatPath, quoted, unknownName } from "./finding.ts";
import { editDistance, nearestTo } from "./nearest.ts";

test("the nearest word is the one with the fewest edits, and the first of equals", () => {
  expect(nearestTo("dependson", ["id", "depends_on", "files_owned"])).toBe("depends_on");
  expect(nearestTo("VERIFY", ["verify_timeout", "verify"])).toBe("verify");
  expect(nearestTo("ab", ["ac", "ad"])).toBe("ac");
  expect(nearestTo("x", [])).toBeNull();
  expect(editDistance("kitten", "sitting")).toBe(3);
});

test("a very long word is compared by its beginning", () => {
  expect(nearestTo("x".repeat(1_000_000), ["verify", "x".repeat(64)])).toBe("x".repeat(64));
});

test("a path is written as a person would write it", () => {
  expect(formatPath([])).toBe("");
  expect(formatPath(["tasks", 3, "depends_on", 0])).toBe("tasks[3].depends_on[0]");
  expect(formatPath(["scopes", "a b", "paths"])).toBe('scopes["a b"].paths');
});

test("a foreign value is quoted, shortened, and without control characters", () => {
  expect(quoted('say "x"\u001b[0m')).toBe('"say \\"x\\"\\u001b[0m"');
  expect(quoted("x".repeat(100))).toBe(`"${"x".repeat(80)}…"`);
  expect(unknownName("lane", "buld", ["build", "full"])).toBe('unknown lane "buld": the nearest known one is "build"');
  expect(unknownName("agent", "x", [])).toBe('unknown agent "x": none is known');
});
