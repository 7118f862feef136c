/** Runs the checks of a landed task anew, on its tree checked out where nothing of an earlier run lies. */

import { checkMark } from "../core/attempt/marks.ts";
import type { CheckOutcome } from "../core/task/rows.ts";
import type { TaskRecord } from "../ports/store.ts";
import type { FreshCheckout } from "../ports/workspace.ts";
import type { EngineContext } from "./context.ts";
import { jobsOf } from "./landing-checks.ts";
import type { CheckJob } from "./run-check.ts";
import { holdJob } from "./run-check.ts";

/** Of a guard that is red: as often as a landing gives it another chance. */
const RERUNS = 1;
const RERUNS_OF_FLAKY = 3;

/** Characters of an output that stand in a problem. */
const TAIL_MAX = 400;

export interface Rerun {
  /** By `kind command`; nothing of a check that did not come to its end. */
  outcomes: Map<string, CheckOutcome>;
  problems: string[];
}

/** `commit`: what landed. `plan`: its name. With the limits, the set-up and the environment that a landing gives. */
export async function rerunChecks(
  context: EngineContext,
  record: TaskRecord,
  { plan, commit, signal }: { plan: string; commit: string; signal: AbortSignal },
): Promise<Rerun> {
  const rerun: Rerun = { outcomes: new Map(), problems: [] };
  const jobs = jobsOf(record);
  if (jobs.length === 0) return rerun;
  const { row } = record;
  const task = { plan, slug: row.slug, n: row.attempts };
  const marks = checkMark({ plan: row.plan, task: row.id, attempt: row.attempts });
  const place = await context.workspace.fresh(task, commit, { signal, marks });
  if (place === null || "code" in place) {
    const why = place === null ? "nothing is landed here" : place.text;
    return { ...rerun, problems: [`its checks cannot be run anew: ${why}`] };
  }
  try {
    for (const job of jobs) {
      const { outcome, text } = await rerunJob(context, record, { job, place, signal });
      if (outcome !== null) rerun.outcomes.set(keyOf(job), outcome);
      if (text !== null) rerun.problems.push(text);
      if (signal.aborted) break;
    }
  } finally {
    const left = await place.close();
    if (left !== null) rerun.problems.push(`its fresh checkout ${place.dir} could not be removed: ${left.text}`);
  }
  return rerun;
}

export function keyOf({ kind, run }: Pick<CheckJob, "kind" | "run">): string {
  return `${kind} ${run}`;
}

interface Ran {
  outcome: CheckOutcome | null;
  /** What is wrong. */
  text: string | null;
}

async function rerunJob(
  context: EngineContext,
  record: TaskRecord,
  { job, place, signal }: { job: CheckJob; place: FreshCheckout; signal: AbortSignal },
): Promise<Ran> {
  const chances = job.kind === "verify" ? 0 : await chancesOf(context, record, job);
  for (let reds = 0; ; reds += 1) {
    const end = await runOnce(context, record, { job, place, signal });
    if (end.outcome === "killed") return { outcome: null, text: `stopped while \`${job.run}\` ran anew` };
    if (end.outcome === "green") return { outcome: "green", text: null };
    if (end.outcome === "red" && reds < chances) continue;
    const tail = end.tail.trim().slice(-TAIL_MAX);
    const how = `ended with ${end.exit_code}${end.outcome === "timed_out" ? " (timed out)" : ""}`;
    const text = `${job.kind} \`${job.run}\`, run anew on the landed tree, ${how}${tail === "" ? "" : `: ${tail}`}`;
    return { outcome: end.outcome, text };
  }
}

async function chancesOf({ store }: EngineContext, { row }: TaskRecord, { run }: CheckJob): Promise<number> {
  return (await store.isFlaky(row.plan, run)) ? RERUNS_OF_FLAKY : RERUNS;
}

async function runOnce(
  context: EngineContext,
  { row }: TaskRecord,
  { job, place, signal }: { job: CheckJob; place: FreshCheckout; signal: AbortSignal },
) {
  const { dir } = place;
  const { held, log } = await holdJob(context, job, { dir, task: row, attempt: row.attempts }, signal);
  const end = await held.release();
  if (held.process !== null) await context.processes.killInside(dir, held.process);
  // No row names this output: what counts of it is told.
  await context.blobs.remove(log);
  return end;
}
