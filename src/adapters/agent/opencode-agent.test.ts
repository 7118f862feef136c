import { existsSync, readdirSync } from "node:fs";
import { expect, test } from "vitest";
import { Attempt } from "../../../test/fixtures/agent-attempt.ts";
import { openCode, OPENCODE_SESSION as SESSION } from "../../../test/fixtures/opencode-events.ts";
import { out, played, runOpenCode as run } from "../../../test/fixtures/opencode-server.ts";
import type { Turn } from "../../ports/agent.ts";

const got = (attempt: Attempt): { what: string; body?: Record<string, unknown> }[] =>
  (attempt.read("got.jsonl") ?? "")
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line));
const bodyOf = (attempt: Attempt, end: string) => got(attempt).find(({ what }) => what.endsWith(end))?.body;
const wordsOf = (attempt: Attempt) =>
  got(attempt)
    .filter(({ what }) => what.endsWith("/prompt_async"))
    .map(({ body }) => (body!["parts"] as { text: string }[])[0]!.text);

const { text, step, idle, tool, asked, model } = openCode;
const SUCCESS = [text("Done."), step("stop"), idle()];
const USAGE = { input: 1_000, output: 50, cache_read: 300, cache_write: 5 };

test("it is told its task over its server, never in its command line, and the server has a password of its own", async () => {
  const attempt = new Attempt();
  const end = await run(
    `on["GET /config/providers"] = () => ({ providers: [] }); ${played(model("lab", "one"), ...SUCCESS)}`,
    {
      ...{ attempt, prompt: "Make it right.\n", env: { OPENCODE_SERVER_PASSWORD: "another's", OPENCODE: "1" } },
      spec: { model: "lab/one/large", effort: "high", system: "Be brief." },
    },
  );
  expect(end).toEqual({ outcome: "succeeded", error: null, summary: "Done.", usage: USAGE, cost_usd: 0.003_84 });
  expect(JSON.parse(attempt.read("argv.json")!)).toEqual(["serve", "--hostname", "127.0.0.1", "--port", "0"]);
  expect(bodyOf(attempt, "/prompt_async")).toEqual({
    parts: [{ type: "text", text: "Make it right.\n" }],
    model: { providerID: "lab", modelID: "one/large" },
    variant: "high",
    system: "Be brief.",
  });
  expect(attempt.events).toEqual([
    { type: "session", session: SESSION, model: "lab/one" },
    { type: "text", text: "Done." },
    { type: "usage", usage: USAGE, cost_usd: 0.003_84 },
  ]);
  const env = JSON.parse(attempt.read("env.json")!) as Record<string, string>;
  expect(env["OPENCODE_SERVER_PASSWORD"]).toMatch(/^[\w-]{32}$/);
  expect(env).not.toHaveProperty("OPENCODE");
  expect(JSON.parse(env["OPENCODE_CONFIG_CONTENT"]!)).toMatchObject({ autoupdate: false, share: "disabled" });
});

test("its temporary directory is its own, below the attempt's, and is gone in the end", async () => {
  const attempt = new Attempt();
  const TMPDIR = attempt.write("tmp/.keep", "").replace("/.keep", "");
  const source = `writeFileSync(process.env.TMPDIR + "/.leak.so", "x"); ${played(...SUCCESS)}`;
  await run(source, { attempt, env: { TMPDIR } });
  const env = JSON.parse(attempt.read("env.json")!) as Record<string, string>;
  expect(env["TMPDIR"]).toMatch(new RegExp(`^${TMPDIR}/opencode-`));
  expect(readdirSync(TMPDIR)).toEqual([".keep"]);
});

test("a conversation asks where its agent may, and goes on with what a person said", async () => {
  const attempt = new Attempt();
  const turn: Turn = { message: "Do the other thing.", session: SESSION };
  expect(await run(played(...SUCCESS), { attempt, turn })).toMatchObject({ outcome: "succeeded" });
  expect(bodyOf(attempt, `PATCH /session/${SESSION}`)?.["permission"]).toEqual([
    { permission: "*", pattern: "*", action: "allow" },
    ...["bash", "edit", "webfetch", "external_directory"].map((permission) => ({
      ...{ permission, pattern: "*", action: "ask" },
    })),
  ]);
  expect(wordsOf(attempt)).toEqual(["Do the other thing."]);
});

test("one whose conversation is gone is told its task again", async () => {
  const attempt = new Attempt();
  const turn: Turn = { message: "Hurry.", session: "ses_gone" };
  expect(await run(played(...SUCCESS), { attempt, turn, prompt: "Sort it.\n" })).toMatchObject({
    outcome: "succeeded",
  });
  expect(wordsOf(attempt)).toEqual(["Sort it.\n\nYou had begun on this when you were interrupted. Hurry.\n"]);
  expect(attempt.events[0]).toEqual({
    type: "note",
    text: 'its conversation is not there any more: it begins anew ({"name":"NotFoundError"})',
  });
});

