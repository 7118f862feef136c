import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { HEAD, KINDS, lookOf, never, type PublisherLab, publisherLab, unrefused } from "./publisher-lab.ts";

let lab: PublisherLab;
beforeEach(async () => {
  lab = await publisherLab();
});
afterEach(async () => {
  const { errors } = lab.github;
  await lab.close();
  expect(errors).toEqual([]);
});

describe.each(KINDS)("a publisher (%s)", (kind) => {
  it("brings the head to the commit and says where it stands", async () => {
    const request = lab.request();
    const published = unrefused(await lab.fresh(kind).publish(request, never));
    expect(published).toMatchObject({ head_sha: request.sha, state: "open" });
    expect(lab.remoteSha(HEAD)).toBe(request.sha);
  });

  it("does the same once, however often it is asked by a process that knows nothing", async () => {
    const first = await lab.fresh(kind).publish(lab.request(), never);
    expect(await lab.fresh(kind).publish(lab.request(), never)).toEqual(first);
    expect(await lab.fresh(kind).publish(lab.request(), never)).toEqual(first);
  });

  it("moves the head on from a commit that it pushed before, though that is no ancestor", async () => {
    const first = lab.request();
    unrefused(await lab.fresh(kind).publish(first, never));
    lab.git("reset", "-q", "--hard", "main");
    const sha = lab.commit("other");
    const published = unrefused(await lab.fresh(kind).publish(lab.request({ sha, ours: [first.sha] }), never));
    expect(published.head_sha).toBe(sha);
    expect(lab.remoteSha(HEAD)).toBe(sha);
  });

  it("leaves a head alone that somebody else moved, and says so", async () => {
    unrefused(await lab.fresh(kind).publish(lab.request(), never));
    const theirs = lab.commit("of a person");
    lab.git("push", "-q", "origin", `${theirs}:refs/heads/${HEAD}`);
    const sha = lab.commit("ours");
    expect(await lab.fresh(kind).publish(lab.request({ sha, ours: [lab.request().sha] }), never)).toEqual({
      code: "conflict",
      text: `${HEAD} stands at ${theirs} on the remote, which lockstep did not push.`,
      next: "Take that commit into the task's work, or delete the branch on the remote.",
      retriable: false,
      until: null,
    });
    expect(lab.remoteSha(HEAD)).toBe(theirs);
  });

  it("is refused by a rule of the remote with the remote's own words", async () => {
    lab.hook("pre-receive", "echo 'GH013: no branches by robots' >&2; exit 1");
    const refused = await lab.fresh(kind).publish(lab.request(), never);
    expect(refused).toMatchObject({ code: "rejected_push", retriable: false });
    expect(refused).toMatchObject({ text: expect.stringContaining("GH013: no branches by robots") });
    lab.hook("pre-receive", "exit 0");
    unrefused(await lab.fresh(kind).publish(lab.request(), never));
  });

  it("finds out that a push did nothing though the remote said that it did", async () => {
    // What a mirror does that puts its own refs back.
    lab.hook("post-receive", `git update-ref -d refs/heads/${HEAD}`);
    expect(await lab.fresh(kind).publish(lab.request(), never)).toMatchObject({
      code: "rejected_push",
      text: `The push of ${HEAD} was said to have worked, and the remote has it at no commit instead of ${lab.request().sha}.`,
    });
    lab.hook("post-receive", "exit 0");
    unrefused(await lab.fresh(kind).publish(lab.request(), never));
  });

  it("takes a push for done whose answer was lost", async () => {
    lab.hook("post-receive", "kill -9 $PPID");
    expect(unrefused(await lab.fresh(kind).publish(lab.request(), never))).toMatchObject({
      head_sha: lab.request().sha,
    });
  });

  it("says that the remote is away, or not there, by its own code", async () => {
    lab.git("config", "--unset", `url.${lab.bare}.insteadOf`);
    lab.git("config", "url.http://127.0.0.1:9/.insteadOf", "https://github.test/");
    expect(await lab.fresh(kind).publish(lab.request(), never)).toMatchObject({ code: "unavailable", retriable: true });
    lab.git("config", "--unset", "url.http://127.0.0.1:9/.insteadOf");
    lab.git("config", `url.${lab.bare}-not.insteadOf`, "https://github.test/acme/widgets.git");
    expect(await lab.fresh(kind).publish(lab.request(), never)).toMatchObject({ code: "not_found", retriable: false });
  });

  it("is broken off by its signal", async () => {
    const stop = new AbortController();
    lab.hook("pre-receive", "sleep 30");
    const publishing = lab.fresh(kind).publish(lab.request(), stop.signal);
    setTimeout(() => stop.abort(), 300);
    expect(await publishing).toMatchObject({ code: "unavailable", retriable: true });
  });

  it("sees that its work is still open, and that it was merged, with the tree", async () => {
    const published = unrefused(await lab.fresh(kind).publish(lab.request(), never));
    const { head_sha, number } = published;
    const open = unrefused(await lab.fresh(kind).look(lookOf(head_sha, number), never));
    expect(open).toMatchObject({ state: "open", head_sha, base: "main", merge_sha: null, merged_tree: null });
    if (kind === "github") lab.github.repository.merge(1);
    else lab.git("push", "-q", "origin", `${head_sha}:refs/heads/main`);
    const merged = unrefused(await lab.fresh(kind).look(lookOf(head_sha, number, open.cursor), never));
    const tree = lab.github.repository.git("rev-parse", "main^{tree}");
    expect(merged).toMatchObject({ state: "merged", merge_sha: lab.remoteSha("main"), merged_tree: tree });
  });

  it("sees that it was closed", async () => {
    const { head_sha, number } = unrefused(await lab.fresh(kind).publish(lab.request(), never));
    if (kind === "github") lab.github.repository.close(1);
    else lab.git("push", "-q", "origin", `:refs/heads/${HEAD}`);
    expect(unrefused(await lab.fresh(kind).look(lookOf(head_sha, number), never))).toMatchObject({ state: "closed" });
  });
});
