import { expect, test } from "vitest";
import { failure, notice, THREAD, turnEnded } from "../../../test/fixtures/codex-lines.ts";
import type { FailureKind } from "../../core/attempt/failure.ts";
import type { CheckEnd } from "../../ports/processes.ts";
import { type CodexSaid, codexEnd } from "./codex-end.ts";
import { type CodexTurnEnd, readCodexLine } from "./codex-stream.ts";

const USAGE = { input: 280, output: 50, cache_read: 1_000, cache_write: 20 };
const SILENT: CodexSaid = {
  end: null,
  is_own: true,
  summary: null,
  givenUp: null,
  refused: null,
  windows: [],
  usage: USAGE,
  stray: "",
};
const FREE = { usage: USAGE, cost_usd: null };

function endOf(fields: object): CodexTurnEnd {
  const line = readCodexLine(JSON.stringify(fields));
  if (line.kind !== "notice" || !line.end) throw new Error("no end");
  return line.end;
}

const failed = (code: unknown, message = "It failed.") => endOf(turnEnded("failed", failure(code, message)));
const exit = (outcome: CheckEnd["outcome"], exit_code = 0): CheckEnd => ({
  outcome,
  exit_code,
  tail: "the tail",
  ms: 5,
  forced: exit_code === 137,
});

test.each([exit("green"), exit("red", 1), exit("killed", 143), exit("killed", 137)])(
  "a turn that is completed is a success, however the process ended: %j",
  (end) => {
    const said = { ...SILENT, end: endOf(turnEnded("completed")), summary: "Totals are right." };
    const succeeded = { outcome: "succeeded", error: null, summary: "Totals are right.", ...FREE };
    expect(codexEnd(said, end)).toEqual(succeeded);
    expect(codexEnd({ ...said, is_own: false }, end)).toEqual(succeeded);
  },
);

test.each<[unknown, FailureKind, string]>([
  ["contextWindowExceeded", "refused_request", "its conversation is too long for the model: It failed."],
  ["sessionBudgetExceeded", "budget_cap", "it used up its budget: It failed."],
  ["badRequest", "refused_request", "the model's service refused its request: It failed."],
  ["cyberPolicy", "refused_request", "the model's service does not do this work: It failed."],
  ["somethingNew", "gave_up", "it gave up: It failed."],
  [
    { httpConnectionFailed: { httpStatusCode: 401 } },
    "auth",
    "the model's service does not accept its login: run `codex login`, or give it a key: It failed.",
  ],
])("a failure is none of the exit code's business: %j", (code, kind, error) => {
  const end = codexEnd({ ...SILENT, end: failed(code) }, exit("green"));
  expect(end).toEqual({ outcome: "failed", failure: kind, error, summary: null, ...FREE });
});

test("a completed turn with an error in it is none, nor is one of a status that is not known", () => {
  const torn = endOf(turnEnded("completed", failure("other")));
  expect(codexEnd({ ...SILENT, end: torn }, exit("green"))).toMatchObject({ outcome: "failed" });
  const odd = endOf(notice("turn/completed", { threadId: THREAD }));
  expect(codexEnd({ ...SILENT, end: odd }, exit("green"))).toMatchObject({
    outcome: "failed",
    error: "its turn ended with neither success nor reason (unknown)",
  });
});

test("a limit is nobody's fault, and over when the last full window begins anew", () => {
  const limited = { ...SILENT, end: failed("usageLimitExceeded", "You've hit your usage limit.") };
  const parked = (until: number | null) => ({
    outcome: "rate_limited",
    failure: "limit",
    error: "You've hit your usage limit.",
    summary: null,
    ...FREE,
    limit: { holds: "account", until, known_from: until === null ? "backoff" : "signal" },
  });
  expect(codexEnd(limited, exit("green"))).toEqual(parked(null));
  const windows = [
    { used_percent: 100, resets_at: 1_805_000_000_000 },
    { used_percent: 100, resets_at: 1_806_000_000_000 },
  ];
  expect(codexEnd({ ...limited, windows }, exit("green"))).toEqual(parked(1_806_000_000_000));
  const one = [windows[0]!, { used_percent: 40, resets_at: 1_806_000_000_000 }];
  expect(codexEnd({ ...limited, windows: one }, exit("green"))).toEqual(parked(1_805_000_000_000));
  const dark = [windows[0]!, { used_percent: 100, resets_at: null }];
  expect(codexEnd({ ...limited, windows: dark }, exit("green"))).toEqual(parked(null));
  const busy = { ...SILENT, end: failed("serverOverloaded", "Busy.") };
  expect(codexEnd(busy, exit("green"))).toMatchObject({
    outcome: "rate_limited",
    failure: "overload",
    error: "Busy.",
    limit: { holds: "provider", until: null },
  });
});

test("a turn that was broken off because it was stopped is the stop's", () => {
  const end = endOf(turnEnded("interrupted"));
  const stopped = { ...SILENT, end, is_own: false, stray: "some error of its ending" };
  const interrupted = { outcome: "interrupted", error: null, summary: null, killed: false, ...FREE };
  expect(codexEnd(stopped, exit("green"))).toEqual(interrupted);
  expect(codexEnd(stopped, exit("killed", 137))).toEqual({ ...interrupted, killed: true });
  expect(codexEnd({ ...stopped, end: failed("other") }, exit("green"))).toEqual(interrupted);
  expect(codexEnd({ ...stopped, is_own: true }, exit("green"))).toMatchObject({
    outcome: "failed",
    error: "its turn was broken off, and not by lockstep",
  });
});

test.each<[Partial<CodexSaid>, CheckEnd, string, string | null]>([
  [{}, exit("green"), "failed", "it ended well, but without an end of its turn: last words"],
  [{}, exit("red", 3), "failed", "it ended with 3, but without an end of its turn: last words"],
  [{ stray: "" }, exit("red", 137), "failed", "it ended with 137, but without an end of its turn"],
  [{}, exit("error", 127), "failed", "it could not be started: the tail"],
  [
    { refused: "thread/start: no such model" },
    exit("green"),
    "failed",
    "it did not begin: thread/start: no such model",
  ],
  [{ is_own: false }, exit("killed", 143), "interrupted", "last words"],
  [{ is_own: false, stray: "" }, exit("green"), "interrupted", null],
])("without an end of its turn nothing has succeeded: %j %j", (over, end, outcome, error) => {
  const said = { ...SILENT, stray: "last words", ...over };
  expect(codexEnd(said, end)).toMatchObject({ outcome, error, summary: null, ...FREE });
});

test("one that was given up says why", () => {
  const givenUp = { kind: "login" as const, text: "401 Unauthorized", status: 401 };
  expect(codexEnd({ ...SILENT, givenUp }, exit("killed", 143))).toMatchObject({
    outcome: "failed",
    error: "the model's service does not accept its login: run `codex login`, or give it a key: 401 Unauthorized",
  });
  const limit = { kind: "limit" as const, text: "No more.", status: null };
  expect(codexEnd({ ...SILENT, givenUp: limit }, exit("killed", 143))).toMatchObject({
    outcome: "rate_limited",
    error: "No more.",
  });
});

test("field report 31: a flood is a failure that says so", () => {
  const end = codexEnd(SILENT, { ...exit("red", 137), flooded_at: 4_096 });
  const error = "more than 4096 bytes of output";
  expect(end).toEqual({ outcome: "failed", failure: "protocol", error, summary: null, ...FREE });
});
