/** Each step of publishing meets each failure: the answer has its type, and a fresh process then doubles nothing. */

import { rmSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { PublishRefusalCode, PublishRequest } from "../../../src/ports/publisher.ts";
import type { Failure } from "../../fixtures/fake-github.ts";
import { HEAD, NOW, never, type PublisherLab, publisherLab, unrefused } from "./publisher-lab.ts";

/** One for all: each test puts the remote and GitHub back to where they were. */
let lab: PublisherLab;
let first: PublishRequest;
let second: PublishRequest;
let toNothing: () => void;
let toPublished: () => void;
beforeAll(async () => {
  lab = await publisherLab();
  first = lab.request();
  toNothing = lab.mark();
  unrefused(await lab.fresh().publish(first, never));
  toPublished = lab.mark();
  const report = { ...first.report, summary: "Second summary." };
  second = lab.request({ sha: lab.commit("second"), ours: [first.sha], report, note: "Attempt 2.", ready: true });
  lab.git("push", "-q", "origin", "HEAD:refs/kept/second");
});
beforeEach(() => void putBack(false));
afterEach(() => {
  expect(lab.github.errors.splice(0)).toEqual([]);
});
afterAll(() => lab.close());

/** To before anything was published, or to after the first time. */
function putBack(isPublished: boolean): PublishRequest {
  if (isPublished) toPublished();
  else toNothing();
  rmSync(join(lab.bare, "hooks", "pre-receive"), { force: true });
  return isPublished ? second : first;
}

const answer = (status: number, message: string, headers: Record<string, string> = {}): Failure => {
  return { kind: "answer", status, message, headers };
};

/** As long as the requests of a step are tried again. */
const ALWAYS = 100;

const seconds = (after: number): string => String(NOW / 1_000 + after);

/** The type of each failure where it lasts, and until when a limit does, milliseconds from now. */
const LASTING: [string, Failure, PublishRefusalCode, number | null][] = [
  ["403", answer(403, "Resource not accessible by integration"), "forbidden", null],
  ["401", answer(401, "Bad credentials"), "forbidden", null],
  ["404", answer(404, "Not Found"), "not_found", null],
  ["409", answer(409, "Merge conflict"), "conflict", null],
  ["422", answer(422, "Validation Failed"), "invalid", null],
  ["429", answer(429, "Too many requests"), "rate_limited", 60_000],
  ["429 with a time to wait", answer(429, "Too many requests", { "retry-after": "30" }), "rate_limited", 31_000],
  [
    "403 for a spent hour",
    answer(403, "API rate limit exceeded for user ID 1.", {
      "x-ratelimit-remaining": "0",
      "x-ratelimit-reset": seconds(600),
      date: new Date(NOW).toUTCString(),
    }),
    "rate_limited",
    601_000,
  ],
  [
    "403 for a secondary limit",
    answer(403, "You have exceeded a secondary rate limit. Please wait.", { "retry-after": "7" }),
    "rate_limited",
    8_000,
  ],
  [
    "403 for a secondary limit without a time",
    answer(403, "You have exceeded a secondary rate limit."),
    "rate_limited",
    60_000,
  ],
  ["500", answer(500, "Server Error"), "unavailable", null],
  ["502", answer(502, "Bad Gateway"), "unavailable", null],
  ["503", answer(503, "Service Unavailable"), "unavailable", null],
  ["no answer in time", { kind: "hang" }, "unavailable", null],
  ["a connection that is cut before", { kind: "reset" }, "unavailable", null],
  ["another's page", { kind: "garbage" }, "unavailable", null],
];

/** What goes wrong once. */
const PASSING: [string, Failure][] = [
  ["a server in trouble", answer(503, "Service Unavailable")],
  ["a connection that is cut before", { kind: "reset" }],
  ["a connection that is cut after", { kind: "lost" }],
  ["no answer in time", { kind: "hang" }],
  ["another's page", { kind: "garbage" }],
  ["a slow answer", { kind: "slow", ms: 60 }],
];

/** The route of each step, and what makes it come up. */
const STEPS: Record<string, { route: string; isUpdate: boolean }> = {
  lookup: { route: "pulls.list", isUpdate: false },
  create: { route: "pulls.create", isUpdate: false },
  update: { route: "pulls.update", isUpdate: true },
  "lookup of the comment": { route: "comments.list", isUpdate: false },
  comment: { route: "comments.create", isUpdate: false },
  "update of the comment": { route: "comments.update", isUpdate: true },
  "mark as ready": { route: "graphql", isUpdate: true },
  "read back": { route: "pulls.get", isUpdate: false },
};

const publisher = () => lab.fresh("github", { limit_ms: 150 });

async function expectOnce(request: PublishRequest): Promise<void> {
  expect(unrefused(await lab.fresh().publish(request, never))).toMatchObject({
    number: 1,
    head_sha: request.sha,
    state: "open",
    draft: !request.ready,
  });
  const { pulls, comments } = lab.github.repository;
  expect(lab.remoteSha(HEAD)).toBe(request.sha);
  expect(pulls.map(({ body }) => body?.split("\n")[1])).toEqual([request.report.summary]);
  expect(comments.map(({ body }) => body.split("\n")[1])).toEqual([request.note]);
}

/** `npm run long -- faults` has every failure at every step; a gate has each failure somewhere, and each step some. */
const isLong = process.env["LOCKSTEP_LONG"] === "faults";

function chosenAt<T>(step: string, failures: readonly T[]): T[] {
  const steps = Object.keys(STEPS);
  return failures.filter((_, index) => isLong || (index + steps.indexOf(step)) % steps.length === 0);
}

describe.each(Object.entries(STEPS))("a publisher that fails in its step: %s", (step, { route, isUpdate }) => {
  it.each(chosenAt(step, LASTING))("with %s", async (_name, failure, code, wait) => {
    const request = putBack(isUpdate);
    lab.github.fail(route, failure, ALWAYS);
    const refused = await publisher().publish(request, never);
    const until = wait === null ? null : NOW + wait;
    expect(refused).toMatchObject({
      code,
      until,
      next: expect.stringMatching(/.\.$/),
      text: expect.stringMatching(/^GitHub/),
    });
    const tries = lab.github.asked.filter((asked) => asked.startsWith(`${route} `)).length;
    expect(tries).toBeLessThanOrEqual(code === "unavailable" ? 3 : 1);
    lab.github.forget();
    await expectOnce(request);
  });

  it.each(chosenAt(step, [...PASSING, ...PASSING].slice(0, Object.keys(STEPS).length)))(
    "once, with %s, and nothing is doubled",
    async (_name, failure) => {
      const request = putBack(isUpdate);
      lab.github.fail(route, failure);
      const once = await publisher().publish(request, never);
      if ("code" in once) expect(once).toMatchObject({ code: "unavailable", retriable: true });
      await expectOnce(request);
    },
  );
});

describe("a limit", () => {
  it("is kept to: nothing is asked before it is over, and then it is", async () => {
    let now = NOW;
    lab.github.fail("pulls.list", answer(429, "Too many requests", { "retry-after": "30" }));
    const one = lab.fresh("github", { now: () => now });
    const refused = await one.publish(lab.request(), never);
    expect(refused).toMatchObject({ code: "rate_limited", until: NOW + 31_000 });
    now = NOW + 30_999;
    expect(await one.publish(lab.request(), never)).toEqual(refused);
    expect(lab.github.asked).toEqual(["pulls.list 429"]);
    now = NOW + 31_000;
    unrefused(await one.publish(lab.request(), never));
  });

  it("ends by the later of two clocks", async () => {
    const ahead = {
      "x-ratelimit-remaining": "0",
      "x-ratelimit-reset": seconds(600),
      date: new Date(NOW - 60_000).toUTCString(),
    };
    lab.github.fail("pulls.list", answer(403, "API rate limit exceeded", ahead));
    expect(await lab.fresh().publish(lab.request(), never)).toMatchObject({ until: NOW + 661_000 });
  });
});

describe("a publisher", () => {
  it.each(["pulls.create", "comments.create", "pulls.update", "comments.update", "graphql"])(
    "takes for done what was done though the answer was lost: %s",
    async (route) => {
      const request = putBack(!route.endsWith(".create"));
      lab.github.fail(route, { kind: "lost" });
      expect(await lab.fresh().publish(request, never)).toMatchObject({ number: 1, head_sha: request.sha });
      await expectOnce(request);
    },
  );

  it("hears its signal while a request hangs", async () => {
    const stop = new AbortController();
    lab.github.fail("pulls.list", { kind: "hang" }, ALWAYS);
    setTimeout(() => stop.abort(), 200);
    const started = performance.now();
    expect(await lab.fresh("github", { limit_ms: 20_000 }).publish(lab.request(), stop.signal)).toEqual({
      code: "unavailable",
      text: "It was broken off before GitHub could look up the pull request.",
      next: "Nothing to do: it is tried again.",
      retriable: true,
      until: null,
    });
    expect(performance.now() - started).toBeLessThan(5_000);
  });

  it("never tells its token, not even when GitHub does", async () => {
    const { env } = lab.options();
    const token = Object.values(env)[0]!;
    lab.github.fail("pulls.list", answer(403, `The token ${token} is bad`));
    const refused = await lab.fresh().publish(lab.request(), never);
    expect(refused).toMatchObject({
      text: "GitHub did not look up the pull request (403): The token [redacted] is bad",
    });
    lab.hook("pre-receive", `echo 'no ${token}' >&2; exit 1`);
    expect(JSON.stringify(await lab.fresh().publish(lab.request(), never))).not.toContain(token);
  });
});
