/** From the claim that the work is done to the proof: checks on a candidate, then the move of the target. */

import { invariant } from "../../assert.ts";
import { ENVIRONMENT_WAITS_MS, FRESH_COUNTERS } from "../../attempt/caps.ts";
import { exitMeaning } from "../../attempt/exit-meaning.ts";
import type { Rejection } from "../../errors.ts";
import { reject } from "../../errors.ts";
import { lastWorkPhase, nextReview, phaseAt } from "../../lane/lane.ts";
import type { TaskDefinition } from "../../plan/definition.ts";
import type { CheckRecord, LandingAdopt, LandingBegin, LandingFail, LandingMove } from "../commands/landings.ts";
import type { PublishIntend, PublishRecord } from "../commands/publications.ts";
import type { Decision, Draft } from "../draft.ts";
import type { CheckKind, CheckResult, LandingRow, TaskRow } from "../rows.ts";
import { refuseToken } from "./fence.ts";
import { CHECK_OPTIONS, openItem, rulingOptions } from "./items.ts";
import { laneOf } from "./lane-of.ts";
import { failTry, setBack } from "./settle.ts";

export function begin(draft: Draft, command: LandingBegin): Decision {
  const { id, state, attempts } = draft.task;
  const { landing: held, token } = draft.rows;
  if (state !== "claimed_done")
    return draft.refuse(reject("landing_void", `${id} is not to be landed: it is ${state}`));
  if (attempts !== command.attempt)
    return draft.refuse(reject("landing_void", `${id} is at attempt ${attempts}, and not at ${command.attempt}`));
  if (held && held.token !== command.over)
    return draft.refuse(
      reject(
        "landing_held",
        `process ${held.holder.pid} on ${held.holder.node} is landing ${held.task} on the same target`,
      ),
    );
  const { target, holder, tip, candidate, tree, check } = command;
  const landing: LandingRow = {
    project: draft.plan.project,
    target,
    plan: draft.plan.id,
    task: id,
    attempt: attempts,
    holder,
    token: token + 1,
    tip,
    candidate,
    tree,
    check,
    passed: passedBefore(draft, tree),
    begun_at: draft.now,
    version: 0,
  };
  draft.add("landing.begun", { landing });
  warnOfOutside(draft, command);
  return draft.done();
}

/** What was green on this very tree when the same work was published need not run again. */
function passedBefore({ task: { publication, attempts } }: Draft, tree: string | null): string[] {
  const isSame = tree !== null && publication?.attempt === attempts && publication.tree === tree;
  return isSame ? publication.passed : [];
}

/** Once for the same files: a candidate is built anew whenever its target moved. */
function warnOfOutside(draft: Draft, { outside }: LandingBegin): void {
  if (outside === undefined) return;
  const known = draft.attempt.outside;
  const isKnown = known?.total === outside.total && outside.paths.every((path, index) => path === known.paths[index]);
  if (!isKnown) draft.add("scope.warned", outside);
}

/** Takes a dead holder's landing on as it stands; the token is new, so the dead one's last writes are refused. */
export function adopt(draft: Draft, command: LandingAdopt): Decision {
  const { landing, token } = draft.rows;
  if (landing?.token !== command.over)
    return draft.refuse(refuseToken(draft, { ...command, token: command.over }, landing?.token ?? null, false));
  draft.add("landing.begun", {
    landing: { ...landing, holder: command.holder, token: token + 1, check: null, version: 0 },
  });
  return draft.done();
}

export function record(draft: Draft, command: CheckRecord): Decision {
  const refused = fenceLanding(draft, command);
  if (refused) return draft.refuse(refused);
  draft.add("check.recorded", { result: command.result });
  if (command.result.outcome === "green") afterGreen(draft, command);
  else afterRed(draft, command);
  return draft.done();
}

/** Green on the candidate's own tree counts; when it was the last check and a review is due, the review is next. */
function afterGreen(draft: Draft, { result, next, reds = 0 }: CheckRecord): Draft {
  const landing = landingOf(draft);
  if (reds > 0) draft.add("check.flaky", { command: result.command, tree: result.tree, reds });
  draft.add("landing.advanced", { passed: passedWith(landing, [result]), check: next });
  const review = nextReview(laneOf(draft), draft.task.phase);
  if (review === null || missing(draft.definition.body, landingOf(draft).passed).length > 0) return draft;
  return toReview(draft, review);
}

function toReview(draft: Draft, phase: number): Draft {
  draft.add("landing.ended", { target: landingOf(draft).target, landed: false });
  return draft.move("pending", "review_due", { ...FRESH_COUNTERS, phase, due_at: null });
}

function afterRed(draft: Draft, { result, blame, next, excerpt = result.tail }: CheckRecord): Draft {
  if (blame === "unsure") return draft.add("landing.advanced", { passed: landingOf(draft).passed, check: next });
  const said = excerpt.trim() === "" ? "" : `: ${excerpt}`;
  const text = `${result.kind} \`${result.command}\` ${endWords(result)}${said}`;
  draft.add("landing.ended", { target: landingOf(draft).target, landed: false });
  if (blame === "task") return failTry(draft, "checks_red", text, backToWork(draft));
  if (blame === "together") return setBack(draft, "conflicts", "red_together", text, backToWork(draft));
  if (blame === "environment") return putOff(draft, text);
  const before = `red before the work already, so not by this task: ${text}`;
  openItem(draft, { kind: "checks", text: before, options: CHECK_OPTIONS, shared: result.command });
  return draft.move("blocked", "base_red", { last_error: before });
}

