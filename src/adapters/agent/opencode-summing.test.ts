import { expect, test } from "vitest";
import { Attempt } from "../../../test/fixtures/agent-attempt.ts";
import { openCode, OPENCODE_SESSION as SESSION } from "../../../test/fixtures/opencode-events.ts";
import { type OpenCodeRun, out, played, runOpenCode } from "../../../test/fixtures/opencode-server.ts";
import type { Turn } from "../../ports/agent.ts";

const { event, part, text, step, idle, status, summary, error, retry } = openCode;
const TURN: Turn = { message: "Go on.", session: SESSION, compact: true };
const [BUSY, AT_REST] = [status({ type: "busy" }), [status({ type: "idle" }), idle()]];
const SUCCESS = [BUSY, text("Done."), step("stop"), ...AT_REST];
const COMPACTED = event("session.compacted", {});
const ONE_STEP = { input: 1_000, output: 50, cache_read: 300, cache_write: 5 };
const TWO_STEPS = { input: 2_000, output: 100, cache_read: 600, cache_write: 10 };
const IN_VAIN = "its conversation could not be summed up, it goes on in it as it is:";

const ASKED = `PATCH /session/${SESSION}`;
const [SUMS, SAYS] = [`POST /session/${SESSION}/summarize`, `POST /session/${SESSION}/prompt_async`];
const BREAKS_OFF = `POST /session/${SESSION}/abort`;
const DROPS = ["msg_ask", "msg_sum"].map((id) => `DELETE /session/${SESSION}/message/${id}`);

/** The messages of a summing-up, as the server has them. */
const ASKING = { info: { id: "msg_ask", role: "user" }, parts: [{ type: "compaction", auto: false }] };
const BROKEN_OFF = { id: "msg_sum", role: "assistant", summary: true, error: { name: "MessageAbortedError" } };
const LEFT = [ASKING, { info: BROKEN_OFF, parts: [] }];

/** What happens while it sums up, and what its answer to being asked is; `left`: the messages that it leaves. */
const sums = (source: string, left: object[] = []): string => `let left = ${JSON.stringify(left)};
  on["GET " + PATH + "/message"] = () => left;
  on["DELETE " + PATH + "/message/msg_ask"] = on["DELETE " + PATH + "/message/msg_sum"] = () => { left = []; return true; };
  on["POST " + PATH + "/summarize"] = () => { ${source} return true; };`;
/** Its request is not answered: that of a model that says nothing. */
const HANGS = `on["POST " + PATH + "/summarize"] = () => new Promise((answer) => { release = answer; });
  let release;
  on["POST " + PATH + "/abort"] = () => { release(true); ${out(error("MessageAbortedError", { message: "Aborted" }), ...AT_REST)} return true; };`;

const SUMMARY = [
  summary("msg_sum"),
  part({ messageID: "msg_sum", id: "prt_s", type: "text", text: "A summary.", time: { start: 1, end: 2 } }),
  step("stop", "prt_sum", SESSION, "msg_sum"),
];

async function run(source: string, wish: OpenCodeRun = {}) {
  const attempt = new Attempt();
  const end = await runOpenCode(source, { attempt, turn: TURN, ...wish });
  const asked = (attempt.read("got.jsonl") ?? "").trim().split("\n");
  const got = asked.map((line) => JSON.parse(line) as { what: string; body?: unknown });
  return {
    end,
    events: attempt.events,
    got,
    /** What was asked of the server that changes something. */
    done: got.map(({ what }) => what).filter((what) => !what.startsWith("GET")),
    notes: attempt.events.flatMap((each) => (each.type === "note" ? each.text : [])),
  };
}

test("its conversation is summed up before the prompt: that counts, and is neither an answer nor an end", async () => {
  const source = sums(out(BUSY, ...SUMMARY, COMPACTED, BUSY, ...AT_REST, ...AT_REST)) + played(...SUCCESS);
  const { end, done, got, notes, events } = await run(source);
  expect(end).toMatchObject({ outcome: "succeeded", summary: "Done.", usage: TWO_STEPS, cost_usd: 2 * 0.003_84 });
  expect(done).toEqual([ASKED, SUMS, SAYS]);
  expect(got.find(({ what }) => what === SUMS)?.body).toEqual({ providerID: "lab", modelID: "one/large", auto: false });
  expect(notes).toEqual(["its conversation was summed up to make room"]);
  expect(events.filter(({ type }) => type === "text")).toEqual([{ type: "text", text: "Done." }]);
});

