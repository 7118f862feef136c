/** Offers a candidate whose checks are green to people outside, before the state that says so (landing mode `pr`). */

import { invariant } from "../core/assert.ts";
import type { LandingFail } from "../core/task/commands/landings.ts";
import type { PlanRow } from "../core/task/rows.ts";
import type { Publisher, PublishRefusal, PublishRequest } from "../ports/publisher.ts";
import type { Candidate } from "../ports/workspace.ts";
import type { EngineContext, EngineSettings, PublishingSettings } from "./context.ts";
import type { Landing, RoundEnd } from "./landing-work.ts";
import { endOfRefusal, ofTask, submit } from "./landing-work.ts";
import { publishReport } from "./publish-report.ts";

/** Why work could not be published, or what was published not be landed. */
export interface NotPublished {
  cause: "publish_refused";
  text: string;
  /** Present where the same may succeed by itself. */
  later?: NonNullable<LandingFail["later"]>;
}

/** What changes nothing has nothing to offer, and lands as it is; what was merged is to be landed here. */
export async function isToPublish(landing: Landing, candidate: Candidate): Promise<boolean> {
  const { publication, attempts } = landing.record.row;
  if (candidate.commit === null || candidate.commit === candidate.tip) return false;
  if (publication?.attempt === attempts && publication.stage === "merged") return false;
  return (await planOf(landing)).policy.land.mode === "pr";
}

/** Nothing lands: verified work stays at the ref of its attempt. */
export async function isOff(landing: Landing): Promise<boolean> {
  return (await planOf(landing)).policy.land.mode === "off";
}

/** The same again after a crash: what is there is looked up first, so nothing is doubled. */
export async function publishCandidate(landing: Landing, token: number, candidate: Candidate): Promise<RoundEnd> {
  const { context, record, target } = landing;
  const plan = await planOf(landing);
  const base = plan.policy.land.base;
  if (base === null) return endUnpublished(landing, token, { cause: "publish_refused", text: NO_BASE });
  const names = { head: publishedHead(plan, record.row.slug), base: shortName(base) };
  const intended = await submit(landing, { type: "publish.intend", ...ofTask(landing), target, token, ...names });
  if (!intended.ok) return endOfRefusal(intended.rejection);
  const published = await publisherOf(context).publish(await requestFor(landing, plan, candidate), landing.signal);
  if ("code" in published && landing.stop?.aborted) return "stopped";
  if ("code" in published) return endUnpublished(landing, token, notPublished(published));
  const { number, url } = published;
  const answer = await submit(landing, { type: "publish.record", ...ofTask(landing), target, token, number, url });
  return answer.ok ? "decided" : endOfRefusal(answer.rejection);
}

const NO_BASE = "it is not known into which branch it should be merged: set land.base";

/** Puts the task off, or asks a person, without building anything again. */
export async function endUnpublished(landing: Landing, token: number, ended: NotPublished): Promise<RoundEnd> {
  const { target } = landing;
  const answer = await submit(landing, { type: "landing.fail", ...ofTask(landing), target, token, ...ended });
  return answer.ok ? "decided" : endOfRefusal(answer.rejection);
}

export function notPublished({ text, next, retriable, until }: PublishRefusal): NotPublished {
  const refused = { cause: "publish_refused", text: retriable ? text : `${text} ${next}` } as const;
  return retriable ? { ...refused, later: { until } } : refused;
}

/** Name of the remote's branch that has a task's work. */
function publishedHead({ name }: PlanRow, slug: string): string {
  return `lockstep-work/${name}/${slug}`;
}

export function shortName(ref: string): string {
  return ref.replace(/^refs\/heads\//, "");
}

export function publisherOf({ publisher }: EngineContext): Publisher {
  invariant(publisher, "a plan whose work is published has a publisher");
  return publisher;
}

export function publishingOf({ publishing }: EngineSettings): PublishingSettings {
  invariant(publishing, "a plan whose work is published has settings for it");
  return publishing;
}

async function planOf({ context, record }: Landing): Promise<PlanRow> {
  const plan = await context.store.plan(record.row.plan);
  invariant(plan, `plan ${record.row.plan} has no row`);
  return plan;
}

async function requestFor(landing: Landing, plan: PlanRow, { tree }: Candidate): Promise<PublishRequest> {
  const { context, record } = landing;
  const row = (await context.store.task(plan.id, record.row.id))?.row;
  const publication = row?.publication;
  invariant(row && publication, "what is published was intended before");
  const { head, base, sha, ours } = publication;
  const { report, note } = await publishReport(context, { ...record, row }, tree);
  return {
    ...{ origin: { project: plan.project, plan: plan.name, task: row.id }, head, base, sha, ours },
    ...{ title: row.title, report, note, draft: publishingOf(context.settings).draft, ready: false },
  };
}
