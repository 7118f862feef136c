/** The pages of the examples are carried out as they stand, by a reader with a clone. */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { begin, type Carried, carryOut, makeReader, type Reader, shellBlocksOf } from "./reader.ts";

/** The commands that did not end with 0. */
const failed = (carried: readonly Carried[]): Carried[] => carried.filter(({ status }) => status !== 0);

async function eventsIn(reader: Reader, cwd: string): Promise<Record<string, unknown>[]> {
  const [events] = await carryOut(reader, "lockstep events --json", cwd);
  return events!.said
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
}

test("worktrees: three agents are at work at once, the guard and the hooks are run, and all of it lands", async () => {
  const reader = makeReader();
  const [block] = shellBlocksOf("examples/worktrees/README.md");
  const carried = await carryOut(reader, block!, join(reader.aside, "lockstep"));
  expect(failed(carried)).toEqual([]);
  const [told, prove] = carried.slice(-2);
  expect(told!.said.trim().split("\n").sort()).toEqual([
    "P-1 verified",
    "P-2 verified",
    "P-3 verified",
    "P-4 verified",
    "pages done",
  ]);
  expect(prove!.said).toMatch(/^✓ proved {2}P-1 {2}landed [0-9a-f]{10}, 2 checks$/m);
  expect(prove!.said).toContain("pages: 4 of 4 verified tasks proved\n");

  const pages = join(reader.aside, "pages");
  const types = (await eventsIn(reader, pages)).map(({ type }) => type);
  const begunFirst = types.slice(0, types.indexOf("attempt.settled")).filter((type) => type === "attempt.created");
  expect(begunFirst).toHaveLength(3);
  const [list, status] = await carryOut(reader, "git show lockstep/pages:pages/all.txt\ngit status --short", pages);
  expect([list!.said, status!.said]).toEqual(["hours.txt\nprices.txt\nway.txt\n", ""]);
});

test("questions: the agent waits for the answer, and goes on with it", async () => {
  const reader = makeReader();
  const [run, answer] = shellBlocksOf("examples/questions/README.md");
  const running = begin(reader, run!, join(reader.aside, "lockstep"));
  await running.says("needs you");
  const letter = join(reader.aside, "letter");
  const answered = await carryOut(reader, answer!, letter);
  expect(failed(answered)).toEqual([]);
  expect(answered[0]!.said).toMatch(/^i1 {2}question about L-1, .*: How formal is the letter\?\n/);
  expect(answered[0]!.said).toMatch(
    /^ {2}lockstep answer i1 Dear \| Hello\n {2}its agent waits for that, until .*\n {2}without an answer: Hello, /m,
  );
  expect(failed(await running.ended)).toEqual([]);
  expect(readFileSync(join(letter, "letter.txt"), "utf8")).toBe("Dear reader,\nAnna\n");
});

test("check-only: a red check holds what depends on it, until it is mended and retried", async () => {
  const reader = makeReader();
  const [first, second] = shellBlocksOf("examples/check-only/README.md");
  const [, run, why] = await carryOut(reader, first!, join(reader.aside, "lockstep"));
  expect(run!.status).toBe(5);
  expect(run!.said).toContain("\n50.0 % of 4 tasks: 1 pending, 2 verified, 1 failed\n");
  expect(why!.said).toBe("R-1  · pending\n  dependency_failed: depends on C-2 that ended without being verified\n");

  const mended = await carryOut(reader, second!, join(reader.aside, "release"));
  expect(failed(mended)).toEqual([]);
  expect(mended.at(-1)!.said).toContain("✓ proved  R-1  nothing is landed here, 1 check\n");
});

test("omega: the page of the example is right", async () => {
  const reader = makeReader();
  const [block] = shellBlocksOf("examples/omega/README.md");
  expect(failed(await carryOut(reader, block!, join(reader.aside, "lockstep")))).toEqual([]);
  expect(readFileSync(join(reader.aside, "greeter/greeting.txt"), "utf8")).toBe("hello world\n");
});
