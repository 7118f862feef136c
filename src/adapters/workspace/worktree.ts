import { join, relative, resolve } from "node:path";
import type { LandOutcome, Standing, Workspace, WorkspaceRefusal, WorkspaceTask } from "../../ports/workspace.ts";
import { candidateSides } from "./candidate-sides.ts";
import { type Checkout, checkoutAt, inCheckout, lookAt } from "./checkout.ts";
import { unusable } from "./checkout-state.ts";
import { partialRepository } from "./clone-config.ts";
import { savedRefsInUse, worktreesInUse } from "./disk-use.ts";
import { lookForChanges } from "./foreign-changes.ts";
import { freshWorktree } from "./fresh-checkout.ts";
import { refusalOf } from "./git.ts";
import { gitEvidence } from "./git-evidence.ts";
import { oldGit } from "./git-version.ts";
import { readHead } from "./head.ts";
import { keepAttempt, savedBy } from "./kept-refs.ts";
import { keptWorktree } from "./kept-worktree.ts";
import { freeLanding } from "./landing-worktree.ts";
import { holdsCommit } from "./move-ref.ts";
import { readRefs } from "./read-refs.ts";
import { findRepository } from "./repository-place.ts";
import { saveChanged } from "./saved-checkout.ts";
import { recordRef } from "./shared-refs.ts";
import { guardRepository, takeMended } from "./shared-repository.ts";
import { undoCommit } from "./undo-commit.ts";
import { bringBranch, joinBranches } from "./worktree-branches.ts";
import { candidateInWorktree } from "./worktree-candidate.ts";
import { discardFromWorktree } from "./worktree-discard.ts";
import { foresight } from "./worktree-foresight.ts";
import { landFromWorktree, takeBackLanding } from "./worktree-land.ts";
import { takeIn } from "./worktree-merged.ts";
import { openWorktree, probeWorktree } from "./worktree-open.ts";
import { reclaim } from "./worktree-reclaim.ts";
import { closeSlot } from "./worktree-save.ts";
import {
  labelOf,
  shortName,
  targetOf,
  type WorktreeOptions,
  type WorktreeSettings,
  workRef,
} from "./worktree-settings.ts";
import { slotOf, takenSlots } from "./worktree-slots.ts";
import { baseBranch, checkedOut, missingBase } from "./worktree-start.ts";

/** `git merge-tree --write-tree` came with this one. */
const VERSION_MIN = [2, 38] as const;

/**
 * Mode `worktree`: each attempt works in a worktree of its own, outside the repository, and lands on the plan's branch. Mode
 * `clone` is the same, but that git as its agent finds it there is a clone, made for it: the repository is out of its reach.
 * The user's checkout, index and branches are only read. `root` is the project's directory, at or below the top of the
 * checkout.
 */
export function worktreeWorkspace(root: string, options: WorktreeOptions): Workspace {
  const settings = settingsOf(root, options);
  const { top, folder, locks } = settings;
  return {
    inspect: (plan) => lookAt(top, (checkout) => inspect(checkout, settings, plan)),
    probe: (task, wanted) => lookAt(top, (checkout) => probeWorktree(checkout, settings, task, wanted)),
    opened: async () => null,
    occupied: async () => takenSlots(folder).map(({ marker: { plan, slug, n } }) => ({ plan, slug, n })),
    ownDir: async (task) => {
      const slot = slotOf(folder, task);
      return slot === null ? null : join(folder, slot.slot);
    },
    open: (task, wanted) => openWorktree(settings, task, wanted),
    candidate: (request) => candidateInWorktree(settings, request),
    sides: (candidate, wanted) =>
      lookAt(top, ({ git }) => candidateSides(git, candidate, { ...wanted, below: settings.below })),
    land: async (task, candidate) => {
      const outcome = await inCheckout(top, locks, (checkout) => landFromWorktree(checkout, settings, task, candidate));
      return "code" in outcome ? notLanded(outcome) : outcome;
    },
    takeBack: async (task, landed) =>
      (await inCheckout(top, locks, (checkout) => takeBackLanding(checkout, settings, task, landed))) === true,
    holds: async (target, commit) => {
      const checkout = checkoutAt(top);
      return checkout !== null && (await holdsCommit(checkout.git, target, commit));
    },
    save: (task) =>
      inCheckout(top, locks, async (checkout) => {
        freeLanding(folder, task);
        await guardRepository(checkout, settings);
        const slot = slotOf(folder, task);
        // Who died right after it had saved told nobody.
        return slot === null ? { saved: await savedBy(checkout.git, task) } : closeSlot(checkout, settings, slot);
      }),
    discard: (task, target) =>
      inCheckout(top, locks, (checkout) => discardFromWorktree(checkout, settings, task, target)),
    undo: (task, commit) =>
      lookAt<{ conflicts: string[] } | WorkspaceRefusal>(top, async ({ place }) => {
        const slot = slotOf(folder, task)?.slot;
        const worktree = slot && keptWorktree(place.common_dir, folder, slot, `ref: ${workRef(task)}`);
        if (!worktree) return { code: "missing", text: `the worktree of ${labelOf(task)} is gone` };
        return undoCommit(worktree.git, commit);
      }),
    pin: (task, commit) =>
      inCheckout<WorkspaceRefusal | null>(top, locks, (checkout) => pin(checkout, settings, task, commit)),
    ...gitEvidence(top),
    fresh: (task, commit, preparing) => freshWorktree(settings, task, commit, preparing),
    join: (request) => joinBranches(settings, request),
    takeIn: (request) => takeIn(settings, request),
    bring: async (request, candidate) => {
      const outcome = await inCheckout(top, locks, (checkout) => bringBranch(checkout, settings, request, candidate));
      return "code" in outcome ? notLanded(outcome) : outcome;
    },
    foreign: oneAtATime(async ({ fresh }) => {
      try {
        const mended = await takeMended(settings, fresh);
        const { all, tip, ...look } = await lookForChanges(settings, fresh);
        const saved =
          tip === null || all.length === 0
            ? null
            : await inCheckout(top, locks, (checkout) =>
                saveChanged(checkout, { records: settings.records, tip, paths: all }),
              );
        // A repository that cannot be written to now keeps nobody's attempt waiting.
        return { ...look, saved: typeof saved === "string" ? saved : null, mended };
      } catch (error) {
        // A disk that refuses is no reason to lose the attempt that has just ended.
        return { paths: [], total: 0, saved: null, unseen: refusalOf(error).text, mended: [] };
      }
    }),
    foresee: foresight(settings),
    reclaim: (request) => reclaim(settings, request),
    inUse: () => lookAt(top, async ({ git }) => [await worktreesInUse(folder), await savedRefsInUse(git)]),
  };
}

