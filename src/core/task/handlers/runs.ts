/** A run: an activation of a plan. A plan has one live run. */

import { invariant } from "../../assert.ts";
import { reject } from "../../errors.ts";
import type { RunEnd, RunPause, RunResume, RunStart, RunStop } from "../commands/runs.ts";
import type { Decision, Draft } from "../draft.ts";
import type { RunRow, RunState } from "../rows.ts";

export function startRun(draft: Draft, command: RunStart, actor: string): Decision {
  const { project, id: plan } = draft.plan;
  if (draft.rows.run)
    return draft.refuse(reject("run_live", `plan ${draft.plan.name} has a live run: ${draft.rows.run.id}`));
  const { id, jobs, tasks_max, budget_usd } = command;
  const run: RunRow = {
    project,
    plan,
    id,
    state: "running",
    outcome: null,
    jobs,
    tasks_max,
    started: 0,
    budget_usd,
    spent_usd: 0,
    started_by: actor,
    reason: null,
    panic: false,
    started_at: draft.now,
    ended_at: null,
    version: 0,
  };
  draft.add("run.started", { run });
  return draft.done();
}

/** A run that is to pause lets what is live end first; asked again when nothing is, it is paused. A panic waits for nothing. */
export function pauseRun(draft: Draft, { panic }: RunPause): Decision {
  const { run, underway } = draft.rows;
  if (!run) return noRun(draft);
  if (panic !== undefined && run.state !== "stopping")
    return toState(draft, run, { state: "paused", reason: panic, panic: true });
  if (run.state !== "running" && run.state !== "pausing") return wrongState(draft, run, "paused");
  const live = underway.some((t) => t.plan === run.plan && t.kind === "run" && t.state === "in_progress");
  return toState(draft, run, { state: live ? "pausing" : "paused" });
}

/** A running run may be resumed too: its engine died, and the next one carries it on under its own limit. */
export function resumeRun(draft: Draft, { tasks_max }: RunResume): Decision {
  const { run } = draft.rows;
  if (!run) return noRun(draft);
  if (run.state === "stopping") return wrongState(draft, run, "resumed");
  return toState(draft, run, { state: "running", tasks_max });
}

export function stopRun(draft: Draft, { why }: RunStop): Decision {
  const { run } = draft.rows;
  if (!run) return noRun(draft);
  if (run.state === "stopping") return draft.done();
  return toState(draft, run, { state: "stopping", reason: why });
}

export function endRun(draft: Draft, { id, outcome }: RunEnd): Decision {
  const { run, counts } = draft.rows;
  invariant(counts, "counts are loaded for the end of a run");
  if (run?.id !== id) return draft.refuse(reject("no_run", `run ${id} is not the live run of plan ${draft.plan.name}`));
  draft.add("run.ended", { outcome, counts });
  return draft.done();
}

function toState(
  draft: Draft,
  run: RunRow,
  set: { state: RunState; reason?: string; panic?: boolean; tasks_max?: number | null },
): Decision {
  const { reason = null, panic = false, tasks_max = run.tasks_max } = set;
  draft.add("run.moved", { state: set.state, reason, panic, tasks_max });
  return draft.done();
}

function noRun(draft: Draft): Decision {
  return draft.refuse(reject("no_run", `plan ${draft.plan.name} has no live run`));
}

function wrongState(draft: Draft, run: RunRow, verb: string): Decision {
  return draft.refuse(reject("run_state", `the run cannot be ${verb}: it is ${run.state}`));
}
