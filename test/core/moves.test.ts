import { readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { RowCommand } from "../../src/core/task/commands.ts";
import { Draft } from "../../src/core/task/draft.ts";
import type { MoveData } from "../../src/core/task/events.ts";
import { MOVE_EVENTS } from "../../src/core/task/events.ts";
import { handle } from "../../src/core/task/handle.ts";
import { loadKnown, retire } from "../../src/core/task/load.ts";
import type { Loaded } from "../../src/core/task/loaded.ts";
import { allMoves, TASK_STATES, type TaskState } from "../../src/core/task/moves.ts";
import * as c from "../fixtures/commands.ts";
import {
  ATTEMPT,
  claimedDone,
  DEFINITION,
  ITEM,
  inProgress,
  intended,
  LEASE,
  NOW,
  published,
  rows,
} from "../fixtures/loaded.ts";

const GOLDEN = readFileSync(new URL("../golden/moves.tsv", import.meta.url), "utf8")
  .trim()
  .split("\n")
  .slice(1)
  .map((line) => line.split("\t").slice(0, 3).join(" "));

const review = { lane: "reviewed" };
const atReview = {
  task: { phase: 1, work_commit: "candidate", worker: "anna" },
  definition: review,
  attempt: { agent: "bert" },
};
const blocked = (over: Parameters<typeof rows>[0] = {}): Loaded =>
  rows({ ...over, task: { state: "blocked", attempts: 1, ...over.task }, rest: { items: [ITEM], ...over.rest } });
const stopped = (then: "skipped" | "cancelled" | "verified", over: object = {}) =>
  inProgress({ attempt: { kind: "run", stop: { as: "cancelled", why: "stopped", then } }, ...over });
const LOCKED = { key: "account:a", until: null, known_from: "person" } as const;
const INCOMING = { id: "F-1", slug: "F-1", natural_key: "F-0011", depends_on: [], path: 0, definition: DEFINITION };

type Scenario = [from: Loaded, how: RowCommand | ((draft: Draft) => void)];

/** A way to reach every move of the golden table. */
const SCENARIOS: Record<string, Scenario> = {
  "pending pending handed_back": [
    rows({ task: { unlanded: true, target: "refs/heads/main" } }),
    c.stop({ as: "cancelled", discards: true }),
  ],
  "pending in_progress claimed": [rows(), c.claim()],
  "pending verified override": [rows(), c.override()],
  "pending skipped operator": [rows(), c.skip()],
  "pending skipped dependency_failed": [
    rows({ task: { unmet: 1, dead: 1 }, definition: { on_dependency_failed: "cascade" } }),
    c.cascade(),
  ],
  "pending cancelled operator": [rows(), c.cancel()],
  "pending cancelled retired": [rows(), (draft) => retire(draft, 2)],
  "in_progress pending try_left": [inProgress(), c.fail()],
  "in_progress pending lost": [inProgress({ lease: { expires_at: NOW } }), c.leaseExpire()],
  "in_progress pending rate_limited": [inProgress(), c.settle({ outcome: "rate_limited" })],
  "in_progress pending auth": [inProgress(), c.settle({ outcome: "failed", failure: "auth", limit: LOCKED })],
  "in_progress pending credit": [inProgress(), c.settle({ outcome: "failed", failure: "credit", limit: LOCKED })],
  "in_progress pending handed_back": [inProgress(), c.settle({ outcome: "interrupted" })],
  "in_progress pending phase_done": [inProgress({ definition: { lane: "full" } }), c.done()],
  "in_progress pending rejected": [
    inProgress(atReview),
    c.done({ verdict: { word: "rejected", comments: "no", commit: null } }),
  ],
  "in_progress pending rewrite": [
    inProgress(atReview),
    c.done({ verdict: { word: "rewrite", comments: "anew", commit: null } }),
  ],
  "in_progress claimed_done work_done": [inProgress(), c.done()],
  "in_progress claimed_done approved": [
    inProgress(atReview),
    c.done({ verdict: { word: "approved", comments: "", commit: "candidate" } }),
  ],
  "in_progress blocked question": [inProgress(), c.settle({ outcome: "blocked", error: "which?" })],
  "in_progress blocked product": [
    inProgress(atReview),
    c.done({ verdict: { word: "product", comments: "ask", commit: null } }),
  ],
  "in_progress blocked setback_bound": [inProgress({ task: { lost: 2 } }), c.settle({ outcome: "lost" })],
  "in_progress failed tries_gone": [inProgress({ task: { tries: 2 } }), c.fail()],
  "in_progress failed rounds_gone": [
    inProgress({ ...atReview, task: { ...atReview.task, round: 3 } }),
    c.done({ verdict: { word: "rejected", comments: "no", commit: null } }),
  ],
  "in_progress verified override": [inProgress(), c.override()],
  "in_progress skipped operator": [stopped("skipped"), c.settle({ outcome: "cancelled" })],
  "in_progress cancelled operator": [stopped("cancelled"), c.settle({ outcome: "cancelled" })],
  "in_progress cancelled retired": [inProgress(), (draft) => retire(draft, 2)],
  "claimed_done verified landed": [claimedDone(), c.land()],
  "claimed_done verified override": [claimedDone(), c.override()],
  "claimed_done pending checks_red": [claimedDone(), c.record({ result: c.RED })],
  "claimed_done pending conflict": [claimedDone(), c.landingFail("conflict")],
  "claimed_done pending red_together": [claimedDone(), c.record({ result: c.RED, blame: "together" })],
  "claimed_done pending scope_broken": [claimedDone(), c.landingFail("scope_broken")],
  "claimed_done pending workspace_broken": [claimedDone(), c.landingFail("workspace_broken")],
  "claimed_done pending no_changes": [claimedDone(), c.landingFail("no_changes")],
  "claimed_done pending review_due": [claimedDone({ definition: review }), c.record()],
  "claimed_done pending handed_back": [claimedDone(), c.stop()],
  "claimed_done blocked protected_files": [claimedDone(), c.landingFail("protected_files")],
  "claimed_done blocked weakened_checks": [claimedDone(), c.landingFail("weakened_checks")],
  "claimed_done blocked green_before": [claimedDone(), c.landingFail("green_before")],
  "claimed_done blocked base_red": [claimedDone(), c.record({ result: c.RED, blame: "base" })],
  "claimed_done blocked environment": [
    claimedDone({ task: { environment: 3 } }),
    c.record({ result: { ...c.RED, outcome: "error" }, blame: "environment" }),
  ],
  "claimed_done blocked publish_refused": [claimedDone(), c.landingFail("publish_refused")],
  "claimed_done blocked pull_request": [intended(), c.published()],
  "claimed_done blocked setback_bound": [claimedDone({ task: { conflicts: 4 } }), c.landingFail("conflict")],
  "claimed_done failed tries_gone": [claimedDone({ task: { tries: 2 } }), c.record({ result: c.RED })],
  "claimed_done skipped operator": [claimedDone(), c.skip()],
  "claimed_done cancelled operator": [claimedDone(), c.cancel()],
  "claimed_done cancelled retired": [claimedDone(), (draft) => retire(draft, 2)],
  "blocked pending answered": [blocked(), c.answer("retry")],
  "blocked pending handed_back": [blocked(), c.stop()],
  "blocked pending ci_failed": [published(), c.hear({ kind: "ci_failed", text: "red" })],
  "blocked pending changes_requested": [published(), c.hear({ kind: "changes_requested", text: "no" })],
  "blocked claimed_done merged": [published(), c.hear({ kind: "merged", sha: "merged", into: "main" })],
  "blocked claimed_done answered": [blocked(), c.answer("land")],
  "blocked failed expired": [
    blocked({ rest: { items: [{ ...ITEM, default_option: "fail", deadline_at: NOW }] } }),
    c.expire(),
  ],
  "blocked failed answered": [blocked(), c.answer("fail")],
  "blocked verified override": [blocked(), c.override()],
  "blocked skipped operator": [blocked(), c.skip()],
  "blocked skipped answered": [blocked(), c.answer("skip")],
  "blocked cancelled operator": [blocked(), c.cancel()],
  "blocked cancelled retired": [blocked(), (draft) => retire(draft, 2)],
  "failed pending retried": [rows({ task: { state: "failed" } }), c.retry()],
  "failed verified override": [rows({ task: { state: "failed" } }), c.override()],
  "failed skipped operator": [rows({ task: { state: "failed" } }), c.skip()],
  "failed cancelled operator": [rows({ task: { state: "failed" } }), c.cancel()],
  "failed cancelled retired": [rows({ task: { state: "failed" } }), (draft) => retire(draft, 2)],
  "skipped pending retried": [rows({ task: { state: "skipped" } }), c.retry()],
  "cancelled pending retried": [rows({ task: { state: "cancelled" } }), c.retry()],
  "cancelled pending restored": [
    rows({ task: { state: "cancelled", reason: "retired", retired: true } }),
    (draft) => void loadKnown(draft, INCOMING, [], 3),
  ],
};

function movesOf(from: Loaded, how: Scenario[1]): string[] {
  const facts = typeof how === "function" ? viaDraft(from, how) : handle(from, how, NOW, "test").facts;
  const types: string[] = Object.values(MOVE_EVENTS);
  return facts
    .filter((fact) => types.includes(fact.type))
    .map(({ data }) => `${(data as MoveData).from} ${(data as MoveData).to} ${(data as MoveData).cause}`);
}

/** The same rows with the task in another state; only a task in progress has a lease. */
function inState(from: Loaded, state: TaskState): Loaded {
  const task = { ...from.task!, state, satisfied: state === "verified" };
  if (state !== "in_progress") return { ...from, task, lease: null };
  return {
    ...from,
    task: { ...task, attempts: 1 },
    attempt: { ...ATTEMPT, ...from.attempt, state: "created" },
    lease: from.lease ?? LEASE,
  };
}

function viaDraft(from: Loaded, act: (draft: Draft) => void) {
  const draft = new Draft(from, NOW);
  act(draft);
  return draft.facts;
}

describe("the table of moves", () => {
  test("OMP-4 OR-1 is the golden table, which is written by hand from the spec", () => {
    expect([...allMoves()].map((m) => `${m.from} ${m.to} ${m.cause}`).sort()).toEqual([...GOLDEN].sort());
  });

  test("has a scenario for each move and none beside", () => {
    expect(Object.keys(SCENARIOS).sort()).toEqual([...GOLDEN].sort());
  });

  test.each(GOLDEN)("reaches %s", (move) => {
    expect(movesOf(...SCENARIOS[move]!)).toContain(move);
  });

  test("verified has no way out, whatever is asked", () => {
    for (const [from, how] of Object.values(SCENARIOS)) {
      if (typeof how !== "function") expect(movesOf(inState(from, "verified"), how)).toEqual([]);
    }
  });

  test("OMP-4 every move that any command makes in any state is in the golden table", () => {
    const commands = Object.values(SCENARIOS).flatMap(([, how]) => (typeof how === "function" ? [] : [how]));
    const froms = Object.values(SCENARIOS).map(([from]) => from);
    fc.assert(
      fc.property(
        fc.constantFrom(...froms),
        fc.constantFrom(...TASK_STATES),
        fc.constantFrom(...commands),
        (from, state, command) => {
          const made = movesOf(inState(from, state), command);
          for (const move of made) expect(GOLDEN).toContain(move);
        },
      ),
      { numRuns: 3_000 },
    );
  });
});
