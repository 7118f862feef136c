/** Every write of an attempt carries its token; one that is not the latest is refused, and the refusal is recorded. */

import type { Rejection } from "../../errors.ts";
import { reject } from "../../errors.ts";
import type { Draft } from "../draft.ts";

interface Fenced {
  type: string;
  task: string;
  token: number;
}

/** Null when `command.token` holds the task's live attempt; otherwise the rejection, noted in the log. */
export function fence(draft: Draft, command: Fenced): Rejection | null {
  const { lease } = draft.rows;
  if (lease && lease.token === command.token && lease.expires_at > draft.now) return null;
  return refuseToken(draft, command, lease?.token ?? null, lease !== null && lease.token === command.token);
}

export function refuseToken(draft: Draft, command: Fenced, current: number | null, expired: boolean): Rejection {
  draft.add("lease.refused", { command: command.type, token: command.token, current });
  const why = expired
    ? "its lease has expired"
    : current === null
      ? "nothing holds the task"
      : current > command.token
        ? "a newer one holds the task"
        : "it was never given for this task";
  return reject("stale_token", `token ${command.token} no longer holds ${command.task}: ${why}`);
}