test("tools, files and steps are told once, in their order, and what is not known is passed over", async () => {
  const attempt = new Attempt();
  const ran = { command: "npm test", description: "test" };
  const source = played(
    { type: "some.day", properties: null },
    tool("c1", "bash", { status: "pending", input: {}, raw: "" }),
    tool("c1", "bash", { status: "running", input: ran }),
    tool("c1", "bash", { status: "running", input: ran, metadata: { output: "…" } }),
    tool("c1", "bash", { status: "completed", input: ran }),
    tool("c2", "edit", { status: "error", input: { filePath: "/a" }, error: "no such file" }),
    openCode.event("file.edited", { file: "/a" }),
    openCode.event("todo.updated", {
      todos: [
        { content: "one", status: "completed" },
        { content: "two", status: "in_progress" },
      ],
    }),
    step("tool-calls", "prt_a"),
    step("tool-calls", "prt_a"),
    // A helper's.
    step("length", "prt_b", "ses_other"),
    { type: "session.idle", properties: { sessionID: "ses_other" } },
    openCode.part({ type: "text", id: "prt_u", text: "what it was told" }),
    ...SUCCESS,
  );
  const end = await run(source, { attempt });
  expect(end).toMatchObject({ outcome: "succeeded", cost_usd: 3 * 0.003_84 });
  expect(end.usage).toEqual({ input: 3_000, output: 150, cache_read: 900, cache_write: 15 });
  expect(attempt.events.filter(({ type }) => type !== "usage")).toEqual([
    { type: "tool", name: "bash", about: "npm test", id: "c1" },
    { type: "tool_ended", id: "c1" },
    { type: "tool", name: "edit", about: "/a", id: "c2" },
    { type: "tool_ended", id: "c2" },
    { type: "note", text: "a tool failed: no such file" },
    { type: "file", path: "/a" },
    { type: "progress", text: "2 of 2: two" },
    { type: "text", text: "Done." },
    { type: "session", session: SESSION, model: null },
  ]);
  // What it told stands in the transcript.
  expect(attempt.log).toContain('"tool":"bash"');
  expect(attempt.log).not.toContain("…");
});

test("a call is ruled on once, though it is asked about for where and for what, and a refusal carries its reason", async () => {
  const attempt = new Attempt();
  const calls: unknown[] = [];
  const source = `replied = (id, { reply }) => {
    if (id === "per_1") ${out(asked("per_2", "bash", { command: "rm -rf /x" }))}
    if (id === "per_2") ${out(asked("per_3", "edit", { filepath: "/w/a" }, "call_2"))}
    if (id === "per_3") ${out(...SUCCESS)}
  };
  ${played(
    tool("call_1", "bash", { status: "running", input: { command: "rm -rf /x" } }),
    asked("per_1", "external_directory", { command: "rm -rf /x" }),
  )}`;
  const end = await run(source, {
    attempt,
    permit: async (call) => {
      calls.push(call);
      return call.kind === "run" ? { allow: false, reason: "not that" } : { allow: true };
    },
  });
  expect(end.outcome).toBe("succeeded");
  expect(calls).toEqual([
    { kind: "run", tool: "bash", about: "rm -rf /x" },
    { kind: "write", tool: "edit", about: "/w/a" },
  ]);
  const reject = { reply: "reject", message: "not that" };
  expect(got(attempt).filter(({ what }) => what.includes("/permission/"))).toEqual([
    { what: "POST /permission/per_1/reply", body: reject },
    { what: "POST /permission/per_2/reply", body: reject },
    { what: "POST /permission/per_3/reply", body: { reply: "once" } },
  ]);
  expect(attempt.events.filter(({ type }) => type === "permission")).toEqual([
    { type: "permission", tool: "bash", about: "rm -rf /x", allowed: false, why: "not that" },
    { type: "permission", tool: "edit", about: "/w/a", allowed: true, why: "" },
  ]);
});

test("a turn that ends by a refused call goes on once, with the reason", async () => {
  const attempt = new Attempt();
  const source = `replied = () => { ${out(step("tool-calls"), idle())} };
    play = (n) => { n === 0 ? ${out(asked("per_1", "bash", { command: "rm x" })).slice(0, -1)} : ${out(...SUCCESS)} };`;
  const permit = async () => ({ allow: false, reason: "it is precious" }) as const;
  expect(await run(source, { attempt, permit, prompt: "Go.\n" })).toMatchObject({ outcome: "succeeded" });
  expect(wordsOf(attempt)).toEqual(["Go.\n", "That was not allowed: bash rm x: it is precious\nGo on without it."]);
  const stubborn = `replied = () => { ${out(step("tool-calls"), idle())} };
    play = () => { ${out(asked("per_1", "bash", { command: "rm x" }))} };`;
  expect(await run(stubborn, { permit })).toMatchObject({
    ...{ outcome: "failed", failure: "gave_up", error: "it stopped after it had used a tool" },
  });
});

