import { expect, test } from "vitest";
import type { Usage } from "../core/task/rows.ts";
import type { AgentEnd, AgentEvent } from "../ports/agent.ts";
import type { Clause } from "../ports/agent-probe.ts";
import { judge, type Promises } from "./judge.ts";
import { RESETS_AT, type Seen, type TurnSeen } from "./seen.ts";

const PROMISES: Promises = {
  asksLeave: true,
  takesServers: true,
  usage: "whole",
  tellsLimit: true,
  tellsReset: true,
};

const END: AgentEnd = { outcome: "succeeded", error: null, summary: null, usage: null, cost_usd: null };
const session: AgentEvent = { type: "session", session: "s-1", model: null };
const text = (words: string): AgentEvent => ({ type: "text", text: words });
const tool: AgentEvent = { type: "tool", name: "Bash", about: "echo" };

const used = (answers: number) => ({
  input: 311 * answers,
  output: 17 * answers,
  cache_read: 2_003 * answers,
  cache_write: 23 * answers,
});

const turn = (end: Partial<AgentEnd>, events: AgentEvent[] = [session]): TurnSeen => ({
  events,
  end: { ...END, ...end },
  ms: 1_000,
  isShort: false,
});

const ask = (script: string, turnNumber: number, scripts = [script]) => ({
  script,
  turn: turnNumber,
  prompt: `[[play:${script}]] Go.`,
  scripts,
});

const GOOD: Seen = {
  work: turn({ summary: "All is said.", usage: used(4) }, [session, text("I begin."), tool, text("All is said.")]),
  resumed: turn({ summary: "I go on.", usage: used(1) }),
  stopped: turn({ outcome: "interrupted", killed: false }),
  limited: turn({
    outcome: "rate_limited",
    limit: { holds: "account", until: RESETS_AT * 1_000, known_from: "signal" },
  }),
  heard: [0, 1, 2, 3].map((at) => ask("work", at)).concat(ask("goes-on", 0, ["work", "goes-on"]), ask("limited", 0)),
  prompt: "[[play:work]] Go.\n",
  ran: true,
  asked: 3,
  deniedAsked: true,
  deniedRan: false,
  mcpReached: true,
  mcpWords: ["an echo"],
  atWork: true,
  leftovers: 0,
};

const found = (seen: Seen, clause: Clause, promises = PROMISES): string => {
  const finding = judge(seen, promises).find((each) => each.clause === clause);
  return `${finding?.result}: ${finding?.seen}`;
};

test("what keeps everything is found to keep each clause, in order", () => {
  expect(judge(GOOD, PROMISES).map(({ clause, result }) => `${clause} ${result}`)).toEqual([
    "stream kept",
    "stdin kept",
    "permission kept",
    "mcp kept",
    "usage kept",
    "resume kept",
    "stop kept",
    "limit kept",
  ]);
});

const { work, resumed, stopped, limited } = GOOD;

