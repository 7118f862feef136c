/** Offers a finished plan's branch as one pull request; what becomes of that is not lockstep's any more. */

import type { PlanRow, TaskRow } from "../core/task/rows.ts";
import type { PublishReport } from "../ports/publisher.ts";
import type { EngineContext } from "./context.ts";
import { type FinishRefusal, rowsOf, unfinishedRefusal } from "./finish.ts";
import { publisherOf, publishingOf, shortName } from "./publish.ts";

export interface PlanPublished {
  number: number | null;
  url: string | null;
  state: "open" | "merged" | "closed";
  /** Names of branches on the remote. */
  head: string;
  into: string;
  commit: string;
}

export interface PlanUnpublished {
  refusal: FinishRefusal | { code: "publish_refused"; text: string; next: string };
}

/** Call only while holding the project's engine lock. `into`: a branch of the remote that a person named; else the plan's base. */
export async function publishPlan(
  context: EngineContext,
  plan: PlanRow,
  into: string | null,
  signal: AbortSignal,
): Promise<PlanPublished | PlanUnpublished> {
  const { target, base } = plan.policy.land;
  const branch = into ?? (base === null ? null : shortName(base));
  const refusal = await unfinishedRefusal(context, plan, branch);
  if (refusal !== null) return { refusal };
  // Every commit on the line of the plan's own branch was put there by a landing: each may stand on the remote by now.
  const line = await context.workspace.line(target, base!);
  if (line !== null && "code" in line) return { refusal: line };
  const rows: TaskRow[] = [];
  for await (const row of rowsOf(context, plan)) if (row.satisfied && !row.retired) rows.push(row);
  const [sha] = line ?? [];
  if (sha === undefined) return { refusal: { code: "no_branch", text: `${plan.name} has changed nothing` } };
  const head = shortName(target);
  const published = await publisherOf(context).publish(
    {
      ...{ origin: { project: plan.project, plan: plan.name, task: "" }, head, base: branch!, sha, ours: line ?? [] },
      ...{ title: `Plan ${plan.name}`, report: await reportOf(context, plan, rows, sha), note: null },
      ...{ draft: publishingOf(context.settings).draft, ready: false },
    },
    signal,
  );
  if ("code" in published) return { refusal: { code: "publish_refused", text: published.text, next: published.next } };
  const { number, url, state } = published;
  return { number, url, state, head, into: branch!, commit: sha };
}

async function reportOf(
  { store }: EngineContext,
  plan: PlanRow,
  rows: readonly TaskRow[],
  tip: string,
): Promise<PublishReport> {
  const summary = [`Every task of the plan ${plan.name} is verified:`, "", ...rows.map(lineOf)].join("\n");
  const last = rows.find(({ landed_sha }) => landed_sha === tip);
  const ran = last === undefined ? [] : await store.checks(plan.id, last.id);
  const green = ran.filter(({ outcome, tree }) => outcome === "green" && tree === last?.landed_tree);
  const checks = green.map(({ kind, command, ms }) => ({ name: kind, command, passed: true, duration_ms: ms }));
  let cost_usd: number | null = null;
  for (const { id } of rows)
    for (const attempt of await store.attempts(plan.id, id))
      if (attempt.cost_usd !== null) cost_usd = (cost_usd ?? 0) + attempt.cost_usd;
  return { summary, checks, cost_usd, issue: null };
}

function lineOf({ id, title, state, unverified }: TaskRow): string {
  const word = unverified ? ", verified by an operator's word alone" : state === "verified" ? "" : `, ${state}`;
  return `- ${id}${title === id ? "" : `: ${title}`}${word}`;
}
