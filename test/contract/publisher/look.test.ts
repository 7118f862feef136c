import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { Looked, Published } from "../../../src/ports/publisher.ts";
import { lookOf, NOW, never, type PublisherLab, publisherLab, unrefused } from "./publisher-lab.ts";

/** One for all: each test begins with what was published just now. */
let lab: PublisherLab;
let sha: string;
let published: Published;
let putBack: () => void;
beforeAll(async () => {
  lab = await publisherLab();
  sha = lab.request().sha;
  published = unrefused(await lab.fresh().publish(lab.request(), never));
  putBack = lab.mark();
});
beforeEach(() => putBack());
afterEach(() => {
  expect(lab.github.errors.splice(0)).toEqual([]);
});
afterAll(() => lab.close());

/** As a process does that has just started, with the cursor that the last one stored. */
async function look(cursor: string | null = null): Promise<Looked> {
  return unrefused(await lab.fresh().look(lookOf(sha, published.number, cursor), never));
}

const NOTHING_NEW = { ci: null, reviews: [], comments: [] };

describe("what is told of CI", () => {
  it("is nothing while nothing was reported, and pending while something runs", async () => {
    const first = await look();
    expect(first).toMatchObject({
      ci: { sha, conclusion: "none", total: 0, failing: [] },
      news: NOTHING_NEW,
      unread: [],
    });
    lab.github.repository.checkRun({ sha, name: "build", status: "in_progress", conclusion: null });
    lab.github.repository.checkRun({ sha, name: "lint", conclusion: "failure" });
    const second = await look(first.cursor);
    expect(second).toMatchObject({ ci: { conclusion: "pending", total: 2 }, news: NOTHING_NEW });
  });

  it("is that it passed, once for a commit", async () => {
    for (const conclusion of ["success", "neutral", "skipped"])
      lab.github.repository.checkRun({ sha, name: conclusion, conclusion });
    lab.github.repository.statuses.push({ sha, context: "legacy", state: "success", description: "" });
    const first = await look();
    expect(first.news.ci).toEqual({ sha, conclusion: "passed", total: 4, failing: [] });
    const second = await look(first.cursor);
    expect(second).toMatchObject({ ci: { conclusion: "passed", total: 4 }, news: NOTHING_NEW });
  });

  it("is what failed, with addresses and what is to be had of the output, once for a commit", async () => {
    const { repository } = lab.github;
    const log = `2026-03-01T12:00:00.0000000Z ${"early ".repeat(20_000)}\n2026-03-01T12:00:01.0000000Z AssertionError: 1 != 2\n`;
    const annotations = [{ path: "src/a.ts", start_line: 7, message: "1 is not 2" }];
    const job = repository.checkRun({
      sha,
      name: "test",
      conclusion: "failure",
      summary: "1 failed",
      annotations,
      log,
    });
    const other = repository.checkRun({ sha, name: "scan", conclusion: "timed_out", summary: "took too long" });
    repository.statuses.push({ sha, context: "legacy", state: "error", description: "went wrong" });
    repository.checkRun({ sha, name: "lint" });
    const first = await look();
    const [test, scan, legacy] = first.news.ci!.failing;
    expect(first.news.ci).toMatchObject({ sha, conclusion: "failed", total: 4 });
    expect(test).toMatchObject({
      name: "test",
      conclusion: "failure",
      url: `https://github.test/acme/widgets/runs/${job.id}`,
    });
    expect(test!.excerpt).toMatch(/^1 failed\nsrc\/a\.ts:7: 1 is not 2\n[early ]+\nAssertionError: 1 != 2$/);
    expect(test!.excerpt!.length).toBeLessThanOrEqual(8_000);
    expect(scan).toMatchObject({ name: "scan", conclusion: "timed_out", excerpt: "took too long" });
    expect(scan!.url).toContain(String(other.id));
    expect(legacy).toEqual({
      name: "legacy",
      conclusion: "error",
      url: "https://ci.test/legacy",
      excerpt: "went wrong",
    });
    expect((await look(first.cursor)).news).toEqual(NOTHING_NEW);
  });

  it("is told anew for another commit, and when a rerun ends otherwise", async () => {
    const { repository } = lab.github;
    const run = repository.checkRun({ sha, name: "test", conclusion: "failure" });
    const first = await look();
    expect(first.news.ci).toMatchObject({ conclusion: "failed" });
    run.conclusion = "success";
    const second = await look(first.cursor);
    expect(second.news.ci).toMatchObject({ sha, conclusion: "passed" });
    const next = lab.commit("more");
    unrefused(await lab.fresh().publish(lab.request({ sha: next, ours: [sha] }), never));
    repository.checkRun({ sha: next, name: "test", conclusion: "failure" });
    expect((await look(second.cursor)).news.ci).toMatchObject({ sha: next, conclusion: "failed" });
  });

  it("is found on the second page too, and when the first has not changed", async () => {
    const { repository } = lab.github;
    for (let n = 0; n < 100; n += 1) repository.checkRun({ sha, name: `check ${n}` });
    const first = await look();
    expect(first.ci).toMatchObject({ conclusion: "passed", total: 100 });
    repository.checkRun({ sha, name: "the last", conclusion: "failure" });
    const second = await look(first.cursor);
    expect(second.ci).toMatchObject({ conclusion: "failed", total: 101, failing: [{ name: "the last" }] });
  });

  it("is not that it passed where the token may see only one kind, and says what was not seen", async () => {
    lab.github.repository.statuses.push({ sha, context: "legacy", state: "success", description: "" });
    lab.github.fail("check_runs.list", { kind: "answer", status: 403, message: "Resource not accessible by token" }, 2);
    const first = await look();
    expect(first).toMatchObject({
      ci: { conclusion: "unknown" },
      news: NOTHING_NEW,
      unread: ["GitHub did not list the check runs (403): Resource not accessible by token"],
    });
    lab.github.repository.statuses.push({ sha, context: "other", state: "failure", description: "" });
    expect((await look(first.cursor)).news.ci).toMatchObject({ conclusion: "failed" });
  });

  it("comes without a log where there is none to be had, and says so", async () => {
    lab.github.repository.checkRun({ sha, name: "test", conclusion: "failure", summary: "1 failed", log: "the log" });
    lab.github.fail("jobs.log", { kind: "answer", status: 410, message: "Gone" });
    const looked = await look();
    expect(looked.news.ci?.failing[0]?.excerpt).toBe("1 failed");
    expect(looked.unread).toEqual(["GitHub did not give the log of a job (410): Gone"]);
  });

  it("is told later where a limit came between, and not lost", async () => {
    lab.github.repository.checkRun({ sha, name: "test", conclusion: "failure", log: "the log" });
    lab.github.fail("jobs.log", { kind: "answer", status: 429, headers: { "retry-after": "5" } });
    const refused = await lab.fresh().look(lookOf(sha, 1), never);
    expect(refused).toMatchObject({ code: "rate_limited", until: NOW + 6_000 });
    expect((await look()).news.ci?.failing[0]?.excerpt).toBe("the log");
  });
});

