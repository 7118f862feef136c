/** Work that is offered to people outside, and what they make of it. Their word moves a task, and never proves it. */

import { FRESH_COUNTERS } from "../../attempt/caps.ts";
import { reject } from "../../errors.ts";
import { lastWorkPhase, phaseAt } from "../../lane/lane.ts";
import type { Heard, PublishHear, PublishIntend, PublishRecord } from "../commands/publications.ts";
import type { Decision, Draft } from "../draft.ts";
import { OURS_MAX, type Publication, publicationName } from "../publication.ts";
import { CHECK_OPTIONS, openItem, SETBACK_OPTIONS } from "./items.ts";
import { backToWork, fenceLanding, landingOf, missing, reviewsHold } from "./landing.ts";
import { laneOf } from "./lane-of.ts";
import { withdrawItems } from "./withdraw-items.ts";

/** Committed before anything is pushed: whoever comes after a crash knows what may stand outside. */
export function intend(draft: Draft, command: PublishIntend): Decision {
  const refused = fenceLanding(draft, command);
  if (refused) return draft.refuse(refused);
  const { candidate, tip, tree, passed } = landingOf(draft);
  const unproved = missing(draft.definition.body, passed);
  if (unproved.length > 0 || candidate === null)
    return draft.refuse(
      reject("checks_missing", `${draft.task.id} cannot be published: not green: ${unproved.join(", ")}`),
    );
  if (!reviewsHold(draft))
    return draft.refuse(reject("review_due", `${draft.task.id} cannot be published: a review is due`));
  const { head, base } = command;
  const before = draft.task.publication;
  const isSame = before?.head === head;
  const ours = [...(isSame ? before.ours.filter((sha) => sha !== candidate) : []), candidate].slice(-OURS_MAX);
  const known = isSame ? { number: before.number, url: before.url, cursor: before.cursor } : UNKNOWN;
  const publication: Publication = {
    ...{
      stage: "intended",
      attempt: draft.task.attempts,
      sha: candidate,
      tip,
      tree,
      passed,
      head,
      base,
      ours,
      ...known,
    },
    ...{ merge_sha: null, merged_into: null },
  };
  draft.add("publication.intended", { publication });
  return draft.done();
}

const UNKNOWN = { number: null, url: null, cursor: null };

/** The task waits for people from here on, with an item that closes by itself. */
export function record(draft: Draft, command: PublishRecord): Decision {
  const refused = fenceLanding(draft, command);
  if (refused) return draft.refuse(refused);
  const intended = draft.task.publication;
  if (intended?.attempt !== draft.task.attempts)
    return draft.refuse(reject("landing_void", `nothing of ${draft.task.id} was to be published`));
  const { target, number, url } = command;
  // Another pull request than before: nothing of it has been told.
  const cursor = number === intended.number ? intended.cursor : null;
  const publication: Publication = { ...intended, stage: "open", number, url, cursor };
  draft.add("landing.ended", { target, landed: false });
  const text = `${publicationName(publication)} waits to be merged into ${publication.base}${url === null ? "" : `: ${url}`}`;
  openItem(draft, { kind: "pull_request", text, options: SETBACK_OPTIONS });
  draft.move("blocked", "pull_request", { publication, due_at: null, environment: 0, last_error: null });
  return draft.done();
}

/** A look at an open one: most often nothing, and then only the cursor is kept. */
export function hear(draft: Draft, { attempt, cursor, heard }: PublishHear): Decision {
  const { id, state, attempts, publication: open } = draft.task;
  if (state !== "blocked" || open?.stage !== "open" || attempts !== attempt)
    return draft.refuse(reject("landing_void", `${id} does not wait for a pull request of attempt ${attempt}`));
  const publication: Publication = { ...open, cursor };
  switch (heard.kind) {
    case "nothing":
      return draft.add("publication.heard", { publication }).done();
    case "merged":
      return merged(draft, publication, heard);
    case "closed":
      return ask(draft, { ...publication, stage: "closed" }, "it was closed without a merge", null);
    case "ci_failed":
    case "changes_requested":
      return sendBack(draft, publication, heard);
  }
}

/** Nothing is verified by that: the engine fetches what was merged, and holds it against what it checked. */
function merged(draft: Draft, open: Publication, { sha, into }: Extract<Heard, { kind: "merged" }>): Decision {
  const publication: Publication = { ...open, stage: "merged", merge_sha: sha, merged_into: into };
  withdrawItems(draft, "merged");
  draft.move("claimed_done", "merged", { publication, due_at: null });
  return draft.done();
}

/** Red CI is a try of this task's; changes that a member asks for are a verdict, and so open the next round. */
function sendBack(draft: Draft, publication: Publication, { kind, text }: Extract<Heard, { text: string }>): Decision {
  const { tries, round } = draft.task;
  const phase = phaseAt(laneOf(draft), lastWorkPhase(laneOf(draft)));
  const isOver = kind === "ci_failed" ? tries + 1 >= draft.definition.body.tries : round >= phase.rounds;
  if (isOver) {
    const why =
      kind === "ci_failed" ? "its checks failed, and no try is left" : "changes are asked for, and no round is left";
    return ask(draft, publication, why, text);
  }
  withdrawItems(draft, kind, "pull_request");
  const counted = kind === "ci_failed" ? { tries: tries + 1 } : { ...FRESH_COUNTERS, round: round + 1 };
  draft.move("pending", kind, { ...backToWork(draft), ...counted, publication, unlanded: true, last_error: text });
  return draft.done();
}

/** What lockstep cannot decide by itself. After a day without a word the task has failed. */
function ask(draft: Draft, publication: Publication, why: string, told: string | null): Decision {
  withdrawItems(draft, "asked anew", "pull_request");
  const name = publicationName(publication);
  const text = `${name}: ${why}${publication.url === null ? "" : `: ${publication.url}`}`;
  draft.add("publication.heard", { publication: { ...publication, stage: "closed" }, last_error: told ?? text });
  openItem(draft, { kind: "checks", text, options: CHECK_OPTIONS, default: "fail" });
  return draft.done();
}
