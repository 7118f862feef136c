/** The ends that an operator, a plan revision or a failed dependency gives a task. */

import type { Draft } from "../draft.ts";
import type { MoveCause } from "../moves.ts";
import { withdrawItems } from "./withdraw-items.ts";

export function endTask(
  draft: Draft,
  to: "skipped" | "cancelled" | "verified",
  why: string,
  satisfies: boolean,
  cause: MoveCause,
): Draft {
  withdrawItems(draft, why);
  const ended = { finished_at: draft.now, due_at: null, last_error: why };
  if (to === "verified") return draft.move("verified", cause, { ...ended, satisfied: true, unverified: true });
  return draft.move(to, cause, { ...ended, satisfied: satisfies });
}
