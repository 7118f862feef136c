import { describe, expect, test } from "vitest";
import type { AttemptRow } from "../task/rows.ts";
import { evidenceBeside, goneOnFrom, sessionToResume, whyNotThere } from "./resume-session.ts";

function attempt(n: number, set: Partial<AttemptRow> = {}): AttemptRow {
  const of = { n, kind: "run", agent: "coder", phase: "build", round: 1 };
  return { ...of, outcome: null, failure: null, stop: null, error: null, session: null, ...set } as AttemptRow;
}

const BROKEN_OFF = { outcome: "interrupted", error: "requeued by Anna", session: "s-1" } as const;

describe("the next attempt goes on in the conversation", () => {
  test.each<[Partial<AttemptRow>, string]>([
    [BROKEN_OFF, "it was interrupted: requeued by Anna"],
    [{ outcome: "interrupted", error: null }, "it was interrupted"],
    [
      { outcome: "cancelled", error: "panic", stop: { as: "cancelled", why: "panic", then: "pending" } },
      "it was stopped: panic",
    ],
    [{ outcome: "lost", error: "its runner died" }, "its process was lost: its runner died"],
    [{ outcome: "rate_limited", error: "until noon" }, "a limit turned it away: until noon"],
    [{ outcome: "blocked", error: "Which port?" }, "it waited for a person: Which port?"],
    [{ outcome: "failed", failure: "auth", error: "log in" }, "its account turned it away: log in"],
    [{ outcome: "failed", failure: "credit", error: "pay" }, "its account turned it away: pay"],
  ])("of an attempt that ended without a word on its work: %j", (end, why) => {
    const last = attempt(1, { ...BROKEN_OFF, ...end });
    expect(sessionToResume(attempt(2), [last, attempt(2)])).toEqual({ session: "s-1", attempt: 1, why });
  });

  test("of the last attempt that told one, over those that ended before they could", () => {
    const earlier = [
      attempt(1, { ...BROKEN_OFF, session: "s-0" }),
      attempt(2, BROKEN_OFF),
      attempt(3, { outcome: "lost" }),
      attempt(4, { outcome: "rate_limited" }),
    ];
    expect(sessionToResume(attempt(5), earlier)).toMatchObject({ session: "s-1", attempt: 2 });
  });

  test("and is told no more than the beginning of a long reason", () => {
    const last = attempt(1, { ...BROKEN_OFF, error: "x".repeat(10_000) });
    expect(sessionToResume(attempt(2), [last])?.why).toHaveLength("it was interrupted: ".length + 500);
  });
});

describe("the next attempt begins anew", () => {
  test.each<[string, Partial<AttemptRow>]>([
    ["work that was checked", { outcome: "succeeded" }],
    ["its own failure", { outcome: "failed", failure: "gave_up" }],
    ["a failure of no known kind", { outcome: "failed" }],
    ["its time that was up", { outcome: "timed_out" }],
    ["its silence", { outcome: "stalled" }],
    ["an operator who killed it", { outcome: "cancelled", stop: { as: "cancelled", why: "no", then: null } }],
    ["an operator who cancelled it", { outcome: "cancelled", stop: { as: "cancelled", why: "no", then: "cancelled" } }],
    ["another agent", { agent: "other" }],
    ["another phase", { phase: "review" }],
    ["another round", { round: 2 }],
    ["a worker outside", { kind: "external" }],
    ["an agent that told no conversation", { session: null }],
  ])("after %s", (_, set) => {
    expect(sessionToResume(attempt(2), [attempt(1, { ...BROKEN_OFF, ...set })])).toBeNull();
  });

  test("where a try failed between the two, and where it is the first", () => {
    const earlier = [attempt(1, BROKEN_OFF), attempt(2, { outcome: "failed" }), attempt(3, { outcome: "lost" })];
    expect(sessionToResume(attempt(4), earlier)).toBeNull();
    expect(sessionToResume(attempt(1), [attempt(1)])).toBeNull();
  });
});

test("a conversation is there where adapter, workspace and home are the same and the home stands", () => {
  const held = { adapter: "claude", workspace: "/w/1", home: "/homes/a" };
  const next = { ...held, isHomeThere: true };
  expect(whyNotThere(held, next)).toBeNull();
  expect(whyNotThere({ ...held, home: null }, { ...next, home: null })).toBeNull();
  expect(whyNotThere(null, next)).toBe("what that attempt was given is not kept any more");
  expect(whyNotThere({ ...held, adapter: "codex" }, next)).toBe("it is one of the adapter codex");
  expect(whyNotThere({ ...held, workspace: "/w/2" }, next)).toBe("it was held in another workspace, /w/2");
  expect(whyNotThere({ ...held, home: "/homes/b" }, next)).toBe("it was held in another home, /homes/b");
  expect(whyNotThere({ ...held, home: null }, next)).toBe("it was held in another home, its user's");
  expect(whyNotThere(held, { ...next, isHomeThere: false })).toBe("its home is gone");
});

test("an attempt is in the conversation of the first that told the same, by the same agent", () => {
  const all = [attempt(1, { session: "s" }), attempt(2, { session: "s" }), attempt(3, { session: "s" })];
  expect(all.map((each) => goneOnFrom(each, all))).toEqual([null, 1, 1]);
  expect(goneOnFrom(attempt(4, { session: "t" }), all)).toBeNull();
  expect(goneOnFrom(attempt(4, { session: "s", agent: "other" }), all)).toBeNull();
  expect(goneOnFrom(attempt(4), [attempt(1), ...all])).toBeNull();
});

describe("what went wrong, beside why the work broke off,", () => {
  const lost = attempt(1, { outcome: "lost", error: "its runner died", session: "s-1" });
  const stopped = attempt(2, { ...BROKEN_OFF, error: "stopped by an operator" });

  test("is nothing where the last error is only that an attempt was lost, also an earlier one", () => {
    expect(evidenceBeside("its runner died", [lost])).toBeNull();
    expect(evidenceBeside("its runner died", [lost, stopped])).toBeNull();
  });

  test("is the evidence of a failed try, and an answer", () => {
    const failed = attempt(1, { outcome: "succeeded" });
    expect(evidenceBeside("verify `npm test` ended with 1", [failed, stopped])).toBe("verify `npm test` ended with 1");
    const asked = attempt(1, { outcome: "blocked", error: "Which port?" });
    expect(evidenceBeside("Which port?\n\nThe answer: 80", [asked])).toBe("Which port?\n\nThe answer: 80");
  });
});
