import { z } from "zod";
import type { CiStatus, FailingCheck, PublishRefusal } from "../../../ports/publisher.ts";
import { isRefusal } from "../refusal.ts";
import { type Reader, readPages } from "./conditional.ts";
import { type CheckRun, checkRunSchema, statusSchema } from "./wire.ts";

/** A check of either kind, as it is kept in a cursor. `run`: it is a check run, by whose id more can be read. */
export interface SeenCheck {
  name: string;
  result: "pending" | "passed" | "failed";
  conclusion: string;
  url: string | null;
  run: { id: number; is_actions: boolean } | null;
  /** What it said of itself, its beginning. */
  said: string | null;
}

/** More in one brief are noise: the first to fail say why. */
export const FAILING_MAX = 20;

/** Enough for a title and the lines that matter; the log itself is read apart. */
const SAID_LENGTH_MAX = 2_000;

/** Check runs and commit statuses of one commit, each as it was last. */
export async function readChecks(reader: Reader, sha: string): Promise<SeenCheck[] | PublishRefusal> {
  const runs = await readPages(reader, {
    path: `/commits/${sha}/check-runs?filter=latest`,
    doing: "list the check runs",
    schema: z.object({ check_runs: z.array(checkRunSchema) }),
    items: ({ check_runs }) => check_runs,
    keep: ({ check_runs }) => check_runs.map(ofRun),
  });
  const statuses = await readPages(reader, {
    path: `/commits/${sha}/status`,
    doing: "list the commit statuses",
    schema: z.object({ statuses: z.array(statusSchema) }),
    items: (answer) => answer.statuses,
    keep: (answer) =>
      answer.statuses.map(({ context, state, description, target_url }): SeenCheck => {
        const result = state === "success" ? "passed" : state === "pending" ? "pending" : "failed";
        const said = description.slice(0, SAID_LENGTH_MAX) || null;
        return { name: context, result, conclusion: state, url: target_url ?? null, run: null, said };
      }),
  });
  const seen: SeenCheck[] = [];
  for (const read of [runs, statuses]) {
    if (!isRefusal(read)) seen.push(...read.kept.flat());
    // A token may be allowed to see one kind only. Everything else may be over next time.
    else if (read.code === "forbidden" || read.code === "not_found") reader.unread(read.text);
    else return read;
  }
  return seen;
}

/** `isComplete`: both kinds could be read. */
export function summarised(sha: string, checks: readonly SeenCheck[], isComplete: boolean): CiStatus {
  const failing = checks.filter(({ result }) => result === "failed");
  return {
    sha,
    conclusion: concluded(checks, isComplete),
    total: checks.length,
    failing: failing.slice(0, FAILING_MAX).map(asFailing),
  };
}

export function asFailing({ name, conclusion, url }: SeenCheck): FailingCheck {
  return { name, conclusion, url, excerpt: null };
}

/** What failed and what still runs is known whatever else there is; that all passed is known of all only. */
function concluded(checks: readonly SeenCheck[], isComplete: boolean): CiStatus["conclusion"] {
  if (checks.some(({ result }) => result === "pending")) return "pending";
  if (checks.some(({ result }) => result === "failed")) return "failed";
  if (!isComplete) return "unknown";
  return checks.length === 0 ? "none" : "passed";
}

const PASSED: ReadonlySet<string> = new Set(["success", "neutral", "skipped"]);

/** `stale` was left unfinished by GitHub itself; `action_required` waits for a person and fails what needs it. */
function ofRun({ id, name, status, conclusion, html_url, app, output }: CheckRun): SeenCheck {
  const isOver = status === "completed";
  const said = [output?.title, output?.summary, output?.text].filter(Boolean).join("\n").slice(0, SAID_LENGTH_MAX);
  const result = !isOver ? "pending" : PASSED.has(conclusion ?? "") ? "passed" : "failed";
  return {
    name,
    result,
    conclusion: conclusion ?? status,
    url: html_url ?? null,
    run: { id, is_actions: app?.slug === "github-actions" },
    // Only what failed is asked why.
    said: result === "failed" ? said || null : null,
  };
}
