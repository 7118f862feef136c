import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { logInOf } from "./log-in.ts";

function homeWith(files: Record<string, string> = {}): string {
  const home = mkdtempSync(join(tmpdir(), "lockstep-log-in-"));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(home, name)), { recursive: true });
    writeFileSync(join(home, name), text);
  }
  return home;
}

test.each([
  ["claude", ".claude/.credentials.json"],
  ["codex", ".codex/auth.json"],
  ["gemini", ".gemini/oauth_creds.json"],
  ["opencode", ".local/share/opencode/auth.json"],
] as const)("a log-in that %s keeps in its home is seen from outside", async (name, file) => {
  const home = homeWith({ [file]: '{"token":"secret"}' });
  expect(await logInOf(name, {}, home)).toEqual({ state: "logged in", by: `by ${join(home, file)}` });
  // One that was logged out keeps an empty document.
  const empty = homeWith({ [file]: "{}" });
  expect((await logInOf(name, {}, empty)).state).not.toBe("logged in");
});

test("a key in its environment is a log-in, and its value is not told", async () => {
  const env = { ANTHROPIC_API_KEY: "sk-secret" };
  expect(await logInOf("claude", env, homeWith())).toEqual({ state: "logged in", by: "by ANTHROPIC_API_KEY" });
});

test("without file and key it is not logged in, as far as there is no other way", async () => {
  const home = homeWith();
  expect(await logInOf("codex", {}, home)).toEqual({
    state: "not logged in",
    by: `there is no ${home}/.codex/auth.json, and none of CODEX_API_KEY is set`,
  });
  expect((await logInOf("opencode", {}, home)).state).toBe("cannot be told");
  expect((await logInOf("goose", {}, home)).state).toBe("cannot be told");
  expect(await logInOf("claude", { CLAUDE_CODE_USE_BEDROCK: "1" }, home)).toEqual({
    state: "cannot be told",
    by: "CLAUDE_CODE_USE_BEDROCK is set",
  });
  const settled = homeWith({ ".codex/config.toml": 'model_provider = "mine"\n' });
  expect(await logInOf("codex", {}, settled)).toEqual({
    state: "cannot be told",
    by: `there is no ${settled}/.codex/auth.json, but ${settled}/.codex/config.toml may say otherwise`,
  });
});
