/** The process that publishes is killed at each request, before and after it is done. The next one doubles nothing. */

import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { HEAD, never, type PublisherLab, publisherLab, unrefused } from "./publisher-lab.ts";

const SCRIPT = fileURLToPath(new URL("children/publish.ts", import.meta.url));

let lab: PublisherLab;
let putBack: () => void;
beforeAll(async () => {
  lab = await publisherLab();
  putBack = lab.mark();
});
beforeEach(() => putBack());
afterEach(() => {
  expect(lab.github.errors.splice(0)).toEqual([]);
});
afterAll(() => lab.close());

describe("a process that dies while it publishes", () => {
  it.each([
    ["before the pull request is made", "pulls.create", "hang"],
    ["after the pull request is made", "pulls.create", "mute"],
    ["before the comment is made", "comments.create", "hang"],
    ["after the comment is made", "comments.create", "mute"],
    ["before it has read back what it made", "pulls.get", "hang"],
  ] as const)("%s leaves what the next one finds again", async (_when, route, kind) => {
    lab.github.fail(route, { kind });
    const { now, ...options } = lab.options({ limit_ms: 20_000 });
    const order = JSON.stringify({ options, now: now(), request: lab.request() });
    const child = spawn(process.execPath, ["--import", import.meta.resolve("tsx"), SCRIPT, order], { stdio: "ignore" });
    const ended = once(child, "close");
    const reached = lab.github.reached(route).then(() => child.kill("SIGKILL"));
    expect(await Promise.race([reached, ended.then(([code]) => `it ended by itself: ${code}`)])).toBe(true);
    await ended;
    expect(unrefused(await lab.fresh().publish(lab.request(), never))).toMatchObject({ number: 1, state: "open" });
    expect(lab.remoteSha(HEAD)).toBe(lab.request().sha);
    expect(lab.github.repository.pulls).toHaveLength(1);
    expect(lab.github.repository.comments).toHaveLength(1);
  });
});
