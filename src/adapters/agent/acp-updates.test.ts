import fc from "fast-check";
import { expect, test } from "vitest";
import { call, callUpdate, chunk } from "../../../test/fixtures/acp-lines.ts";
import type { AgentEvent } from "../../ports/agent.ts";
import { AcpUpdates } from "./acp-updates.ts";
import type { Fields } from "./wire-fields.ts";

/** What is told of these updates, at their end too. */
function told(updates: Fields[], { isLive = true } = {}): { events: AgentEvent[]; heard: AcpUpdates } {
  const events: AgentEvent[] = [];
  const heard = new AcpUpdates((event) => events.push(event));
  if (isLive) heard.begin();
  for (const update of updates) heard.hear(update);
  heard.flush();
  return { events, heard };
}

test("a message is told once, however many pieces it comes in, and ends where something else begins", () => {
  const { events, heard } = told([
    chunk("I loo", "m1"),
    { sessionUpdate: "available_commands_update", availableCommands: [] },
    chunk("k.\n", "m1"),
    chunk("Now I write.", "m2"),
    call("c1"),
    chunk("It "),
    { sessionUpdate: "usage_update", used: 10, size: 100 },
    chunk("works."),
    { sessionUpdate: "agent_thought_chunk", content: { type: "text", text: "hm" } },
    chunk("Done."),
    chunk("  "),
  ]);
  expect(events).toEqual([
    { type: "text", text: "I look." },
    { type: "text", text: "Now I write." },
    { type: "tool", name: "execute", about: "npm test", id: "c1" },
    { type: "text", text: "It works." },
    { type: "text", text: "Done." },
  ]);
  expect(heard.summary).toBe("Done.");
});

test("a tool is told when it is known what it is used with, and ends once", () => {
  const { events } = told([
    call("c1", { status: "pending", title: "Terminal", name: "Bash", rawInput: {} }),
    callUpdate("c1", { rawInput: { command: "npm test" }, title: "npm test" }),
    callUpdate("c1", { status: "in_progress" }),
    callUpdate("c1", { status: "completed" }),
    callUpdate("c1", { status: "completed" }),
    callUpdate("c1", { title: "late" }),
  ]);
  expect(events).toEqual([
    { type: "tool", name: "Bash", about: "npm test", id: "c1" },
    { type: "tool_ended", id: "c1" },
  ]);
});

test("a tool of which only the end is told has been used, too, and why it failed is noted", () => {
  const content = [{ type: "content", content: { type: "text", text: "\nno such file\nmore" } }];
  const { events } = told([
    callUpdate("c1", { kind: "edit", title: "Edit", locations: [{ path: "/w/a.js" }], status: "failed", content }),
  ]);
  expect(events).toEqual([
    { type: "tool", name: "edit", about: "/w/a.js", id: "c1" },
    { type: "tool_ended", id: "c1" },
    { type: "note", text: "a tool failed: no such file" },
  ]);
});

test("a tool that waits for leave is told then, and not again", () => {
  const events: AgentEvent[] = [];
  const updates = new AcpUpdates((event) => events.push(event));
  updates.begin();
  const asked = {
    toolCallId: "c1",
    kind: "edit",
    title: "Writing",
    locations: [{ path: "/w/a.js" }],
    status: "pending",
  };
  expect(updates.permission(asked, true)).toBe("edit /w/a.js");
  updates.hear(callUpdate("c1", { status: "completed" }));
  expect(updates.permission({}, true)).toBe("a tool");
  expect(updates.permission({ ...asked, toolCallId: "c2" }, false)).toBe("edit /w/a.js");
  expect(events).toEqual([
    { type: "tool", name: "edit", about: "/w/a.js", id: "c1" },
    { type: "tool_ended", id: "c1" },
  ]);
});

test("of the price of a conversation only what this turn added is told, and nothing where that is not known", () => {
  const price = (amount: number): Fields => ({ sessionUpdate: "usage_update", cost: { amount, currency: "USD" } });
  const updates = new AcpUpdates(() => {});
  updates.hear(price(1.5));
  updates.begin(true);
  expect(updates.cost_usd).toBeNull();
  updates.hear(price(2));
  expect(updates.cost_usd).toBe(0.5);
  const untold = new AcpUpdates(() => {});
  untold.begin(true);
  untold.hear(price(2));
  expect(untold.cost_usd).toBeNull();
});

test("a plan and a change of mode are noted", () => {
  const entries = [
    { content: "look", status: "completed" },
    { content: "write", status: "in_progress" },
    { content: "test", status: "pending" },
  ];
  const { events } = told([
    { sessionUpdate: "plan", entries },
    { sessionUpdate: "plan", entries: [] },
    { sessionUpdate: "current_mode_update", currentModeId: "yolo" },
  ]);
  expect(events).toEqual([
    { type: "note", text: "its plan: 1 of 3 done, now: write" },
    { type: "note", text: "it works in the mode yolo now" },
  ]);
});

test("the last price in dollars counts, other money does not, and an old conversation's is heard before the turn", () => {
  const price = (amount: unknown, currency = "USD"): Fields => ({
    sessionUpdate: "usage_update",
    cost: { amount, currency },
  });
  expect(told([price(0.5), price(0.75), price("?"), price(3, "EUR")]).heard.cost_usd).toBe(0.75);
  expect(told([price(0.5)], { isLive: false }).heard.cost_usd).toBe(0.5);
  expect(told([chunk("x")]).heard.cost_usd).toBeNull();
});

test("what an old conversation said is not told again", () => {
  const replay = [{ sessionUpdate: "user_message_chunk" }, chunk("Old."), call("c0"), callUpdate("c0")];
  const { events, heard } = told(replay, { isLive: false });
  expect(events).toEqual([]);
  expect(heard.summary).toBeNull();
});

test("a message without end fills nothing", () => {
  const { heard } = told(Array.from({ length: 300 }, () => chunk("x".repeat(1_000))));
  expect(heard.summary).toHaveLength(4_000);
});

test("nothing that is JSON makes it throw", () => {
  const kinds = ["agent_message_chunk", "tool_call", "tool_call_update", "plan", "usage_update", "current_mode_update"];
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.constantFrom(...kinds), fc.object())), (updates) => {
      told(updates.map(([sessionUpdate, fields]) => ({ toolCallId: "c", ...fields, sessionUpdate })));
    }),
  );
  fc.assert(
    fc.property(
      fc.dictionary(
        fc.constantFrom("content", "entries", "locations", "rawInput", "status", "cost", "title"),
        fc.jsonValue(),
      ),
      (fields) => {
        told(kinds.map((sessionUpdate) => ({ toolCallId: "c", ...fields, sessionUpdate })));
      },
    ),
  );
});