test("it is summed up by the model of its settings, where it has one", async () => {
  const { got } = await run(sums(out(COMPACTED, idle())) + played(...SUCCESS), { spec: { model: "lab/two" } });
  expect(got.find(({ what }) => what === SUMS)?.body).toMatchObject({ providerID: "lab", modelID: "two" });
});

test("what cannot be summed up goes on as it is, and what is left of that is taken out first", async () => {
  const refused = error("APIError", { message: "Incorrect API key.", statusCode: 401, isRetryable: false });
  const source = sums(`left = ${JSON.stringify(LEFT)}; ${out(BUSY, refused, ...AT_REST, ...AT_REST)}`);
  const { end, done, notes } = await run(source + played(...SUCCESS));
  expect(end).toMatchObject({ outcome: "succeeded", summary: "Done.", usage: ONE_STEP });
  expect(done).toEqual([ASKED, SUMS, ...DROPS, SAYS]);
  expect(notes).toEqual([`${IN_VAIN} Incorrect API key.`]);
  const gone = await run(`delete on["POST " + PATH + "/summarize"]; ${played(...SUCCESS)}`);
  expect(gone.end).toMatchObject({ outcome: "succeeded" });
  expect(gone.notes).toEqual([`${IN_VAIN} {"name":"NotFoundError"}`]);
});

test("a summing-up that takes too long, or would wait for a limit, is broken off, and the turn goes on", async () => {
  const late = await run(HANGS + played(...SUCCESS), { summingMs: 300 });
  expect(late.end).toMatchObject({ outcome: "succeeded", summary: "Done." });
  expect(late.done).toEqual([ASKED, SUMS, BREAKS_OFF, SAYS]);
  expect(late.notes).toEqual([`${IN_VAIN} The operation was aborted due to timeout`]);
  const limit = retry("The usage limit has been reached", Date.now() + 3_600_000);
  const waits = HANGS.replace("new Promise((answer) => {", `new Promise((answer) => { ${out(limit)}`);
  const limited = await run(waits + played(...SUCCESS), { times: { decideMs: 60_000 } });
  expect(limited.end).toMatchObject({ outcome: "succeeded", summary: "Done." });
  expect(limited.done).toEqual([ASKED, SUMS, BREAKS_OFF, SAYS]);
  expect(limited.notes).toEqual([`${IN_VAIN} The usage limit has been reached`]);
});

test("one that is told to end while it sums up breaks that off, and is told nothing more", async () => {
  const stop = new AbortController();
  const asks = HANGS.replace("new Promise((answer) => {", `new Promise((answer) => { ${out(retry("Too busy"))}`);
  const { end, done } = await run(asks + played(...SUCCESS), { signal: stop.signal, tell: () => stop.abort() });
  expect(end).toMatchObject({ outcome: "interrupted", killed: false });
  expect(done).toEqual([ASKED, SUMS, BREAKS_OFF]);
});

test("what is left of a summing-up that was broken off before is taken out, though none is asked for now", async () => {
  const turn: Turn = { message: "Go on.", session: SESSION };
  const { end, done, notes } = await run(sums("", LEFT) + played(...SUCCESS), { turn });
  expect(end).toMatchObject({ outcome: "succeeded", summary: "Done." });
  expect(done).toEqual([ASKED, ...DROPS, SAYS]);
  expect(notes).toEqual([]);
  const whole = [ASKING, { info: { ...BROKEN_OFF, error: undefined, finish: "stop" }, parts: [] }];
  expect((await run(sums("", whole) + played(...SUCCESS), { turn })).done).toEqual([ASKED, SAYS]);
  const stays = await run(`on["GET " + PATH + "/message"] = () => ${JSON.stringify(LEFT)}; ${played(...SUCCESS)}`);
  expect(stays.notes[0]).toBe('what is left of a summing-up of its conversation stays in it: {"name":"NotFoundError"}');
});

test("a summing-up of its own amid a turn is no answer: without one that turn has not succeeded", async () => {
  const turn: Turn = { message: "Go on.", session: SESSION };
  const amid = [BUSY, step("tool-calls"), ...SUMMARY, COMPACTED, BUSY];
  expect((await run(played(...amid, ...SUCCESS), { turn })).end).toMatchObject({
    outcome: "succeeded",
    summary: "Done.",
  });
  expect((await run(played(...amid.filter((each) => each !== amid[1]), ...AT_REST), { turn })).end).toMatchObject({
    ...{ outcome: "failed", failure: "protocol", error: "its turn ended without an answer of its model" },
    usage: ONE_STEP,
  });
});
