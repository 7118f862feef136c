import type { Saved, WorkspaceRefusal, WorkspaceTask } from "../../ports/workspace.ts";
import type { Checkout } from "./checkout.ts";
import { readCheckout, unusable } from "./checkout-state.ts";
import { completeLanding } from "./complete-landing.ts";
import { commitTree } from "./engine-commit.ts";
import { readRecord, removeRecord, writeRecord } from "./in-place-record.ts";
import { keepSaved } from "./kept-refs.ts";
import { putBack } from "./put-back.ts";
import { writeWhatCanBe } from "./work-tree.ts";

/** Keeps what is uncommitted at a saved ref and records it as this task's. Files, index and target stay. */
export async function saveInPlace(checkout: Checkout, task: WorkspaceTask): Promise<Saved | WorkspaceRefusal> {
  const { git, place, folder } = checkout;
  const record = readRecord(folder);
  if (record?.state === "working") await putBack(checkout, record);
  await completeLanding(checkout);
  const state = await readCheckout(git, { refresh: true });
  if ("code" in state) return state;
  const refusal = unusable(state);
  if (refusal !== null) return refusal;
  if (state.dirty.length === 0) {
    removeRecord(folder);
    return { saved: null };
  }
  const branch = state.branch!;
  const base = state.tip!;
  const { tree, changes } = await writeWhatCanBe(git, place, base);
  const staged = await stagedTree(checkout, [tree, await git.text(["rev-parse", `${base}^{tree}`])]);
  const saved = changes.length === 0 && staged === null ? null : await keep(checkout, task, { tree, base, staged });
  const { plan, slug, n } = task;
  writeRecord(folder, { state: "left", branch, base, plan, slug, n, commit: null, tree, saved });
  return { saved };
}

/** As `git stash` does it: what is staged and stands nowhere else becomes a second parent. */
async function keep(
  { git }: Checkout,
  task: WorkspaceTask,
  { tree, base, staged }: { tree: string; base: string; staged: string | null },
): Promise<string> {
  const label = `${task.plan}/${task.slug}#${task.n}`;
  const parents = staged === null ? [base] : [base, await commitTree(git, staged, [base], `Staged by ${label}`)];
  return keepSaved(git, task, await commitTree(git, tree, parents, `Saved work of ${label}`));
}

/** The index as a tree, or null when that tree is known, or the index is in the middle of a merge. */
async function stagedTree({ git }: Checkout, known: string[]): Promise<string | null> {
  const { code, stdout } = await git.run(["write-tree"]);
  const tree = stdout.toString("utf8").trim();
  return code !== 0 || known.includes(tree) ? null : tree;
}
