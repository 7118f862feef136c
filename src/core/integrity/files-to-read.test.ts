import { expect, test } from "vitest";
import { FILES_READ_MAX, filesToRead } from "./files-to-read.ts";

test("the files of tests and checks come first, and what no rule looks into is left away", () => {
  const paths = ["src/a.ts", "README.md", "package-lock.json", "package.json", "test/a.test.ts", "ci/verify"];
  expect(filesToRead(paths, ["bash ci/verify"])).toEqual({
    read: ["package.json", "test/a.test.ts", "ci/verify", "src/a.ts"],
    left: [],
  });
  expect(filesToRead(["README.md", "docs/guide.rst"], ["true"])).toEqual({ read: [], left: [] });
  expect(filesToRead(["CHECKS.md"], ["test -f CHECKS.md && [ ! -s ./CHECKS.md ]"]).read).toEqual([]);
  expect(filesToRead(["CHECKS.md"], ["test -e a -a ! -e CHECKS.md"]).read).toEqual([]);
  expect(filesToRead(["CHECKS.md"], ["run-doc ./CHECKS.md"]).read).toEqual(["CHECKS.md"]);
});

test("of more files than are read, those of the checks are told", () => {
  const tests = Array.from({ length: FILES_READ_MAX + 2 }, (_, index) => `test/${index}.test.ts`);
  const { read, left } = filesToRead(["src/a.ts", ...tests], []);
  expect(read).toHaveLength(FILES_READ_MAX);
  expect(left).toEqual(tests.slice(-2));
});
