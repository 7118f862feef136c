import { expect, test } from "vitest";
import { readShellLine } from "../adapters/shell/read-shell-line.ts";
import type { ToolRules } from "../core/policy/tool-rules.ts";
import type { AgentEvent } from "../ports/agent.ts";
import type { AgentQuestion } from "../ports/runner.ts";
import { permissions } from "./permissions.ts";
import { Questions } from "./questions.ts";

const CALL = { kind: "run", tool: "Bash", about: "rm -rf build" } as const;
const ASK: ToolRules = { deny: [], ask: ["run(rm *)"], allow: ["run(npm *)"], otherwise: "allow" };

/** `answer` is what a person says at once; null: nobody does, and the time for it passes. */
function rig(answer: string | null, rules: ToolRules = ASK, read = readShellLine) {
  const events: AgentEvent[] = [];
  const asked: AgentQuestion[] = [];
  const halts: (string | null)[] = [];
  const questions: Questions = new Questions({
    tell: (question) => {
      if (answer !== null) setImmediate(() => questions.answer(1, answer));
      return asked.push(question);
    },
    changing: () => halts.push(questions.halting),
  });
  const clock = {
    now: () => 0,
    monotonic: () => 0,
    sleep: (_: number, signal?: AbortSignal) =>
      new Promise<void>((resolve) => {
        if (answer === null) setImmediate(resolve);
        signal?.addEventListener("abort", () => resolve(), { once: true });
      }),
  };
  const tell = (event: AgentEvent): void => void events.push(event);
  const permit = permissions({
    ...{ rules, workspace: "/place", readShellLine: read, questions, clock, askWaitMs: 600_000, tell },
  });
  return {
    permit: (call: Parameters<typeof permit>[0]) => permit(call, new AbortController().signal),
    events,
    asked,
    halts,
    questions,
  };
}

test.each([
  ["allow", true, "a person allowed it"],
  ["allow: just this once", true, "a person allowed it"],
  ["deny", false, "a person did not allow it"],
  ["deny: the tests need it", false, "a person did not allow it: the tests need it"],
  ["clean up with make instead", false, "a person did not allow it: clean up with make instead"],
])("a person says %s", async (answer, allowed, why) => {
  const { permit, events, asked, halts } = rig(answer);
  expect(await permit(CALL)).toEqual(allowed ? { allow: true } : { allow: false, reason: why });
  expect(asked).toEqual([
    {
      question: "May it run this (Bash)? rm -rf build\n(by the rule run(rm *))",
      options: ["allow", "deny"],
      default: null,
      wait: { ms: 600_000, then: "refused" },
    },
  ]);
  expect(events).toEqual([{ type: "permission", tool: "Bash", about: "rm -rf build", allowed, why }]);
  // Halted from the question to the answer, and not longer.
  expect(halts).toHaveLength(2);
});

test("nobody says anything: it is not allowed, and the agent goes on", async () => {
  const { permit, questions } = rig(null);
  expect(await permit(CALL)).toEqual({ allow: false, reason: "no person answered within 600 s" });
  expect(questions.halting).toBeNull();
});

test("what a rule allows is told, what nothing speaks of is not", async () => {
  const { permit, events } = rig(null);
  expect(await permit({ ...CALL, about: "npm test" })).toEqual({ allow: true });
  expect(await permit({ ...CALL, about: "ls" })).toEqual({ allow: true });
  expect(events).toEqual([
    { type: "permission", tool: "Bash", about: "npm test", allowed: true, why: "by the rule run(npm *)" },
  ]);
});

test("a line that cannot be known is asked about, with that as the reason", async () => {
  const { permit, asked } = rig("allow");
  await permit({ ...CALL, about: "$TOOL -x" });
  expect(asked[0]!.question).toBe(
    "May it run this (Bash)? $TOOL -x\n(not all of the command line can be known before it runs)",
  );
});

test("a reader that breaks is told, and the line is asked about", async () => {
  const { permit, events } = rig("deny", ASK, () => Promise.reject(new Error("no parser")));
  expect(await permit({ ...CALL, about: "ls" })).toEqual({ allow: false, reason: "a person did not allow it" });
  expect(events[0]).toEqual({ type: "note", text: "a command line could not be read: no parser" });
});

test("more questions than a person may be asked at once are a no", async () => {
  const { permit, questions } = rig(null);
  for (let open = 0; open < 20; open++) questions.ask({ question: `q${open}`, options: [], default: null }, true);
  expect(await permit(CALL)).toEqual({ allow: false, reason: "too many questions are open already" });
});

test("what is not allowed otherwise says that no rule allows it", async () => {
  const { permit } = rig(null, { deny: [], ask: [], allow: [], otherwise: "deny" });
  expect(await permit({ kind: "fetch", tool: "WebFetch", about: "http://x" })).toEqual({
    allow: false,
    reason: "not allowed: no rule allows it, and otherwise is deny",
  });
});

test("the part of a long line that was judged is said with the reason, cut where it is long itself", async () => {
  const { permit, asked } = rig(null, { deny: ["run(rm *)"], ask: [], allow: ["run(npm *)"], otherwise: "deny" });
  const reasonFor = async (about: string) => ((await permit({ ...CALL, about })) as { reason?: string }).reason;
  expect(await reasonFor("npm test && cat notes.md | npm run tidy")).toBe(
    "not allowed: no rule allows it to run cat notes.md, and otherwise is deny",
  );
  expect(await reasonFor("npm test; bash -c 'rm -rf /'")).toBe(
    "not allowed: by the rule run(rm *): it would run rm -rf /",
  );
  expect(await reasonFor(`npm test; rm ${"x".repeat(300)}`)).toBe(
    `not allowed: by the rule run(rm *): it would run rm ${"x".repeat(196)}…`,
  );
  expect(await reasonFor("cat notes.md")).toBe("not allowed: no rule allows it, and otherwise is deny");
  const deny = rig(null, { deny: ["run(rm -rf *)"], ask: [], allow: [], otherwise: "allow" });
  await deny.permit({ ...CALL, about: "npm test; rm $X /" });
  expect(deny.asked[0]!.question).toContain("not all of the command line can be known before it runs: run rm … /)");
  expect(asked).toEqual([]);
});

test("what a command line would open is said with the reason", async () => {
  const allow = ["run(git status)"];
  const { permit } = rig(null, { deny: ["write(/etc/**)"], ask: [], allow, otherwise: "deny" });
  const reasonFor = async (about: string) => (await permit({ ...CALL, about })) as { reason?: string };
  expect(await reasonFor("git status > ../../etc/a")).toEqual({
    allow: false,
    reason: "not allowed: by the rule write(/etc/**): it would write ../../etc/a",
  });
  expect(await reasonFor("git status < a")).toEqual({
    allow: false,
    reason: "not allowed: no rule allows it to read a, and otherwise is deny",
  });
  expect(await reasonFor("git status")).toEqual({ allow: true });
});