describe("what people write", () => {
  it("is told once each, with its place and who wrote it", async () => {
    const { repository } = lab.github;
    const asked = repository.review(1, "kim", "CHANGES_REQUESTED", "Rename it.");
    const line = repository.comment(1, "kim", "This one.");
    line.line = { path: "src/a.ts", line: 7, review: asked.id };
    const robot = repository.comment(1, "coverage[bot]", "80 %", "NONE");
    const first = await look();
    expect(first.review).toBe("changes_requested");
    expect(first.news.reviews).toEqual([
      {
        id: asked.id,
        author: { name: "kim", is_member: true, is_bot: false },
        verdict: "changes_requested",
        sha,
        text: "Rename it.",
        url: `https://github.test/acme/widgets/pull/1#r${asked.id}`,
      },
    ]);
    expect(first.news.comments).toMatchObject([
      { id: line.id, text: "This one.", place: { path: "src/a.ts", line: 7, review: asked.id } },
      { id: robot.id, text: "80 %", place: null, author: { name: "coverage[bot]", is_member: false, is_bot: true } },
    ]);
    const second = await look(first.cursor);
    expect(second).toMatchObject({ review: "changes_requested", news: NOTHING_NEW });
    const later = repository.comment(1, "lee", "Me too.");
    const third = await look(second.cursor);
    expect(third.news).toMatchObject({ reviews: [], comments: [{ id: later.id, text: "Me too." }] });
  });

  it("is told again when the cursor was not kept", async () => {
    lab.github.repository.comment(1, "kim", "One.");
    const first = await look();
    expect((await look()).news).toEqual(first.news);
    expect((await look("a later version's")).news).toEqual(first.news);
  });

  it("is told though it has an older number, as a review that was long in writing", async () => {
    const { repository } = lab.github;
    const draft = repository.review(1, "kim", "PENDING", "Not yet.");
    const words = repository.review(1, "lee", "COMMENTED", "A word.");
    const first = await look();
    expect(first.news.reviews.map(({ id }) => id)).toEqual([words.id]);
    draft.state = "APPROVED";
    const second = await look(first.cursor);
    expect(second).toMatchObject({ review: "approved", news: { reviews: [{ id: draft.id, verdict: "approved" }] } });
  });

  it("comes to the last word of each reviewer", async () => {
    const { repository } = lab.github;
    repository.review(1, "kim", "CHANGES_REQUESTED");
    repository.review(1, "lee", "APPROVED");
    let looked = await look();
    expect(looked.review).toBe("changes_requested");
    repository.review(1, "kim", "COMMENTED");
    looked = await look(looked.cursor);
    expect(looked.review).toBe("changes_requested");
    repository.review(1, "kim", "APPROVED");
    expect((await look(looked.cursor)).review).toBe("approved");
  });

  it("leaves out what lockstep wrote itself", async () => {
    expect(lab.github.repository.comments).toHaveLength(1);
    expect((await look()).news.comments).toEqual([]);
  });

  it("is read from the second page, though the first has not changed", async () => {
    const { repository } = lab.github;
    for (let n = 0; n < 99; n += 1) repository.comment(1, "kim", `comment ${n}`);
    const first = await look();
    expect(first.news.comments).toHaveLength(99);
    const later = repository.comment(1, "kim", "on the second page");
    const second = await look(first.cursor);
    expect(second.news.comments.map(({ id }) => id)).toEqual([later.id]);
  });

  it("is said to be unread behind the thousandth, which is the last that is read", async () => {
    for (let n = 0; n < 1_001; n += 1) lab.github.repository.comment(1, "kim", `comment ${n}`);
    const looked = await look();
    expect(looked.news.comments).toHaveLength(999);
    expect(looked.unread).toEqual([
      "GitHub lists more than 1000 when asked to list the comments on pull request #1: the rest was not read.",
    ]);
  });
});

