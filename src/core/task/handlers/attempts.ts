/** A live attempt, as its engine tells of it and as operators stop it. */

import type { Rejection } from "../../errors.ts";
import { reject } from "../../errors.ts";
import type {
  AttemptAdopt,
  AttemptExtend,
  AttemptInterrupt,
  AttemptReport,
  AttemptSettle,
  AttemptStart,
  AttemptStop,
} from "../commands/attempts.ts";
import type { Decision, Draft } from "../draft.ts";
import { discardEnded, undiscardable } from "./discard.ts";
import { refuseToken } from "./fence.ts";
import { plainly, settle } from "./settle.ts";
import { withdrawItems } from "./withdraw-items.ts";

export function start(draft: Draft, command: AttemptStart): Decision {
  const { lease } = draft.rows;
  if (lease?.token !== command.token) return draft.refuse(refuseToken(draft, command, lease?.token ?? null, false));
  const { base, base_tree } = draft.attempt;
  const from = command.base ?? { commit: base, tree: base_tree };
  draft.add("attempt.started", {
    state: command.state,
    process: command.process,
    base: from.commit,
    base_tree: from.tree,
  });
  return draft.done();
}

export function adopt(draft: Draft, { token, holder, expires_at, ...command }: AttemptAdopt): Decision {
  const { lease } = draft.rows;
  if (lease?.token !== token)
    return draft.refuse(refuseToken(draft, { ...command, token }, lease?.token ?? null, false));
  draft.add("attempt.adopted", { holder, expires_at });
  return draft.done();
}

/** What an agent says of itself changes no state, but a superseded attempt has nothing more to say. */
export function report(draft: Draft, command: AttemptReport): Decision {
  const { lease } = draft.rows;
  if (lease?.token !== command.token) return draft.refuse(refuseToken(draft, command, lease?.token ?? null, false));
  const { progress, session, model } = command;
  draft.add("attempt.reported", {
    ...(progress === undefined ? {} : { progress }),
    ...(session === undefined ? {} : { session }),
    ...(model === undefined ? {} : { model }),
  });
  return draft.done();
}

/** What an attempt left is settled by its token alone: it may have outlived its lease while nobody took it over. */
export function settleAttempt(draft: Draft, command: AttemptSettle): Decision {
  const { lease } = draft.rows;
  if (lease?.token !== command.token) return draft.refuse(refuseToken(draft, command, lease?.token ?? null, false));
  if (command.checkout) draft.add("checkout.changed", command.checkout);
  if (command.repository) draft.add("repository.mended", command.repository);
  settle(draft, command);
  return draft.done();
}

/** A live attempt is never cut off by a transaction: it is marked, and whoever runs it stops and settles it. */
export function stop(draft: Draft, { as, why, then, at_once, discards }: AttemptStop): Decision {
  const { id, state } = draft.task;
  const refusal = discards ? undiscardable(draft) : null;
  if (refusal !== null) return draft.refuse(refusal);
  if (state === "in_progress") {
    const stopping = draft.attempt.stop;
    // Whoever lost patience may have it killed; what becomes of the task then stays as it was asked for first.
    if (stopping && (!at_once || stopping.at_once))
      return draft.refuse(reject("already_stopping", `${id} is stopping already: ${stopping.why}`));
    const asked = { as, why, then, ...(at_once ? { at_once } : {}), ...(discards ? { discards } : {}) };
    draft.add("attempt.stopping", { stop: stopping ? { ...stopping, at_once: true } : asked });
    if (draft.attempt.kind === "external") settle(draft, plainly(as, why));
    return draft.done();
  }
  if (discards) return discardEnded(draft, { as, why, then, discards }).done();
  if ((state === "claimed_done" || state === "blocked") && then === "pending") {
    withdrawItems(draft, why);
    draft.move("pending", "handed_back", { last_error: why, due_at: null });
    return draft.done();
  }
  return draft.refuse(reject("illegal_move", `${id} has nothing to stop: it is ${state}`));
}

export function extend(draft: Draft, { ms }: AttemptExtend): Decision {
  const refusal = unsteerable(draft);
  if (refusal) return draft.refuse(refusal);
  draft.add("attempt.extended", { timeout_ms: draft.attempt.timeout_ms + ms });
  return draft.done();
}

export function interrupt(draft: Draft, { message }: AttemptInterrupt): Decision {
  const refusal = unsteerable(draft);
  if (refusal) return draft.refuse(refusal);
  draft.add("attempt.interrupted", { message, interrupts: draft.attempt.interrupts + 1 });
  return draft.done();
}

/** Why there is no agent of ours that an operator could speak to; null when there is one. */
function unsteerable(draft: Draft): Rejection | null {
  const { id, state } = draft.task;
  if (state !== "in_progress") return reject("illegal_move", `${id} has no live attempt: it is ${state}`);
  const { kind, agent, stop } = draft.attempt;
  if (kind === "external")
    return reject("external_worker", `${id} is under way by ${agent ?? "a worker"}, who is not lockstep's to steer`);
  return stop ? reject("already_stopping", `${id} is stopping already: ${stop.why}`) : null;
}
