import type { WorkspaceRefusal, WorkspaceTask } from "../../ports/workspace.ts";
import type { Checkout } from "./checkout.ts";
import { ensureWorktree, type KeptWorktree, noteOf } from "./kept-worktree.ts";
import { closeSlot } from "./worktree-save.ts";
import { labelOf, type WorktreeSettings } from "./worktree-settings.ts";
import { takenSlots } from "./worktree-slots.ts";

/** Attempts that a refusal names; the rest is counted. */
const NAMED_MAX = 5;

/** The slot that would be taken, or why none can be. */
export function hasFreeSlot(settings: WorktreeSettings): string | WorkspaceRefusal {
  return freeSlots(settings, "")[0] ?? noSlot(settings);
}

/** A worktree for a task: the one that it had last, if that is free; made when there is none. */
export async function chooseSlot(
  checkout: Checkout,
  settings: WorktreeSettings,
  task: WorkspaceTask,
  commit: string,
): Promise<{ worktree: KeptWorktree } | WorkspaceRefusal> {
  const { folder } = settings;
  await reclaim(checkout, settings);
  let refused: WorkspaceRefusal | null = null;
  for (const name of freeSlots(settings, `${task.plan}/${task.slug}`)) {
    const worktree = await ensureWorktree(checkout, { folder, name, commit });
    if (!("code" in worktree)) return { worktree };
    refused ??= worktree;
  }
  return refused ?? noSlot(settings);
}

/** Slots whose opening was cut off hold nobody's work. */
async function reclaim(checkout: Checkout, settings: WorktreeSettings): Promise<void> {
  for (const taken of takenSlots(settings.folder)) {
    const { state, holder } = taken.marker;
    if (state === "preparing" && !settings.processes.alive(holder)) await closeSlot(checkout, settings, taken);
  }
}

/** The task's last one first, then those that have a worktree, then the rest. */
function freeSlots({ folder, slots }: WorktreeSettings, last: string): string[] {
  const taken = new Set(takenSlots(folder).map(({ slot }) => slot));
  if (taken.size >= slots) return [];
  const rank = (slot: string): number => {
    const note = noteOf(folder, slot);
    if (note === null) return 2;
    return note.last === last ? 0 : 1;
  };
  return Array.from({ length: slots }, (_, index) => String(index + 1))
    .filter((slot) => !taken.has(slot))
    .sort((a, b) => rank(a) - rank(b));
}

function noSlot({ folder, slots }: WorktreeSettings): WorkspaceRefusal {
  const labels = takenSlots(folder).map(({ marker }) => labelOf(marker));
  const more = labels.length > NAMED_MAX ? ` and ${labels.length - NAMED_MAX} more` : "";
  const text = `all ${slots} worktrees are in use (${labels.slice(0, NAMED_MAX).join(", ")}${more}): wait until one of these ends`;
  return { code: "no_slot", text };
}
