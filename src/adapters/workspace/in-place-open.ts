import type { OpenedWorkspace, OpenOptions, WorkspaceRefusal, WorkspaceTask } from "../../ports/workspace.ts";
import type { Checkout } from "./checkout.ts";
import { type CheckoutState, notClean, readCheckout, unusable } from "./checkout-state.ts";
import { completeLanding } from "./complete-landing.ts";
import { commitTree } from "./engine-commit.ts";
import { commitAt } from "./head.ts";
import { type InPlaceRecord, readRecord, removeRecord, writeRecord } from "./in-place-record.ts";
import { saveInPlace } from "./in-place-save.ts";
import { keepSaved } from "./kept-refs.ts";
import { writeWhatCanBe } from "./work-tree.ts";

interface OpenRequest {
  /** Where the agent works: at or below the top of the checkout. */
  dir: string;
  task: WorkspaceTask;
  options: OpenOptions;
}

/** What `openInPlace` would answer, changing nothing. */
export async function probeInPlace(
  checkout: Checkout,
  request: OpenRequest,
): Promise<OpenedWorkspace | WorkspaceRefusal> {
  const state = await usableCheckout(checkout, request.options);
  if ("code" in state) return state;
  const record = readRecord(checkout.folder);
  const cutOff = record?.state === "landing" && record.commit === state.tip;
  const found = cutOff ? null : await recognise(checkout, state, request);
  return found !== null && "code" in found ? found : opened(checkout, request.dir, state);
}

/** Makes the checkout ready for an attempt, see `Workspace.open`. */
export async function openInPlace(
  checkout: Checkout,
  request: OpenRequest,
): Promise<OpenedWorkspace | WorkspaceRefusal> {
  const cutOff = await completeLanding(checkout);
  const saved = cutOff === null ? null : await saveInPlace(checkout, cutOff);
  if (saved !== null && "code" in saved) return saved;
  const state = await usableCheckout(checkout, request.options);
  if ("code" in state) return state;
  const found = await recognise(checkout, state, request);
  const refusal = found === null || "code" in found ? found : await clear(checkout, state, found.foreign);
  if (refusal !== null) return refusal;
  const ready = await opened(checkout, request.dir, state);
  const { plan, slug, n } = request.task;
  const attempt = { plan, slug, n, branch: ready.target, base: ready.base };
  writeRecord(checkout.folder, { state: "working", ...attempt, commit: null, tree: null, saved: null });
  return ready;
}

async function usableCheckout({ git }: Checkout, { target }: OpenOptions): Promise<CheckoutState | WorkspaceRefusal> {
  const state = await readCheckout(git);
  if ("code" in state) return state;
  const refusal = unusable(state);
  if (refusal !== null) return refusal;
  if (target === undefined || target === null || target === state.branch) return state;
  const [wanted, here] = [shortName(target), shortName(state.branch!)];
  const text = `the plan lands on ${wanted}, but ${here} is checked out: \`git switch ${wanted}\``;
  return { code: "wrong_branch", text };
}

/**
 * Whose the files are that the branch does not have: null when there are none or they are this task's to go on with;
 * `foreign` when another attempt left them, exactly as recorded; refused when anything of them is not lockstep's.
 */
export async function recognise(
  { git, place, folder }: Checkout,
  state: CheckoutState,
  { task, options }: OpenRequest,
): Promise<{ foreign: InPlaceRecord } | WorkspaceRefusal | null> {
  if (state.dirty.length === 0) return null;
  const record = readRecord(folder);
  if (record?.state !== "left" || record.branch !== state.branch) return notClean(state.dirty);
  const { tree } = await writeWhatCanBe(git, place, state.tip!);
  if (tree !== record.tree)
    return notClean(state.dirty, `the checkout has changes beside those that ${labelOf(record)} left`);
  return options.resume && record.plan === task.plan && record.slug === task.slug ? null : { foreign: record };
}

/** Takes what another attempt left out of the checkout, once it is certain that it is kept. */
export async function clear(
  { git, folder }: Checkout,
  state: CheckoutState,
  record: InPlaceRecord,
): Promise<WorkspaceRefusal | null> {
  if (record.saved !== null && (await commitAt(git, record.saved)) === null) {
    const message = `Saved work of ${labelOf(record)}`;
    await keepSaved(git, record, await commitTree(git, record.tree!, [record.base], message));
  }
  await git.text(["reset", "--hard", "--quiet", state.tip!]);
  await git.text(["clean", "-d", "--force", "--quiet"]);
  removeRecord(folder);
  const cleared = await readCheckout(git);
  if ("code" in cleared) return cleared;
  return cleared.dirty.length === 0
    ? null
    : notClean(cleared.dirty, `what ${labelOf(record)} left cannot be cleared away`);
}

async function opened(
  { git }: Checkout,
  dir: string,
  state: CheckoutState,
): Promise<OpenedWorkspace & { target: string; base: string }> {
  const base = state.tip!;
  return { dir, target: state.branch!, base, tree: await git.text(["rev-parse", `${base}^{tree}`]) };
}

function labelOf(record: InPlaceRecord): string {
  return `${record.plan}/${record.slug}#${record.n}`;
}

function shortName(ref: string): string {
  return ref.replace(/^refs\/heads\//, "");
}