/** Each look tells what is new since the one before. */
function oneAtATime(look: Workspace["foreign"]): Workspace["foreign"] {
  let last: Promise<unknown> = Promise.resolve();
  return (options) => {
    const next = last.then(() => look(options));
    // What goes wrong is told to whoever asked; the next one only waits.
    last = next.catch(() => null);
    return next;
  };
}

function settingsOf(root: string, options: WorktreeOptions): WorktreeSettings {
  const dir = resolve(root);
  const top = findRepository(dir)?.top ?? dir;
  return {
    mode: "worktree",
    target: "lockstep/{plan}",
    base: null,
    copy: [],
    ...options,
    setup: options.setup ?? null,
    top,
    below: relative(top, dir),
    folder: join(resolve(options.stateDir), "worktrees"),
    records: join(resolve(options.stateDir), "repository"),
  };
}

async function inspect(
  checkout: Checkout,
  settings: WorktreeSettings,
  plan: string | undefined,
): Promise<Standing | WorkspaceRefusal> {
  const { git } = checkout;
  const tooOld = await oldGit(git, VERSION_MIN);
  if (tooOld !== null) return tooOld;
  const partial = settings.mode === "clone" ? await partialRepository(git) : null;
  if (partial !== null) return partial;
  const base = await baseBranch(checkout, settings);
  if (base === null) return unusable(await readHead(git)) ?? missingBase(base);
  const target = plan === undefined ? null : targetOf(settings, plan);
  const roots = (target ?? base).split("/").slice(0, 3).join("/");
  const refs = await readRefs(git, [base, roots, "refs/heads/lockstep-work"]);
  if (!refs.has(base)) return (settings.base === null ? unusable(await readHead(git)) : null) ?? missingBase(base);
  if (target === null) return { target, base };
  return (
    checkedOut(refs.get(target) ?? null, settings.folder) ?? inTheWay([...refs.keys()], target) ?? { target, base }
  );
}

/** Git keeps no branch `a/b` beside a branch `a`. */
function inTheWay(names: string[], target: string): WorkspaceRefusal | null {
  const wanted = [target, "refs/heads/lockstep-work/PLAN/TASK"];
  const other = names.find(
    (name) => name.startsWith(`${target}/`) || wanted.some((branch) => branch.startsWith(`${name}/`)),
  );
  if (other === undefined) return null;
  const text = `a branch ${shortName(other)} is in the way of ${shortName(target)}: rename it with \`git branch -m ${shortName(other)} OTHER\``;
  return { code: "branch_in_the_way", text };
}

async function pin(
  { git }: Checkout,
  { records }: WorktreeSettings,
  task: WorkspaceTask,
  commit: string,
): Promise<null> {
  recordRef(records, await keepAttempt(git, task, commit), commit);
  return null;
}

function notLanded(refusal: WorkspaceRefusal): LandOutcome {
  return { landed: false, reason: refusal.code === "busy" ? "busy" : "git", text: refusal.text };
}
