import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { localProcesses } from "../adapters/processes/local-processes.ts";
import { askVersion, versionIn } from "./version.ts";

test.each([
  ["claude", "2.1.332 (Claude Code)\n", "2.1.332"],
  ["claude", "2.1.332\n", null],
  ["codex", "codex-cli 0.171.0\n", "0.171.0"],
  ["codex", "0.171.0\n", null],
  ["gemini", "a warning\n0.61.0\n", "0.61.0"],
  ["opencode", "1.18.33-beta.1\n", "1.18.33-beta.1"],
  ["opencode", "version 1.18.33\n", null],
  ["goose", " 1.9.3\n", "1.9.3"],
] as const)("a program is known by how it says its version: %s %j", (name, printed, version) => {
  expect(versionIn(name, printed)).toBe(version);
});

function program(body: string): string {
  const dir = mkdtempSync(join(tmpdir(), "lockstep-version-test-"));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  const file = join(dir, "claude");
  writeFileSync(file, `#!/bin/sh\n${body}\n`);
  chmodSync(file, 0o755);
  return file;
}

const ask = (file: string): Promise<string | null> =>
  askVersion("claude", file, process.env["PATH"]!, localProcesses());

test("a program is asked in an empty place, with a home of its own and nothing on its input", async () => {
  const body = '[ -z "$(cat)" ] && [ "$HOME" = "$PWD" ] && [ "$1" = --version ] && echo "9.8.7 (Claude Code)"';
  expect(await ask(program(body))).toBe("9.8.7");
});

test("one that fails, or says something else, has no version", async () => {
  expect(await ask(program('echo "9.8.7 (Claude Code)"; exit 1'))).toBeNull();
  expect(await ask(program("echo hello"))).toBeNull();
});