/** `ended with 127 (the shell found no such command or file)`. */
function endWords({ outcome, exit_code }: CheckResult): string {
  if (outcome === "error") return "could not be run";
  const meaning = outcome === "timed_out" ? "timed out" : exitMeaning(exit_code);
  return `ended with ${exit_code}${meaning === null ? "" : ` (${meaning})`}`;
}

/** What the machine, or a forge, refused may pass by itself; a person is asked when it has not. `until`: when that is known. */
function putOff(
  draft: Draft,
  text: string,
  cause: "environment" | "publish_refused" = "environment",
  until: number | null = null,
): Draft {
  const wait = ENVIRONMENT_WAITS_MS[draft.task.environment];
  const environment = draft.task.environment + 1;
  const due = (span: number): number => (until === null ? draft.now + span : Math.max(draft.now, until));
  if (wait !== undefined) return draft.add("landing.put_off", { due_at: due(wait), text, environment });
  openItem(draft, { kind: "checks", text, options: CHECK_OPTIONS });
  return draft.move("blocked", cause, { last_error: text, due_at: null, environment: 0 });
}

/** All checks are green. A task that a review is due for goes there, and nothing has landed. */
export function move(draft: Draft, command: LandingMove): Decision {
  const refused = fenceLanding(draft, command);
  if (refused) return draft.refuse(refused);
  const landing = landingOf(draft);
  const unproved = missing(draft.definition.body, passedWith(landing, command.checks));
  if (unproved.length > 0)
    return draft.refuse(
      reject("checks_missing", `${draft.task.id} cannot land: not green on its tree: ${unproved.join(", ")}`),
    );
  const review = nextReview(laneOf(draft), draft.task.phase);
  if (review === null ? !reviewsHold(draft) : command.moved)
    return draft.refuse(reject("review_due", `${draft.task.id} cannot land: a review is due`));
  const { mode } = draft.plan.policy.land;
  if (review === null && !command.moved && mode !== "off")
    return draft.refuse(reject("landing_void", `no review is due for ${draft.task.id}: its target has to move`));
  for (const result of command.checks) draft.add("check.recorded", { result });
  if (review !== null) return toReview(draft, review).done();
  const { moved } = command;
  draft.add("landing.ended", { target: landing.target, landed: moved });
  draft.move("verified", "landed", {
    satisfied: true,
    // Where nothing lands the work stays where it is.
    unlanded: moved ? false : draft.task.unlanded,
    finished_at: draft.now,
    due_at: null,
    last_error: null,
    landed_target: landing.candidate === null || !moved ? null : landing.target,
    landed_sha: command.sha,
    landed_tree: landing.tree,
  });
  return draft.done();
}

export function fail(draft: Draft, command: LandingFail): Decision {
  const refused = fenceLanding(draft, command);
  if (refused) return draft.refuse(refused);
  const { cause, text, later } = command;
  draft.add("landing.ended", { target: command.target, landed: false });
  if (cause === "conflict") setBack(draft, "conflicts", "conflict", text, { ...backToWork(draft), unlanded: true });
  else if (cause === "scope_broken" || cause === "workspace_broken" || cause === "no_changes")
    failTry(draft, cause, text, backToWork(draft));
  else if (cause === "environment") putOff(draft, text);
  else if (cause === "publish_refused" && later !== undefined) putOff(draft, text, cause, later.until);
  else {
    const options = cause === "publish_refused" ? CHECK_OPTIONS : rulingOptions(cause, draft.task.mode);
    openItem(draft, { kind: "checks", text, options });
    draft.move("blocked", cause, { last_error: text });
  }
  return draft.done();
}

/** Null when the command's token holds the landing of this task's last attempt. */
export function fenceLanding(
  draft: Draft,
  command: CheckRecord | LandingMove | LandingFail | PublishIntend | PublishRecord,
): Rejection | null {
  const { landing } = draft.rows;
  if (
    landing === null ||
    landing.token !== command.token ||
    landing.task !== command.task ||
    landing.plan !== draft.task.plan
  )
    return refuseToken(draft, command, landing?.token ?? null, false);
  if (draft.task.state === "claimed_done" && landing.attempt === draft.task.attempts) return null;
  // One that has moved its target is ended once that has been moved back.
  if (!("moved" in command && command.moved)) draft.add("landing.ended", { target: landing.target, landed: false });
  return reject("landing_void", `${draft.task.id} is no longer to be landed: it is ${draft.task.state}`);
}

/** The next try works on: the lane's last work phase, in the same round; what a review said no longer holds. */
export function backToWork(draft: Draft): Partial<TaskRow> {
  return { phase: lastWorkPhase(laneOf(draft)), approved: false, due_at: null, environment: 0 };
}

export function reviewsHold(draft: Draft): boolean {
  const lane = laneOf(draft);
  const { phase, approved } = draft.task;
  return nextReview(lane, phase) === null && (approved || phaseAt(lane, phase).kind !== "review");
}

function passedWith({ passed, tree }: LandingRow, results: CheckResult[]): string[] {
  const green = results.filter((r) => r.outcome === "green" && r.tree === tree);
  return [...passed, ...green.map((r) => checkKey(r.kind, r.command))];
}

/** The checks that the task asks for and that have not been green on the candidate's tree. */
export function missing({ verify, guards }: TaskDefinition, passed: string[]): string[] {
  const wanted = [...verify.map((c) => checkKey("verify", c.run)), ...guards.map((c) => checkKey("guard", c.run))];
  return wanted.filter((key) => !passed.includes(key));
}

function checkKey(kind: CheckKind, command: string): string {
  return `${kind} ${command}`;
}

export function landingOf(draft: Draft): LandingRow {
  const { landing } = draft.rows;
  invariant(landing, "the landing was checked to be there");
  return landing;
}