describe("a look", () => {
  it("changes nothing, and what has not changed is answered with nothing", async () => {
    const { cursor } = await look();
    lab.github.unchanged = 0;
    lab.github.asked.length = 0;
    const second = await look(cursor);
    expect(second.cursor).toBe(cursor);
    expect(lab.github.asked).toEqual([
      "pulls.get",
      "check_runs.list",
      "statuses.list",
      "reviews.list",
      "review_comments.list",
      "comments.list",
    ]);
    expect(lab.github.unchanged).toBe(6);
  });

  it("says what was merged, and into what tree, though it was squashed", async () => {
    const first = await look();
    const merged = lab.github.repository.merge(1, "squash");
    expect(await look(first.cursor)).toMatchObject({
      state: "merged",
      head_sha: sha,
      merge_sha: merged,
      merged_tree: lab.git("rev-parse", `${sha}^{tree}`),
    });
  });

  it("says that it does not merge cleanly, and where it goes by now", async () => {
    Object.assign(lab.github.repository.pulls[0]!, { mergeable: false, base: "main" });
    expect(await look()).toMatchObject({ conflicts: true, base: "main", draft: true });
  });

  it.each(["pulls.get", "check_runs.list", "statuses.list", "reviews.list", "review_comments.list", "comments.list"])(
    "is refused where %s has no answer, and told whole the next time",
    async (route) => {
      lab.github.repository.comment(1, "kim", "One.");
      lab.github.repository.checkRun({ sha, name: "test", conclusion: "failure" });
      const { cursor } = await look();
      lab.github.repository.comment(1, "kim", "Two.");
      lab.github.fail(route, { kind: "answer", status: 502, message: "Bad Gateway" }, 3);
      expect(await lab.fresh().look(lookOf(sha, 1, cursor), never)).toMatchObject({ code: "unavailable" });
      expect((await look(cursor)).news.comments.map(({ text }) => text)).toEqual(["Two."]);
    },
  );

  it("gets over a trouble of the server's by itself", async () => {
    lab.github.fail("reviews.list", { kind: "answer", status: 503 }, 2);
    expect(await look()).toMatchObject({ state: "open" });
  });

  it("at nothing is refused", async () => {
    expect(await lab.fresh().look(lookOf(sha, null), never)).toMatchObject({ code: "invalid" });
    expect(await lab.fresh().look(lookOf(sha, 99), never)).toMatchObject({ code: "not_found" });
  });
});
