import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { findProgram } from "./find-program.ts";

const dir = realpathSync(mkdtempSync(join(tmpdir(), "lockstep-find-")));
afterAll(() => rmSync(dir, { recursive: true, force: true }));

test("a program is looked up as the system would: by its path, or along the PATH", () => {
  mkdirSync(join(dir, "one"));
  mkdirSync(join(dir, "two/tool"), { recursive: true });
  writeFileSync(join(dir, "one/data"), "");
  for (const name of ["tool", "data"])
    writeFileSync(join(dir, "one", name), "", { mode: name === "tool" ? 0o700 : 0o600 });
  const path = `${join(dir, "none")}:${join(dir, "two")}:one`;
  expect(findProgram("tool", dir, path)).toBe(join(dir, "one/tool"));
  expect(findProgram("./one/tool", dir, "")).toBe(join(dir, "one/tool"));
  expect(findProgram("data", dir, path)).toBeNull();
  expect(findProgram("other", dir, path)).toBeNull();
});

test.runIf(process.getuid?.() !== 0)("a directory on the PATH that may not be looked into has no programs", () => {
  mkdirSync(join(dir, "closed"), { mode: 0o700 });
  chmodSync(join(dir, "closed"), 0);
  expect(findProgram("tool", dir, join(dir, "closed"))).toBeNull();
  chmodSync(join(dir, "closed"), 0o700);
});