test("a question to a person is refused, for nobody is there", async () => {
  const attempt = new Attempt();
  const source = `on["POST /question/que_1/reject"] = () => { ${out(...SUCCESS)} return true; };
    ${played(openCode.event("question.asked", { id: "que_1", questions: [] }))}`;
  expect(await run(source, { attempt })).toMatchObject({ outcome: "succeeded" });
  expect(attempt.events).toContainEqual({ type: "note", text: "it asked a person, and nobody is there" });
});

test("told to end, it breaks its turn off first; one that does not is ended by signals", async () => {
  const attempt = new Attempt();
  const stop = new AbortController();
  const tell = () => stop.abort();
  const ended = await run(played(model("lab", "one")), { attempt, signal: stop.signal, tell });
  expect(ended).toMatchObject({ outcome: "interrupted", killed: false });
  expect(got(attempt).at(-1)).toEqual({ what: `POST /session/${SESSION}/abort` });
  const deaf = new AbortController();
  const source = `on["POST " + PATH + "/abort"] = () => true; process.on("SIGTERM", () => {}); ${played(model("lab", "one"))}`;
  expect(await run(source, { signal: deaf.signal, tell: () => deaf.abort() })).toMatchObject({
    ...{ outcome: "interrupted", killed: true },
  });
});

test("one that is told to end before it listens is ended at once", async () => {
  const stop = new AbortController();
  const ended = run("console.log = () => { writeFileSync('up', ''); };", { signal: stop.signal });
  setTimeout(() => stop.abort(), 300);
  expect(await ended).toMatchObject({ outcome: "interrupted" });
});

test("a server that does not start, ends, or falls silent fails the turn with its last words", async () => {
  expect(await run("console.error('no port is free'); process.exit(3);")).toMatchObject({
    ...{ outcome: "failed", failure: "crashed" },
    error: "its server ended with 3, but its turn had not: no port is free",
  });
  expect(await run("play = () => process.exit(0);")).toMatchObject({
    ...{ outcome: "failed", failure: "crashed", error: "its server ended well, but its turn had not" },
  });
  expect(await run("console.log = () => {};", { startMs: 500 })).toMatchObject({
    ...{ outcome: "failed", failure: "hung", error: "its server did not begin to listen" },
  });
  expect(await run("play = () => end();")).toMatchObject({
    ...{ outcome: "failed", failure: "protocol", error: "its server tells nothing any more: its events ended" },
  });
  expect(await run("", { spec: { program: ["/no/such/program"] } })).toMatchObject({ failure: "crashed" });
});

test("a variant that its model does not have is refused before anything is said", async () => {
  const attempt = new Attempt();
  const models = { one: { variants: { low: {}, high: {} } }, two: {} };
  const source = `on["GET /config"] = () => ({ model: "lab/one" });
    on["GET /config/providers"] = () => (${JSON.stringify({ providers: [{ id: "lab", models }] })}); ${played(...SUCCESS)}`;
  expect(await run(source, { attempt, spec: { effort: "mad" } })).toMatchObject({
    ...{ failure: "refused_request", error: 'its model lab/one has no variant "mad": it has low, high' },
  });
  expect(wordsOf(attempt)).toEqual([]);
  expect(await run(source, { spec: { effort: "low", model: "lab/two" } })).toMatchObject({
    error: 'its model lab/two has no variant "low": it has none',
  });
  expect(await run(source, { attempt, spec: { effort: "high" } })).toMatchObject({ outcome: "succeeded" });
});

test("a server of tools that did not start is told", async () => {
  const attempt = new Attempt();
  const source = `on["GET /mcp"] = () => { setTimeout(() => { ${out(...SUCCESS)} }, 200); return {
    good: { status: "connected" }, bad: { status: "failed", error: "no such program" } }; };`;
  const mcp = ["good", "bad", "none"].map((name) => ({ name, command: "true", args: [], env: {} }));
  expect(await run(source, { attempt, mcp })).toMatchObject({ outcome: "succeeded" });
  expect(attempt.events.filter(({ type }) => type === "note")).toEqual([
    { type: "note", text: "the MCP server bad did not start: no such program" },
    { type: "note", text: "the MCP server none did not start: it is not there" },
  ]);
});

test("a server that refuses what is asked of it, or is asked in vain, fails the turn", async () => {
  expect(await run("delete on['POST /session'];")).toMatchObject({
    ...{ failure: "protocol", error: 'its server refused a conversation (404): {"name":"NotFoundError"}' },
  });
  expect(await run("", { spec: { model: "sonnet" } })).toMatchObject({
    ...{ failure: "refused_request", error: 'its model is to be written as provider/model, not "sonnet"' },
  });
  const attempt = new Attempt();
  expect(await run("", { attempt, env: { OPENCODE_CONFIG_CONTENT: "{oops" } })).toMatchObject({
    ...{ failure: "refused_request", error: "its variable OPENCODE_CONFIG_CONTENT does not hold JSON" },
  });
  expect(existsSync(attempt.logFile)).toBe(false);
});