test.each<[Clause, Partial<Seen>, string]>([
  [
    "stream",
    { heard: [], work: turn({ outcome: "failed", error: "no key" }) },
    "broken: its model was not asked: it failed: no key",
  ],
  [
    "stream",
    { heard: [], work: turn({ outcome: "failed", error: "no key" }, []) },
    "broken: no session began: it failed: no key",
  ],
  ["stream", { work: { ...work, events: work.events.slice(1) } }, "broken: it did not name its conversation"],
  ["stream", { work: { ...work, events: [session, tool] } }, "broken: the words of its model were not told"],
  ["stream", { work: { ...work, events: [session, text("I begin.")] } }, "broken: its use of a tool was not told"],
  [
    "stream",
    { work: { ...work, events: [text("I begin."), session, tool] } },
    "broken: its conversation was named only after what it said and did",
  ],
  ["stream", { ran: false }, "broken: its tool was told, but did nothing"],
  ["stream", { work: { ...work, end: null } }, "broken: its turn had no good end: it had not ended after 1.0 s"],
  [
    "stream",
    { work: { ...work, end: { ...END, summary: "I begin." } } },
    'broken: its last words were "I begin.", not "All is said."',
  ],
  ["stdin", { prompt: "[[play:work]] Go on.\n" }, "broken: the prompt reached the model changed"],
  ["stdin", { heard: [] }, "not_seen: its model was not asked"],
  ["permission", { asked: 0 }, "broken: it used its tools without a word"],
  ["permission", { deniedRan: true }, "broken: a command that was denied ran"],
  [
    "permission",
    { deniedAsked: false },
    "broken: it asked about some of its tools, but not about a command that was to be denied",
  ],
  [
    "permission",
    { work: turn({ outcome: "failed", error: "cancelled" }), heard: [0, 1, 2].map((at) => ask("work", at)) },
    "broken: after a command was denied it failed: cancelled",
  ],
  ["mcp", { mcpWords: [] }, "broken: it spoke to the server that it was given, and did not call its tool"],
  ["mcp", { mcpWords: [], mcpReached: false }, "broken: it did not speak to the server of tools that it was given"],
  ["mcp", { mcpWords: [], heard: [ask("work", 0)] }, "not_seen: its first turn did not come so far"],
  ["usage", { work: { ...work, end: { ...work.end!, usage: null } } }, "broken: it told no tokens of its first turn"],
  [
    "usage",
    { resumed: turn({ usage: used(5) }) },
    "broken: of the turn after it it told 1555 in, 85 out, 10015 read from and 115 written to a cache, and the model 311 in, 17 out, 2003 read from and 23 written to a cache",
  ],
  ["usage", { work: turn({ outcome: "failed" }) }, "not_seen: its first turn had no good end"],
  ["resume", { resumed: null }, "not_seen: its first turn named no conversation"],
  ["resume", { heard: [ask("work", 0)] }, "broken: asked to go on, it succeeded"],
  [
    "resume",
    { heard: [ask("goes-on", 0)], resumed: turn({}, [{ type: "note", text: "it is gone" }]) },
    "broken: asked to go on, it began a new conversation: it is gone",
  ],
  [
    "resume",
    { resumed: turn({}, [{ ...session, session: "s-2" } as AgentEvent]) },
    "broken: it went on as s-2, not as s-1",
  ],
  [
    "resume",
    { resumed: { ...resumed!, end: { ...END, outcome: "failed", error: "no" } } },
    "broken: asked to go on, it failed: no",
  ],
  [
    "stop",
    { atWork: false, stopped: turn({ outcome: "failed", error: "no" }) },
    "not_seen: its tool did not begin: failed: no",
  ],
  ["stop", { stopped: { ...stopped, end: null } }, "broken: told to stop, it had not ended after 1.0 s"],
  ["stop", { stopped: turn({ outcome: "succeeded" }) }, "broken: told to stop, it succeeded"],
  [
    "stop",
    { stopped: turn({ outcome: "interrupted", killed: true }) },
    "broken: told to stop, it did not end, and was killed",
  ],
  ["stop", { leftovers: 1 }, "broken: it left 1 process running"],
  ["limit", { limited: { ...limited!, end: null } }, "broken: a usage limit was not told within 40.0 s"],
  ["limit", { limited: turn({ outcome: "failed", error: "429" }) }, "broken: at a usage limit it failed: 429"],
  ["limit", { limited: turn({ outcome: "rate_limited" }) }, "broken: a usage limit was told, but not until when"],
])("what breaks is named with what was seen instead: %s %#", (clause, spoilt, words) => {
  expect(found({ ...GOOD, ...spoilt }, clause)).toBe(words);
});

test("one whose turns all lack their end is not blamed for how it goes on", () => {
  const lost = { outcome: "failed", error: "it ended well, but without a result" } as const;
  const seen: Seen = { ...GOOD, work: { ...work, end: { ...END, ...lost } }, resumed: turn(lost) };
  expect(found(seen, "stream")).toContain("broken: its turn had no good end");
  expect(found(seen, "resume")).toBe("kept: it went on in its own conversation");
});

test("what is not promised is not asked", () => {
  const none: Promises = { asksLeave: false, takesServers: false, usage: "none", tellsLimit: false, tellsReset: false };
  const seen: Seen = { ...GOOD, asked: 0, mcpReached: false, mcpWords: [], limited: null };
  const results = judge(seen, none).filter(({ result }) => result === "not_asked");
  expect(results.map(({ clause, seen: words }) => `${clause}: ${words}`)).toEqual([
    "permission: not asked: it uses its tools without a word",
    "mcp: not asked: it is given no server of tools",
    "usage: not asked: it does not tell the tokens of a turn",
    "limit: not asked: it tries again at a limit without a word",
  ]);
});

test("how its turn ended is not what is asked of it when a command was denied and its model was asked again", () => {
  const endless: TurnSeen = { ...work, end: null };
  expect(found({ ...GOOD, work: endless }, "permission")).toBe(
    "kept: a command that was denied did not run, and its turn went on",
  );
});

test("of one that tells input and output alone, what came from a cache is part of the input", () => {
  const unread = { input: 4 * 2_337, output: 4 * 17, cache_read: null, cache_write: null };
  const seen = (usage: Usage) => ({
    ...GOOD,
    work: { ...work, end: { ...END, summary: "All is said.", usage } },
    resumed: null,
  });
  expect(found(seen(unread), "usage", { ...PROMISES, usage: "input_output" })).toBe(
    "kept: input and output as the model told them",
  );
  const unwritten = { ...used(4), input: 4 * (311 + 23), cache_write: 0 };
  expect(found(seen(unwritten), "usage", { ...PROMISES, usage: "unwritten" })).toBe("kept: as the model told it");
  expect(found(seen(unread), "usage")).toBe(
    "broken: of its first turn it told 9348 in, 68 out, an unknown number read from and an unknown number written to a cache, and the model 1244 in, 68 out, 8012 read from and 92 written to a cache",
  );
});

test("what the whole trial had no time for is nobody's fault", () => {
  const short: TurnSeen = { events: [], end: null, ms: 5, isShort: true };
  expect(found({ ...GOOD, limited: short }, "limit")).toBe("not_seen: no time was left for it");
});
