import { join } from "node:path";
import type { OpenedWorkspace, OpenOptions, WorkspaceRefusal, WorkspaceTask } from "../../ports/workspace.ts";
import { readable } from "./byte-paths.ts";
import { type Checkout, inCheckout } from "./checkout.ts";
import { finishClone, placeClone, withoutClone } from "./clone-place.ts";
import { againIfKilled, refusalOf } from "./git.ts";
import { keepSaved, NO_COMMIT } from "./kept-refs.ts";
import { type KeptWorktree, noteOf, writeNote } from "./kept-worktree.ts";
import { guardRepository } from "./shared-repository.ts";
import { keepTarget } from "./shared-targets.ts";
import { mergedConflicts, mergeInto } from "./worktree-conflicts.ts";
import { copyFiles } from "./worktree-copies.ts";
import { chooseSlot, hasFreeSlot } from "./worktree-pool.ts";
import { resetToBranch } from "./worktree-reset.ts";
import { closeSlot } from "./worktree-save.ts";
import { shortName, type WorktreeSettings, workRef } from "./worktree-settings.ts";
import { endOldSetup, setUp } from "./worktree-setup.ts";
import { isOfTask, type SlotMarker, slotOf, takenSlots, takeSlot } from "./worktree-slots.ts";
import { findStart, type Start } from "./worktree-start.ts";

/** What `openWorktree` would answer, changing nothing. */
export async function probeWorktree(
  checkout: Checkout,
  settings: WorktreeSettings,
  task: WorkspaceTask,
  options: OpenOptions,
): Promise<OpenedWorkspace | WorkspaceRefusal> {
  const own = takenSlots(settings.folder).find(({ marker }) => isOfTask(marker, task));
  if (own !== undefined && own.marker.n === task.n && own.marker.state === "ready")
    return answer(settings, own.slot, own.marker);
  const start = await findStart(checkout, settings, task, options);
  if ("code" in start) return start;
  const slot = own?.slot ?? hasFreeSlot(settings);
  if (typeof slot !== "string") return slot;
  const { target, base, base_tree } = start;
  return answer(settings, slot, { target, base, base_tree, conflicts: [] });
}

/** Gives an attempt a worktree of its own, its files as the work starts from them, see `Workspace.open`. */
export async function openWorktree(
  settings: WorktreeSettings,
  task: WorkspaceTask,
  options: OpenOptions,
): Promise<OpenedWorkspace | WorkspaceRefusal> {
  const taken = await inCheckout(settings.top, settings.locks, (checkout) => take(checkout, settings, task, options));
  if ("code" in taken || "dir" in taken) return taken;
  let ready: SlotMarker | WorkspaceRefusal | null = null;
  try {
    ready = await againIfKilled(() => prepare(settings, task, taken, options)).catch(refusalOf);
  } finally {
    // Whatever hindered it, nothing of the attempt has run: the slot is handed back.
    if (ready === null || "code" in ready)
      await inCheckout(settings.top, settings.locks, (checkout) => closeSlot(checkout, settings, taken));
  }
  if ("code" in ready) return ready;
  takeSlot(settings.folder, taken.slot, ready);
  return answer(settings, taken.slot, ready);
}

interface Taken {
  slot: string;
  marker: SlotMarker;
  worktree: KeptWorktree;
  start: Start;
}

/** What has to be done while no other process works on the repository. */
async function take(
  checkout: Checkout,
  settings: WorktreeSettings,
  task: WorkspaceTask,
  options: OpenOptions,
): Promise<Taken | OpenedWorkspace | WorkspaceRefusal> {
  const { folder, processes } = settings;
  const again = slotOf(folder, task);
  if (again?.marker.state === "ready") return answer(settings, again.slot, again.marker);
  await guardRepository(checkout, settings);
  const over = takenSlots(folder).find(({ marker }) => isOfTask(marker, task));
  const refused = over === undefined ? null : await closeSlot(checkout, settings, over);
  if (refused !== null && "code" in refused) return refused;
  const start = await findStart(checkout, settings, task, options);
  if ("code" in start) return start;
  const slot = await chooseSlot(checkout, settings, task, start.files);
  if ("code" in slot) return slot;
  if (!start.exists) await checkout.git.text(["update-ref", start.target, start.tip, NO_COMMIT]);
  if (start.work !== null && !start.kept && start.files !== start.work.commit)
    await keepSaved(checkout.git, { ...task, n: Math.max(1, task.n - 1) }, start.work.commit);
  const { target, base, base_tree, head } = start;
  const { plan, slug, n } = task;
  const marker: SlotMarker = {
    ...{ plan, slug, n, state: "preparing", holder: processes.self(), target, base, base_tree, start: head },
    ...{ work: start.work?.commit ?? null, conflicts: [], copied: [] },
  };
  takeSlot(folder, slot.worktree.name, marker);
  keepTarget(settings, target, start.tip);
  return { slot: slot.worktree.name, marker, worktree: slot.worktree, start };
}

/** What only concerns the worktree: other attempts may be opened meanwhile. */
async function prepare(
  settings: WorktreeSettings,
  task: WorkspaceTask,
  { worktree: kept, marker, start }: Taken,
  options: OpenOptions,
): Promise<SlotMarker | WorkspaceRefusal> {
  await endOldSetup(settings, kept.name);
  const branch = workRef(task);
  const worktree = withoutClone(settings, kept, start.files);
  const tracked = await resetToBranch(worktree, shortName(branch), start.files);
  await placeClone(settings, worktree, marker);
  const note = noteOf(settings.folder, worktree.name)!;
  writeNote(settings.folder, worktree.name, { ...note, last: `${task.plan}/${task.slug}` });
  const copied = await copyFiles(settings, worktree, tracked);
  if ("code" in copied) return copied;
  const refusal = await setUp(settings, task, worktree, tracked, options);
  if (refusal !== null) return refusal;
  // The engine's own commit is taken off the branch, its content stays: the agent finds the earlier work uncommitted.
  if (start.head !== start.files) await worktree.git.text(["update-ref", branch, start.head, start.files]);
  const isResumed = start.files !== start.tip;
  const conflicts = isResumed ? await mergedConflicts(worktree, start.work) : [];
  if (isResumed && options.merge_target === true)
    conflicts.push(...(await mergeInto(worktree, shortName(start.target))));
  await finishClone(settings, worktree, marker);
  return { ...marker, state: "ready", conflicts, copied };
}

function answer(
  { folder, below }: WorktreeSettings,
  slot: string,
  { target, base, base_tree, conflicts }: Pick<SlotMarker, "target" | "base" | "base_tree" | "conflicts">,
): OpenedWorkspace {
  const opened = { dir: join(folder, slot, below), target, base, tree: base_tree };
  return conflicts.length === 0 ? opened : { ...opened, conflicts: conflicts.map(({ path }) => readable(path)) };
}
