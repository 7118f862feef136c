import fc from "fast-check";
import { expect, test } from "vitest";
import { activeTask, NOW, planFacts, SITUATIONS } from "../../test/fixtures/plan-facts.ts";
import type { HoldRow } from "../core/task/rows.ts";
import { textWidth } from "./cell-text.ts";
import { planFrame } from "./frame.ts";
import type { PlanFacts } from "./plan-facts.ts";
import { spansFrom, spanText } from "./time-text.ts";

const plain = (_style: string, text: string): string => text;

function frame(facts: PlanFacts, width = 80, height = 24): string[] {
  return planFrame(facts, { width, height, moments: spansFrom(NOW), paint: plain });
}

const text = fc.oneof(
  fc.string({ unit: "binary", maxLength: 120 }),
  fc.constantFrom("購物車頁面", "👩‍👩‍👧 crew", "a\u001b[31mred", "\u202egpj.exe", "x".repeat(300)),
);

const facts = fc
  .record({
    plan: text,
    task: fc.array(fc.record({ id: text, title: text, progress: fc.option(text), doing: fc.option(text) }), {
      maxLength: 30,
    }),
    items: fc.array(fc.record({ text, task: fc.option(text) }), { maxLength: 5 }),
    more_items: fc.nat(3),
    note: fc.option(text),
    why: text,
    spent_usd: fc.constantFrom(0, 12.5),
  })
  .map(({ plan, task, items, more_items, note, why, spent_usd }) =>
    planFacts({
      ...SITUATIONS["needs-a-person"],
      plan,
      run: { ...SITUATIONS["needs-a-person"]!.run!, spent_usd },
      active: task.map((each) => activeTask(each)),
      items: items.map((each, n) => ({ ...SITUATIONS["needs-a-person"]!.items[0]!, id: `i${n}`, ...each })),
      open_items: items.length + more_items,
      waits: [{ count: 3, at_least: false, why }],
      note,
    }),
  );

test("a frame never leaves its terminal, and nothing in it steers one", () => {
  fc.assert(
    fc.property(facts, fc.integer({ min: 40, max: 200 }), fc.integer({ min: 1, max: 60 }), (of, width, height) => {
      const lines = frame(of, width, height);
      expect(lines.length).toBeLessThanOrEqual(height);
      for (const line of lines) {
        expect(textWidth(line)).toBeLessThanOrEqual(width);
        expect(line).not.toMatch(/[\p{Cc}\p{Cs}\u200e\u200f\u202a-\u202e\u2066-\u2069]/u);
      }
    }),
  );
});

test("what needs a person keeps its place however much is under way", () => {
  const busy = planFacts({
    ...SITUATIONS["needs-a-person"],
    active: Array.from({ length: 50 }, (_, n) => activeTask({ id: `F-${n}`, progress: "at it" })),
  });
  const lines = frame(busy, 80, 12);
  expect(lines[4]).toBe("           lockstep answer i4 euro | the-shops-own");
  expect(lines[5]).toBe("           1 more in `lockstep inbox`");
  expect(lines.at(-3)).toBe("  and 47 more under way");
  expect(lines).toHaveLength(12);
});

test("what agents say of themselves gives way to tasks", () => {
  const active = ["a", "b", "c"].map((id) => activeTask({ id, title: id, progress: `${id} is half done` }));
  expect(frame(planFacts({ active }), 80, 7).slice(3)).toEqual([
    "▶ a  a  #1 by coder  42 s",
    "    a is half done",
    "▶ b  b  #1 by coder  42 s",
    "▶ c  c  #1 by coder  42 s",
  ]);
});

test("a bar is full only when everything is done", () => {
  const counts = { ...planFacts().counts, verified: 9_999, pending: 1 };
  expect(frame(planFacts({ counts }))[1]).toBe(`${"█".repeat(39)}░  100.0 %  9999 of 10000`);
});

test.each([
  [0, "0 s"],
  [59_999, "59 s"],
  [60_000, "1 min"],
  [192_000, "3 min 12 s"],
  [3_600_000, "1 h"],
  [7_500_000, "2 h 5 min"],
  [86_400_000, "1 d"],
  [273_600_000, "3 d 4 h"],
])("%i ms are %s", (ms, text) => {
  expect(spanText(ms)).toBe(text);
});

test("what is held stands under the head, with its end and why; more than three are counted", () => {
  const limit = { project: "", until: NOW + 3_600_000, known_from: "signal", count: 1, over: false } as const;
  const holds: HoldRow[] = [
    { ...limit, key: "account:claude", why: "You've hit your limit" },
    { ...limit, key: "model:claude/opus", why: "a limit", known_from: "text" },
    { ...limit, key: "agent:coder", why: "by hand", until: null, known_from: null },
    { ...limit, key: "provider:openai", why: "Overloaded", known_from: "backoff" },
  ];
  expect(frame(planFacts({ holds })).slice(3, 7)).toEqual([
    "held       account claude  free in 1 h: You've hit your limit",
    "           model claude/opus  free in 1 h, a guess: a limit",
    "           agent coder  until somebody clears it: by hand",
    "           and 1 more in `lockstep agent list`",
  ]);
  expect(frame(planFacts({ holds: holds.slice(0, 1), held_elsewhere: 4 })).slice(3)).toEqual([
    "held       account claude  free in 1 h: You've hit your limit",
    "           4 more held in other projects",
  ]);
  expect(frame(planFacts({ held_elsewhere: 4 })).slice(3)).toEqual(["held       4 held in other projects"]);
});

test("what is held until a person comes stands first among what needs one, with what lifts it", () => {
  const hold = {
    project: "",
    key: "account:claude",
    until: null,
    why: "Invalid API key",
    known_from: "person",
  } as const;
  const command = "lockstep agent release one";
  const releases = [{ hold: { ...hold, count: 1, over: false }, agents: ["one", "two"], command }];
  const { items, open_items } = SITUATIONS["needs-a-person"]!;
  expect(frame(planFacts({ releases, items, open_items }), 80, 10).slice(3)).toEqual([
    "needs you  account claude is held (one, two): Invalid API key",
    "           lockstep agent release one, when that is mended",
    "           2 more in `lockstep inbox`",
  ]);
});
