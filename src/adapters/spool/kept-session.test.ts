import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import type { Launch } from "../../ports/runner.ts";
import { resumptionOf } from "./kept-session.ts";
import { spoolAt } from "./spool-files.ts";

const KEPT = { session: "s-1", attempt: 1, why: "it was interrupted" };
const ATTEMPT = { plan: "01a2-plan", task: "A", slug: "a", n: 2 };

/** What attempt 1 was given, and attempt 2 is about to be: the same, but for `words` of the first's two files. */
function resumption(words: { launch?: unknown; brief?: unknown } = {}): unknown {
  const stateDir = mkdtempSync(join(tmpdir(), "lockstep-kept-"));
  onTestFinished(() => rmSync(stateDir, { recursive: true }));
  const home = { dir: join(stateDir, "home"), shares: [], git: [] };
  mkdirSync(home.dir);
  const isolation = { home, temporary: null, secrets: [], sandbox: null };
  const launch = { attempt: ATTEMPT, agent: { adapter: "command", argv: ["x"] }, isolation } as unknown as Launch;
  const files = spoolAt(stateDir, { ...ATTEMPT, n: 1 });
  mkdirSync(files.dir, { recursive: true });
  const { launch: first = launch, brief = { workspace: "/w" } } = words;
  writeFileSync(files.launch, typeof first === "string" ? first : JSON.stringify(first));
  if (brief !== null) writeFileSync(files.brief, JSON.stringify(brief));
  return resumptionOf(KEPT, launch, { stateDir, workspace: "/w" });
}

test("a conversation is gone on with where its attempt was given the same place", () => {
  expect(resumption()).toEqual(KEPT);
});

test.each([
  ["another workspace", { brief: { workspace: "/other" } }, "it was held in another workspace, /other"],
  ["another adapter", { launch: { agent: { adapter: "acp" } } }, "it is one of the adapter acp"],
  ["its user's home", { launch: { agent: { adapter: "command" } } }, "it was held in another home, its user's"],
  ["nothing that is known", { brief: null }, "what that attempt was given is not kept any more"],
  ["words that cannot be read", { launch: '{"agent":' }, "what that attempt was given is not kept any more"],
  ["words of another shape", { launch: { agent: "x" } }, "what that attempt was given is not kept any more"],
])("and not where that was %s", (_, words, lost) => {
  expect(resumption(words)).toEqual({ attempt: 1, lost });
});
