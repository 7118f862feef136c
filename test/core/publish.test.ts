/** Work that is offered outside, and what is heard of it. */

import { describe, expect, test } from "vitest";
import * as c from "../fixtures/commands.ts";
import { decided } from "../fixtures/decided.ts";
import { claimedDone, intended, NOW, PUBLICATION, published } from "../fixtures/loaded.ts";

describe("a publication", () => {
  test("is intended once every check is green, with each commit that may stand outside", () => {
    const green = claimedDone({
      ...{ landing: { passed: ["verify npm test"] } },
      task: {
        publication: { ...PUBLICATION, attempt: 0, sha: "older", ours: ["older"], number: 5, url: "u", cursor: "seen" },
      },
    });
    const { facts, task } = decided(green, c.intend());
    expect(facts).toEqual(["publication.intended"]);
    expect(task).toEqual({
      publication: { ...PUBLICATION, ours: ["older", "candidate"], number: 5, url: "u", cursor: "seen" },
    });
  });

  test("is refused while a check is missing, a review is due, or another holds the landing", () => {
    expect(decided(claimedDone(), c.intend()).rejection).toBe(
      "checks_missing: F-1 cannot be published: not green: verify npm test",
    );
    const unseen = claimedDone({ landing: { passed: ["verify npm test"] }, definition: { lane: "reviewed" } });
    expect(decided(unseen, c.intend()).rejection).toBe("review_due: F-1 cannot be published: a review is due");
    const late = decided(claimedDone({ landing: { token: 9 } }), c.intend());
    expect(late.rejection).toMatch(/^stale_token: /);
  });

  test("that stands outside blocks its task, with an item of its own and no deadline", () => {
    const { facts, task, after } = decided(intended(), c.published());
    expect(facts).toEqual(["landing.ended", "item.opened", "task.blocked"]);
    expect(task).toMatchObject({ state: "blocked", reason: "pull_request" });
    expect(task["publication"]).toEqual({ ...PUBLICATION, stage: "open", number: 5, url: "https://forge/5" });
    expect(after.items).toMatchObject([
      {
        kind: "pull_request",
        deadline_at: null,
        text: "pull request #5 waits to be merged into main: https://forge/5",
      },
    ]);
  });

  test("of which nothing is heard keeps only what was told", () => {
    const { facts, task } = decided(published(), c.hear({ kind: "nothing" }));
    expect(facts).toEqual(["publication.heard"]);
    expect(Object.keys(task)).toEqual(["publication"]);
    expect(task).toMatchObject({ publication: { stage: "open", cursor: "seen" } });
  });

  test("that was merged closes its item, and is the engine's to prove: nothing is verified by that", () => {
    const { facts, task, after } = decided(published(), c.hear({ kind: "merged", sha: "m", into: "main" }));
    expect(facts).toEqual(["item.answered", "task.claimed_done"]);
    expect(task).toMatchObject({ state: "claimed_done", publication: { stage: "merged", merge_sha: "m" } });
    expect(after.task).toMatchObject({ satisfied: false, landed_sha: null });
  });

  test("that was merged as it was checked needs no check again; on another tree every check", () => {
    const merged = decided(published(), c.hear({ kind: "merged", sha: "m", into: "main" })).after;
    const same = decided(merged, c.begin({ candidate: "m" })).after;
    expect(same.landing!.passed).toEqual(["verify npm test"]);
    const other = decided(merged, c.begin({ candidate: "m", tree: "other" })).after;
    expect(other.landing!.passed).toEqual([]);
    const token = other.landing!.token;
    expect(decided(other, c.land({ token, sha: "m", checks: [] })).rejection).toMatch(/^checks_missing: /);
  });

  test.each([
    ["ci_failed", { tries: 1 }, { tries: 2 }],
    ["changes_requested", { round: 2, tries: 2 }, { round: 3, tries: 0 }],
  ] as const)("by %s goes back to its last work phase, with what was said", (kind, before, counted) => {
    const { task, after } = decided(published({ task: before }), c.hear({ kind, text: "said outside" }));
    expect(task).toMatchObject({
      state: "pending",
      reason: kind,
      unlanded: true,
      last_error: "said outside",
      ...counted,
    });
    expect(after.items[0]).toMatchObject({ state: "answered", answer: kind });
  });

  test.each([
    ["ci_failed", { tries: 2 }, "its checks failed, and no try is left"],
    ["changes_requested", { round: 3 }, "changes are asked for, and no round is left"],
  ] as const)("by %s for the last time asks a person, who has a day", (kind, task, why) => {
    const { facts, after } = decided(published({ task }), c.hear({ kind, text: "said outside" }));
    expect(facts).toEqual(["item.answered", "publication.heard", "item.opened"]);
    expect(after.task).toMatchObject({
      state: "blocked",
      last_error: "said outside",
      publication: { stage: "closed" },
    });
    expect(after.items[1]).toMatchObject({
      ...{ text: `pull request #5: ${why}: https://forge/5`, default_option: "fail", deadline_at: NOW + 86_400_000 },
    });
  });

  test("is no longer listened to once the task has gone on", () => {
    expect(decided(published({ task: { attempts: 2 } }), c.hear({ kind: "closed" })).rejection).toBe(
      "landing_void: F-1 does not wait for a pull request of attempt 1",
    );
    expect(decided(intended(), c.hear({ kind: "closed" })).rejection).toMatch(/^landing_void: /);
  });

  test("that is refused for a while is put off to the time that is known, else as what the machine refuses", () => {
    const refused = { ...c.landingFail("publish_refused"), later: { until: NOW + 5 } };
    expect(decided(intended(), refused).task).toMatchObject({ due_at: NOW + 5, environment: 1 });
    expect(decided(intended(), { ...refused, later: { until: null } }).task).toMatchObject({ due_at: NOW + 60_000 });
    const often = decided(intended({ task: { environment: 3 } }), refused);
    expect(often.task).toMatchObject({ state: "blocked", reason: "publish_refused", environment: 0 });
  });
});
