import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { HEAD, lookOf, never, type PublisherLab, publisherLab, unrefused } from "./publisher-lab.ts";

/** One for all: each test begins with what was published just now. */
let lab: PublisherLab;
let sha: string;
let putBack: () => void;
beforeAll(async () => {
  lab = await publisherLab();
  sha = lab.request().sha;
  unrefused(await lab.fresh().publish(lab.request(), never));
  putBack = lab.mark();
});
beforeEach(() => putBack());
afterEach(() => {
  expect(lab.github.errors.splice(0)).toEqual([]);
});
afterAll(() => lab.close());

describe("a look at the refs of another forge", () => {
  it("takes a squash for merged where it is told how to find out", async () => {
    lab.github.repository.merge(1, "squash");
    const wish = lookOf(sha, null);
    expect(unrefused(await lab.fresh("git").look(wish, never)).state).toBe("open");
    const seen: string[][] = [];
    const holds = async (target: string, commit: string): Promise<boolean> => seen.push([target, commit]) > 0;
    expect(unrefused(await lab.fresh("git", {}, { holds }).look(wish, never)).state).toBe("merged");
    expect(seen).toEqual([[lab.remoteSha("main"), sha]]);
    expect(lab.remoteSha(HEAD)).toBe(sha);
  });

  it("fetches a tip once", async () => {
    const first = unrefused(await lab.fresh("git").look(lookOf(sha, null), never));
    const holds = async (): Promise<boolean> => true;
    const again = unrefused(await lab.fresh("git", {}, { holds }).look(lookOf(sha, null, first.cursor), never));
    expect(again.state).toBe("open");
    expect(lab.git("for-each-ref", "--format=%(refname)").split("\n")).not.toContain("FETCH_HEAD");
  });
});
