import { relative, resolve } from "node:path";
import type { Locks } from "../../ports/locks.ts";
import type { LandOutcome, Standing, Workspace, WorkspaceRefusal, WorkspaceTask } from "../../ports/workspace.ts";
import { candidateSides } from "./candidate-sides.ts";
import { type Checkout, checkoutAt, inCheckout, lookAt } from "./checkout.ts";
import { readCheckout, unusable } from "./checkout-state.ts";
import { savedRefsInUse } from "./disk-use.ts";
import { freshPlace } from "./fresh-checkout.ts";
import { gitEvidence } from "./git-evidence.ts";
import { oldGit } from "./git-version.ts";
import { candidateInPlace } from "./in-place-candidate.ts";
import { discardInPlace } from "./in-place-discard.ts";
import { landInPlace } from "./in-place-land.ts";
import { openInPlace, probeInPlace } from "./in-place-open.ts";
import { readRecord } from "./in-place-record.ts";
import { saveInPlace } from "./in-place-save.ts";
import { keepAttempt } from "./kept-refs.ts";
import { holdsCommit } from "./move-ref.ts";
import { NO_BRANCH, NO_POOL } from "./no-evidence.ts";
import { findRepository } from "./repository-place.ts";
import { undoCommit } from "./undo-commit.ts";

/** The oldest git whose options are used here (Debian 11 has it). */
const VERSION_MIN = [2, 30] as const;

/**
 * Mode `in_place` in a git repository: the agent works in the user's own checkout, one task at a time; the branch that
 * is checked out is the target. `root` is the project's directory, at or below the top of the checkout.
 */
export function inPlaceRepository(root: string, { locks }: { locks: Locks }): Workspace {
  const dir = resolve(root);
  const top = findRepository(dir)?.top ?? dir;
  return {
    inspect: () => lookAt(top, (checkout) => inspect(checkout)),
    probe: (task, options) => lookAt(top, (checkout) => probeInPlace(checkout, { dir, task, options })),
    opened: async () => openedTask(top),
    occupied: async () => {
      const open = openedTask(top);
      return open === null ? [] : [open];
    },
    open: (task, options) => inCheckout(top, locks, (checkout) => openInPlace(checkout, { dir, task, options })),
    candidate: (request) => inCheckout(top, locks, (checkout) => candidateInPlace(checkout, dir, request)),
    sides: (candidate, wanted) =>
      lookAt(top, ({ git }) => candidateSides(git, candidate, { ...wanted, below: relative(top, dir) })),
    land: async (task, candidate) => {
      const outcome = await inCheckout(top, locks, (checkout) => landInPlace(checkout, task, candidate));
      return "code" in outcome ? notLanded(outcome) : outcome;
    },
    holds: async (target, commit) => {
      const checkout = checkoutAt(top);
      return checkout !== null && (await holdsCommit(checkout.git, target, commit));
    },
    save: (task) => inCheckout(top, locks, (checkout) => saveInPlace(checkout, task)),
    pin: async (task, commit) => {
      const pinned = await inCheckout(top, locks, async ({ git }) => {
        await keepAttempt(git, task, commit);
        return null;
      });
      return pinned;
    },
    ...gitEvidence(top),
    fresh: (_, commit) => freshPlace(top, relative(top, dir), locks, commit),
    ...NO_BRANCH,
    ...NO_POOL,
    inUse: () => lookAt(top, async ({ git }) => [await savedRefsInUse(git)]),
    undo: (_task, commit) => inCheckout(top, locks, ({ git }) => undoCommit(git, commit)),
    discard: (task) => inCheckout(top, locks, (checkout) => discardInPlace(checkout, dir, task)),
  };
}

async function inspect({ git }: Checkout): Promise<Standing | WorkspaceRefusal> {
  const tooOld = await oldGit(git, VERSION_MIN);
  if (tooOld !== null) return tooOld;
  const state = await readCheckout(git);
  if ("code" in state) return state;
  return unusable(state) ?? { target: state.branch };
}

/** Whose the checkout is now; nobody's when it is clean, or when what is left in it has been saved. */
function openedTask(top: string): WorkspaceTask | null {
  const checkout = checkoutAt(top);
  const record = checkout === null ? null : readRecord(checkout.folder);
  if (record === null || record.state === "left") return null;
  return { plan: record.plan, slug: record.slug, n: record.n };
}

function notLanded(refusal: WorkspaceRefusal): LandOutcome {
  return { landed: false, reason: refusal.code === "busy" ? "busy" : "git", text: refusal.text };
}
