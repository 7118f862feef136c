import { expect, test } from "vitest";
import { Attempt } from "../../../test/fixtures/agent-attempt.ts";
import { openCode } from "../../../test/fixtures/opencode-events.ts";
import { out, played, runOpenCode as run } from "../../../test/fixtures/opencode-server.ts";

const { text, step, idle, retry, error } = openCode;
const SUCCESS = [text("Done."), step("stop"), idle()];

test("a retry that passes is told, and one that comes late is a limit until then", async () => {
  const passing = new Attempt();
  expect(await run(played(retry("Rate limit reached"), ...SUCCESS), { attempt: passing })).toMatchObject({
    outcome: "succeeded",
  });
  expect(passing.events[0]).toEqual({ type: "limit", text: "it tries again: Rate limit reached", until: null });
  const until = Date.now() + 3_600_000;
  expect(await run(played(retry("Too Many Requests", until)), { times: { decideMs: 60_000 } })).toMatchObject({
    ...{ outcome: "rate_limited", failure: "limit", error: "Too Many Requests" },
    limit: { holds: "account", until, known_from: "signal" },
  });
});

test("a limit, a login and an empty purse are decided soon, unless the model answers after all", async () => {
  const times = { decideMs: 300 };
  expect(await run(played(retry("The usage limit has been reached")), { times })).toMatchObject({
    outcome: "rate_limited",
    failure: "limit",
  });
  expect(await run(played(retry("Invalid API key")), { times })).toMatchObject({ outcome: "failed", failure: "auth" });
  expect(await run(played(retry("Your credit balance is too low")), { times })).toMatchObject({ failure: "credit" });
  const answers = `play = () => { ${out(retry("The usage limit has been reached"), text("Still here."))}
    setTimeout(() => { ${out(...SUCCESS)} }, 600); };`;
  expect(await run(answers, { times })).toMatchObject({ outcome: "succeeded" });
});

test("an answer that never comes whole is given up after a while, and so are retries without number", async () => {
  const cut = `play = () => { let tries = 0; const again = setInterval(() => {
    ${out(openCode.part({ type: "step-start" }), retry("Connection reset by server"))} if (++tries > 10) clearInterval(again); }, 100); };`;
  expect(await run(cut, { times: { troubleMs: 300 } })).toMatchObject({
    ...{ outcome: "failed", failure: "cut" },
    error: "the answer of its model broke off: Connection reset by server",
  });
  const soon = `play = () => { for (let i = 0; i < 21; i++) ${out(retry("Internal server error"))} };`;
  expect(await run(soon)).toMatchObject({ outcome: "rate_limited", failure: "overload", limit: { holds: "provider" } });
});

test("an error ends the turn when it comes to rest, or when nothing follows; one that it gets over does not", async () => {
  const refused = error("APIError", { message: "Incorrect API key.", statusCode: 401, isRetryable: false });
  expect(await run(played(refused, idle()))).toMatchObject({ outcome: "failed", failure: "auth" });
  expect(await run(played(refused))).toMatchObject({ outcome: "failed", failure: "auth" });
  const over = `play = () => { ${out(error("ContextOverflowError", { message: "too long" }), openCode.status({ type: "busy" }))}
    setTimeout(() => { ${out(...SUCCESS)} }, 600); };`;
  expect(await run(over)).toMatchObject({ outcome: "succeeded" });
  const plugin = {
    type: "session.error",
    properties: { error: { name: "UnknownError", data: { message: "a plug-in" } } },
  };
  const attempt = new Attempt();
  expect(await run(played(plugin, ...SUCCESS), { attempt })).toMatchObject({ outcome: "succeeded" });
  expect(attempt.events[0]).toEqual({ type: "note", text: "something is wrong with it: a plug-in" });
});

test("it takes no more turns and no more money than it may", async () => {
  const works = played(step("tool-calls", "a"), step("tool-calls", "b"), ...SUCCESS);
  expect(await run(works, { spec: { turns_max: 2 } })).toMatchObject({ failure: "turn_cap" });
  expect(await run(works, { spec: { budget_usd: 0.005 } })).toMatchObject({ failure: "budget_cap" });
  expect(await run(works, { spec: { turns_max: 3, budget_usd: 1 } })).toMatchObject({ outcome: "succeeded" });
});
