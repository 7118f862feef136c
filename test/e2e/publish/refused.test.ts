/** A forge that refuses, and an engine that dies while it publishes: nothing is built again, and nothing stands there twice. */

import { describe, expect, test } from "vitest";
import { type Failure, TOKEN } from "../../fixtures/fake-github.ts";
import { checksOf, openLab, readText, runLab, taskRow } from "../../fixtures/lab.ts";
import { at } from "../../fixtures/lab-crash.ts";
import { startProcess } from "../../fixtures/lab-process.ts";
import { atOnce, HEAD, isOpen, type PublishLab, publishLab, TASK, toldOf } from "./publish-lab.ts";

const answer = (status: number, message: string, headers: Record<string, string> = {}): Failure => {
  return { kind: "answer", status, message, headers };
};

async function isOnceThere({ github, repository }: PublishLab, sha: string): Promise<void> {
  expect(repository.shaOf(HEAD)).toBe(sha);
  expect(repository.pulls.map(({ number, head }) => [number, head])).toEqual([[1, HEAD]]);
  expect(github.errors).toEqual([]);
}

describe("a publication that is refused", () => {
  test("for good is parked with an item; the answer publishes the very same commit, and no check runs again", async () => {
    const lab = await publishLab({ tasks: [TASK] });
    lab.github.fail("pulls.create", answer(403, "Resource not accessible by integration"));
    const parked = await lab.runUntil(({ state }) => state === "blocked");
    expect(parked).toMatchObject({ reason: "publish_refused", publication: { stage: "intended", number: null } });
    const { store } = lab.context;
    const [item] = await store.openItems(lab.project.id, lab.plan.id, 10);
    expect(item).toMatchObject({
      text: expect.stringMatching(/Resource not accessible by integration/),
      options: [{ name: "check_again" }, { name: "retry" }, { name: "fail" }],
    });
    const answered = {
      type: "item.answer",
      plan: lab.plan.id,
      item: item!.id,
      option: "check_again",
      text: null,
    } as const;
    await store.submit(answered, { actor: "test" });
    const open = await lab.runUntil(isOpen);
    expect(open.publication!.sha).toBe(parked.publication!.sha);
    await isOnceThere(lab, open.publication!.sha);
    expect(await checksOf(lab, "A")).toHaveLength(1);
  });

  test("for a while is put off until the forge takes requests again, and then goes through by itself", async () => {
    const lab = await publishLab({ tasks: [TASK] });
    lab.github.fail("pulls.create", answer(429, "Too many requests", { "retry-after": "1" }));
    const open = await lab.runUntil(isOpen);
    expect((await toldOf(lab)).filter((type) => /put_off|publication|blocked/.test(type))).toEqual([
      ...["publication.intended", "landing.put_off", "publication.intended", "task.blocked"],
    ]);
    await isOnceThere(lab, open.publication!.sha);
    expect(await checksOf(lab, "A")).toHaveLength(1);
  });

  test.each([
    ["a server in trouble", "pulls.list", answer(503, "Service Unavailable"), 100, 1],
    ["a request that makes no sense to it", "pulls.create", answer(422, "Validation Failed"), 1, 0],
    ["a repository that is not there", "pulls.list", answer(404, "Not Found"), 1, 0],
    ["no answer", "pulls.create", { kind: "reset" } satisfies Failure, 100, 1],
  ] as const)(
    "by %s leaves the task unverified, with its work and what was intended",
    async (_why, route, failure, times, waits) => {
      const lab = await publishLab({ tasks: [TASK] });
      lab.github.fail(route, failure, times);
      const row = await lab.runUntil(({ state, environment }) => state === "blocked" || environment > 0);
      expect(row).toMatchObject({
        ...{ state: waits > 0 ? "claimed_done" : "blocked", environment: waits, satisfied: false },
        publication: { stage: "intended", passed: ["verify test -s A.txt"] },
      });
    },
  );

  test("for a moment when it is looked at is told to nobody, and looked at again", async () => {
    const lab = await publishLab({ tasks: [TASK] });
    await lab.runUntil(isOpen);
    lab.github.fail("pulls.get", answer(503, "Service Unavailable"), 5);
    lab.repository.merge(1);
    expect(await runLab(lab)).toMatchObject({ outcome: "done" });
    expect((await toldOf(lab)).filter((type) => type === "engine.failed")).toEqual([]);
  });
});

/** An agent of its own process: the engine that is killed has one too. */
const AGENT = "echo line >> A.txt";
/** What a check is given shows what any child is. */
const LISTED = { ...TASK, verify: 'env > "$ASIDE/check.env"; test -s A.txt' };

describe("kill -9 of an engine that publishes", () => {
  test.each([
    ["what it is about to do is recorded", at("publish.intend", "after")],
    ["the pull request is made and not recorded", at("publish.record", "before")],
    ["the pull request is recorded", at("publish.record", "after")],
  ] as const)("when %s: the next one doubles nothing", async (_step, point) => {
    const lab = await publishLab({ tasks: [LISTED], agent: AGENT });
    expect(await startProcess(lab, { act: { run: true }, point }).ended).toMatchObject({ signal: "SIGKILL", err: "" });
    await isFinished(lab);
  });

  test.each([
    ["before the pull request is made", "hang"],
    ["after the pull request is made", "mute"],
  ] as const)("when the branch is pushed, %s: the next one doubles nothing", async (_step, kind) => {
    const lab = await publishLab({ tasks: [LISTED], agent: AGENT });
    lab.github.fail("pulls.create", { kind });
    const { child, ended } = startProcess(lab, { act: { run: true }, point: null });
    await lab.github.reached("pulls.create");
    child.kill("SIGKILL");
    await ended;
    await isFinished(lab);
  });
});

async function isFinished(lab: PublishLab): Promise<void> {
  const opened = await openLab(lab);
  Object.assign(opened.context, atOnce({ ...lab, ...opened }, lab.github.api_url));
  const next: PublishLab = { ...lab, ...opened };
  const ended = runLab(next);
  await open(next);
  const { sha } = (await taskRow(next, "A")).publication!;
  await isOnceThere(next, sha);
  next.repository.merge(1);
  expect(await ended).toMatchObject({ outcome: "done" });
  expect(await taskRow(next, "A")).toMatchObject({ state: "verified", attempts: 1 });
  expect(await checksOf(next, "A")).toHaveLength(1);
  expect(readText(lab.aside, "check.env")).not.toContain(TOKEN);
}

function open(lab: PublishLab): Promise<void> {
  return new Promise((resolve) => {
    const look = (): void => void taskRow(lab, "A").then((row) => isOpen(row) && done());
    const unwatch = lab.context.store.watch(look);
    const done = (): void => {
      unwatch();
      resolve();
    };
    look();
  });
}
