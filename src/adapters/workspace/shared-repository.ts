import { rmSync } from "node:fs";
import { join } from "node:path";
import type { WorkspaceRefusal } from "../../ports/workspace.ts";
import { type Checkout, inCheckout, lookAt } from "./checkout.ts";
import { readJson, writeJson } from "./json-file.ts";
import { movedBranches } from "./shared-branches.ts";
import { forgetDeletedRefs, mendRefs, refsMissing } from "./shared-refs.ts";
import { keepSettings, mendSettings, settingsChanged } from "./shared-settings.ts";
import { findTargets, knownTargets, mendTargets, movedTargets } from "./shared-targets.ts";
import type { WorktreeSettings } from "./worktree-settings.ts";
import { takenSlots } from "./worktree-slots.ts";

/** Sentences that wait to be told; whoever makes more has been told of often enough. */
const MENDED_MAX = 200;

/**
 * Puts right what agents did to the repository that all attempts share, or notes it as the user's own while nobody is at
 * work. Call it before anything is read from there that an agent may have changed, while holding the repository's lock.
 */
export async function guardRepository(checkout: Checkout, settings: WorktreeSettings): Promise<void> {
  const { git, place } = checkout;
  const { folder, records } = settings;
  if (takenSlots(folder).length === 0) {
    await keepSettings(place.common_dir, settings);
    return tell(records, await mendTargets(checkout, settings));
  }
  if (!needsMending(checkout, settings)) return;
  // Settings first: git is to run nothing of an agent's while it mends the rest.
  const mended = settingsChanged(place.common_dir, settings) ? await mendSettings(place.common_dir, settings) : [];
  mended.push(...(await mendTargets(checkout, settings)));
  mended.push(...(await mendRefs(git, place.common_dir, records)));
  tell(records, mended);
}

/** The same for who does not hold the lock: it is only taken when something has to be put right. */
export async function guardShared(settings: WorktreeSettings): Promise<WorkspaceRefusal | null> {
  const isNeeded = await lookAt(settings.top, async (checkout) => needsMending(checkout, settings));
  if (typeof isNeeded !== "boolean") return isNeeded;
  if (!isNeeded) return null;
  return inCheckout<WorkspaceRefusal | null>(settings.top, settings.locks, async (locked) => {
    await guardRepository(locked, settings);
    return null;
  });
}

/**
 * What has been put right since this was asked last. `fresh`: a run begins, no attempt is at work, and nothing is told
 * but later that a target had to be put back.
 */
export async function takeMended(settings: WorktreeSettings, fresh: boolean): Promise<string[]> {
  const { folder, records } = settings;
  if (fresh) {
    rmSync(fileIn(records), { force: true });
    await inCheckout(settings.top, settings.locks, async (checkout) => {
      if (takenSlots(folder).length === 0) await forgetDeletedRefs(checkout.git, records);
      await findTargets(checkout, settings);
      tell(records, await mendTargets(checkout, settings));
      await movedBranches(checkout.git, settings, knownTargets(settings));
    });
    return [];
  }
  await guardShared(settings);
  const moved = await lookAt(settings.top, ({ git }) => movedBranches(git, settings, knownTargets(settings)));
  const mended = [...readMended(records), ...("code" in moved ? [] : moved)];
  if (mended.length > 0) rmSync(fileIn(records), { force: true });
  return mended;
}

function needsMending(checkout: Checkout, settings: WorktreeSettings): boolean {
  const { common_dir } = checkout.place;
  return (
    settingsChanged(common_dir, settings) ||
    movedTargets(checkout, settings).length > 0 ||
    refsMissing(common_dir, settings.records)
  );
}

function tell(records: string, mended: string[]): void {
  if (mended.length > 0) writeJson(fileIn(records), [...readMended(records), ...mended].slice(0, MENDED_MAX));
}

function readMended(records: string): string[] {
  return (readJson(fileIn(records)) as string[] | null) ?? [];
}

function fileIn(records: string): string {
  return join(records, "mended.json");
}
