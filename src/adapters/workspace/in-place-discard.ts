import type { Saved, WorkspaceRefusal, WorkspaceTask } from "../../ports/workspace.ts";
import type { Checkout } from "./checkout.ts";
import { readCheckout } from "./checkout-state.ts";
import { newest } from "./git-evidence.ts";
import { clear, recognise } from "./in-place-open.ts";
import { type InPlaceRecord, readRecord } from "./in-place-record.ts";
import { saveInPlace } from "./in-place-save.ts";
import { savedRefs } from "./kept-refs.ts";
import { readRefs } from "./read-refs.ts";

/**
 * See `Workspace.discard`. The checkout is put back only where all that differs in it is this task's, exactly as it was
 * kept; whatever else is there stays as it is.
 */
export async function discardInPlace(
  checkout: Checkout,
  dir: string,
  task: WorkspaceTask,
): Promise<Saved | WorkspaceRefusal> {
  const before = readRecord(checkout.folder);
  const kept =
    before !== null && before.state !== "left" && isOf(before, task) ? await saveInPlace(checkout, task) : null;
  if (kept !== null && "code" in kept) return kept;
  const record = readRecord(checkout.folder);
  const refusal = record?.state === "left" && isOf(record, task) ? await putBackFiles(checkout, dir, task) : null;
  if (refusal !== null) return refusal;
  const refs = await readRefs(checkout.git, [savedRefs(task)]);
  return { saved: newest([...refs.values()])?.name ?? null };
}

function isOf(record: InPlaceRecord, task: WorkspaceTask): boolean {
  return record.plan === task.plan && record.slug === task.slug;
}

async function putBackFiles(checkout: Checkout, dir: string, task: WorkspaceTask): Promise<WorkspaceRefusal | null> {
  const state = await readCheckout(checkout.git, { refresh: true });
  if ("code" in state) return state;
  const found = await recognise(checkout, state, { dir, task, options: { resume: false } });
  if (found === null || "code" in found) return found;
  return clear(checkout, state, found.foreign);
}
