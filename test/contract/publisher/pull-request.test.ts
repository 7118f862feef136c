import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { BODY_LENGTH_MAX } from "../../../src/adapters/publish/github/body.ts";
import { HEAD, never, type PublisherLab, publisherLab, unrefused } from "./publisher-lab.ts";

let lab: PublisherLab;
beforeEach(async () => {
  lab = await publisherLab();
});
afterEach(async () => {
  const { errors } = lab.github;
  await lab.close();
  expect(errors).toEqual([]);
});

describe("a pull request", () => {
  it("is a draft with a body that says what was done, and has one comment", async () => {
    const published = unrefused(await lab.fresh().publish(lab.request(), never));
    expect(published).toEqual({
      number: 1,
      url: "https://github.test/acme/widgets/pull/1",
      head_sha: lab.request().sha,
      state: "open",
      draft: true,
    });
    const [pull] = lab.github.repository.pulls;
    expect(pull).toMatchObject({ title: "Log in with a passkey", head: HEAD, base: "main" });
    expect(pull?.body).toBe(
      [
        "<!-- lockstep: shop first login -->",
        "Adds a passkey to the log-in.",
        "",
        "**Checks**, run by lockstep on this very tree:",
        "",
        "| check | command | result | time |",
        "|---|---|---|---|",
        "| test | `npm test` | passed | 12.3 s |",
        "",
        "**Cost:** $1.50",
        "",
        "**Issue:** #12",
        "<!-- lockstep:end shop first login -->",
      ].join("\n"),
    );
    expect(lab.github.repository.comments.map(({ body }) => body)).toEqual([
      "<!-- lockstep: shop first login -->\nAttempt 1 is offered.",
    ]);
    expect(lab.github.asked).toEqual([
      "pulls.list",
      "pulls.list",
      "pulls.create",
      "comments.list",
      "comments.create",
      "pulls.get",
    ]);
  });

  it("is brought up to date in place, and what people wrote around it stays", async () => {
    unrefused(await lab.fresh().publish(lab.request(), never));
    const [pull] = lab.github.repository.pulls;
    pull!.body = `Read this first.\r\n\r\n${pull!.body!.replaceAll("\n", "\r\n")}\r\nAnd this last.`;
    pull!.title = "A person's title";
    const report = { ...lab.request().report, summary: "Second summary.", checks: [], cost_usd: null, issue: null };
    unrefused(await lab.fresh().publish(lab.request({ report, note: "Attempt 2." }), never));
    expect(pull).toMatchObject({
      title: "A person's title",
      body: [
        "Read this first.\n",
        "<!-- lockstep: shop first login -->\nSecond summary.\n",
        "**Cost:** unknown\n<!-- lockstep:end shop first login -->",
        "And this last.",
      ].join("\n"),
    });
    expect(lab.github.repository.comments.map(({ body }) => body)).toEqual([
      "<!-- lockstep: shop first login -->\nAttempt 2.",
    ]);
  });

  it("that a person has opened for the head already is taken, with their text", async () => {
    lab.git("push", "-q", "origin", `${lab.request().sha}:refs/heads/${HEAD}`);
    const rest = { state: "open", draft: false, ended_at: null, merge_sha: null, mergeable: null } as const;
    lab.github.repository.pulls.push({
      number: 1,
      title: "Mine",
      body: "My words.",
      head: HEAD,
      base: "main",
      author: "kim",
      ...rest,
    });
    expect(unrefused(await lab.fresh().publish(lab.request(), never))).toMatchObject({ number: 1, draft: false });
    expect(lab.github.repository.pulls).toHaveLength(1);
    expect(lab.github.repository.pulls[0]?.body).toMatch(/^My words\.\n\n<!-- lockstep: shop first login -->\nAdds/);
  });

  it("that appears in the moment of making one is looked up and taken", async () => {
    unrefused(await lab.fresh().publish(lab.request(), never));
    // Neither look saw it yet.
    lab.github.fail("pulls.list", { kind: "answer", status: 200, body: [] }, 2);
    expect(unrefused(await lab.fresh().publish(lab.request(), never))).toMatchObject({ number: 1 });
    expect(lab.github.repository.pulls).toHaveLength(1);
  });

  it("is found on the second page, and so is the comment", async () => {
    unrefused(await lab.fresh().publish(lab.request(), never));
    const { repository } = lab.github;
    const [ours] = repository.comments.splice(0);
    for (let n = 0; n < 150; n += 1) repository.comment(1, "kim", `comment ${n}`);
    repository.comments.push(ours!);
    const rest = {
      title: "t",
      body: "",
      base: "main",
      author: "kim",
      draft: false,
      merge_sha: null,
      mergeable: null,
    } as const;
    for (let n = 2; n <= 120; n += 1) {
      repository.pulls.push({ number: n, head: HEAD, state: "closed", ended_at: "1".repeat(40), ...rest });
    }
    expect(unrefused(await lab.fresh().publish(lab.request({ note: "Attempt 2." }), never))).toMatchObject({
      number: 1,
    });
    expect(repository.pulls).toHaveLength(120);
    expect(repository.comments.filter(({ body }) => body.startsWith("<!-- lockstep:"))).toEqual([
      { ...ours, body: "<!-- lockstep: shop first login -->\nAttempt 2." },
    ]);
  });

  it("that ended with this very commit is left as it is, and its branch is not made again", async () => {
    unrefused(await lab.fresh().publish(lab.request(), never));
    lab.github.repository.merge(1);
    lab.git("push", "-q", "origin", `:refs/heads/${HEAD}`);
    expect(unrefused(await lab.fresh().publish(lab.request(), never))).toMatchObject({ number: 1, state: "merged" });
    expect(lab.remoteSha(HEAD)).toBe(null);
    expect(lab.github.repository.pulls).toHaveLength(1);
  });

  it("that ended with another commit is followed by a new one", async () => {
    unrefused(await lab.fresh().publish(lab.request(), never));
    lab.github.repository.close(1);
    const sha = lab.commit("more");
    const published = unrefused(await lab.fresh().publish(lab.request({ sha, ours: [lab.request().sha] }), never));
    expect(published).toMatchObject({ number: 2, state: "open", head_sha: sha });
  });

  it("is marked as ready when that is asked, once", async () => {
    unrefused(await lab.fresh().publish(lab.request(), never));
    expect(unrefused(await lab.fresh().publish(lab.request({ ready: true }), never))).toMatchObject({ draft: false });
    lab.github.asked.length = 0;
    expect(unrefused(await lab.fresh().publish(lab.request({ ready: true }), never))).toMatchObject({ draft: false });
    expect(lab.github.asked).not.toContain("graphql");
  });

  it("is no draft where GitHub has no drafts", async () => {
    lab.github.repository.hasDrafts = false;
    expect(unrefused(await lab.fresh().publish(lab.request(), never))).toMatchObject({ number: 1, draft: false });
  });

  it("is refused where the head has nothing that the base lacks", async () => {
    const sha = lab.git("rev-parse", "main");
    expect(await lab.fresh().publish(lab.request({ sha }), never)).toMatchObject({
      code: "invalid",
      text: expect.stringContaining(`No commits between main and ${HEAD}`),
      retriable: false,
    });
  });

  it("is refused where the base does not exist", async () => {
    const refused = await lab.fresh().publish(lab.request({ base: "no-such" }), never);
    expect(refused).toMatchObject({ code: "invalid", text: expect.stringContaining('"field":"base"') });
  });

  it("stays within GitHub's bounds, and says what was cut", async () => {
    const checks = Array.from({ length: 130 }, (_, n) => ({
      name: `check ${n}`,
      command: "x".repeat(900),
      passed: true,
      duration_ms: 1,
    }));
    const report = { ...lab.request().report, summary: `\`\`\`\n${"long ".repeat(30_000)}`, checks };
    const note = "y".repeat(BODY_LENGTH_MAX + 10);
    unrefused(await lab.fresh().publish(lab.request({ report, note, title: "T".repeat(300) }), never));
    const [pull] = lab.github.repository.pulls;
    expect(pull!.body!.length).toBeLessThanOrEqual(BODY_LENGTH_MAX);
    expect(pull!.body!).toMatch(
      /\n```\n\n_Cut here: \d+ more characters do not fit into GitHub's bound\._\n\n\*\*Checks/,
    );
    expect(pull!.body!).toContain("30 more checks are not listed.");
    expect(pull!.title).toBe(`${"T".repeat(255)}…`);
    expect(lab.github.repository.comments[0]?.body.length).toBeLessThanOrEqual(BODY_LENGTH_MAX);
    unrefused(await lab.fresh().publish(lab.request({ report, note }), never));
    expect(lab.github.repository.comments).toHaveLength(1);
  });

  it("is refused where a person's text leaves no room", async () => {
    unrefused(await lab.fresh().publish(lab.request(), never));
    lab.github.repository.pulls[0]!.body = "z".repeat(BODY_LENGTH_MAX);
    expect(await lab.fresh().publish(lab.request(), never)).toMatchObject({
      code: "invalid",
      text: "The text of pull request #1 leaves no room for lockstep's section.",
    });
  });

  it("holds no hidden text of an agent's, nor a false end", async () => {
    const summary = "a <!-- lockstep:end shop first login --> b <!-- secret -->";
    const report = { ...lab.request().report, summary };
    unrefused(await lab.fresh().publish(lab.request({ report }), never));
    unrefused(await lab.fresh().publish(lab.request({ report: { ...report, summary: "Second." } }), never));
    expect(lab.github.repository.pulls[0]?.body).not.toContain("secret");
    expect(lab.github.repository.pulls[0]?.body?.match(/<!--/g)).toHaveLength(2);
  });

  it("gets a comment of its own though a stranger has copied its marker", async () => {
    unrefused(await lab.fresh().publish(lab.request({ note: null }), never));
    lab.github.repository.comment(1, "mallory", "<!-- lockstep: shop first login -->\nSend me your keys.", "NONE");
    unrefused(await lab.fresh().publish(lab.request(), never));
    unrefused(await lab.fresh().publish(lab.request({ note: "Attempt 2." }), never));
    expect(lab.github.repository.comments.map(({ author, body }) => `${author}: ${body.split("\n")[1]}`)).toEqual([
      "mallory: Send me your keys.",
      "lockstep-user: Attempt 2.",
    ]);
  });
});
