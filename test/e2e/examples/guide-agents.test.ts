/** What the guide on agents shows is right. */

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test } from "vitest";
import { readCommandLine } from "../../../src/adapters/agent/command-events.ts";
import { readScript } from "../../../src/adapters/agent/script.ts";
import { readConfig } from "../../../src/config/read-config.ts";

const guide = readFileSync(fileURLToPath(new URL("../../../docs/guides/agents.md", import.meta.url)), "utf8");
const block = (language: string): string => guide.split(`\`\`\`${language}\n`)[1]!.split("```")[0]!;

test("the configuration of the guide is accepted", async () => {
  const dir = mkdtempSync(join(tmpdir(), "lockstep-guide-"));
  onTestFinished(() => rmSync(dir, { recursive: true }));
  writeFileSync(join(dir, "lockstep.yaml"), block("yaml"));
  expect(await readConfig(join(dir, "lockstep.yaml"), "repository")).toMatchObject({ ok: true });
});

test("the script of the guide is accepted", () => {
  expect(readScript(block("json"))).toMatchObject({ ok: true });
});

test("every line that the guide shows of a command is an event", () => {
  const lines = [...guide.matchAll(/^\| `(\{"type".*?\})` \|/gm)].map((match) => match[1]!);
  expect(lines).toHaveLength(6);
  for (const line of lines) expect(["event", "result"]).toContain(readCommandLine(line).kind);
});
