import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
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

test("what the system does not let anybody look at, for whatever reason, is no program, and the search goes on", () => {
  mkdirSync(join(dir, "good"));
  writeFileSync(join(dir, "good/tool"), "", { mode: 0o700 });
  symlinkSync("loop", join(dir, "loop"));
  for (const place of ["loop", "a".repeat(5_000)]) {
    expect(findProgram("tool", dir, join(dir, place))).toBeNull();
    expect(findProgram("tool", dir, `${join(dir, place)}:good`)).toBe(join(dir, "good/tool"));
  }
});

test("a directory on the PATH that may not be looked into has no programs", () => {
  const closed = join(dir, "closed");
  mkdirSync(closed, { mode: 0o700 });
  writeFileSync(join(closed, "tool"), "", { mode: 0o700 });
  const lookedUp = asNobodySpecial(closed, () => findProgram("tool", dir, closed));
  expect(lookedUp).toBeNull();
  expect(findProgram("tool", dir, closed)).toBe(join(closed, "tool"));
});

/** Root may look everywhere, so it is another user meanwhile; anybody else closes what is its own. */
function asNobodySpecial<T>(closed: string, look: () => T): T {
  const isRoot = process.geteuid!() === 0;
  if (isRoot) process.seteuid!(NOBODY);
  else chmodSync(closed, 0);
  try {
    return look();
  } finally {
    if (isRoot) process.seteuid!(0);
    else chmodSync(closed, 0o700);
  }
}

const NOBODY = 65_534;
