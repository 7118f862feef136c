import { createHash } from "node:crypto";
import { readdirSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import type { ProcessIdentity } from "../../ports/processes.ts";
import type { WorkspaceRefusal, WorkspaceTask } from "../../ports/workspace.ts";
import type { Checkout } from "./checkout.ts";
import { readJson, writeJson } from "./json-file.ts";
import { ensureWorktree, type KeptWorktree } from "./kept-worktree.ts";
import { labelOf, type WorktreeSettings } from "./worktree-settings.ts";

/** Who checks in a landing worktree: `<folder>/<name>.used.json`. */
interface LandingUse extends WorkspaceTask {
  holder: ProcessIdentity;
}

/** Characters of a hash that tell targets apart. */
const NAME_DIGITS = 12;

/**
 * The worktree that is kept for a target's candidates. While another attempt's checks may run there, in this process or
 * another that lives, a second one is taken. Call only while holding the repository's lock.
 */
export async function takeLanding(
  checkout: Checkout,
  { folder, processes, slots }: WorktreeSettings,
  { plan, slug, n }: WorkspaceTask,
  { target, commit }: { target: string; commit: string },
): Promise<KeptWorktree | WorkspaceRefusal> {
  const first = landingName(target);
  // Only attempts with a slot of their own come to a landing, beside one whose slot was given back.
  for (let number = 1; number <= slots + 1; number += 1) {
    const name = number === 1 ? first : `${first}-${number}`;
    const use = landingUser(folder, name);
    if (use !== null && labelOf(use) !== labelOf({ plan, slug, n }) && processes.alive(use.holder)) continue;
    // Should the machine go down, so does every holder.
    writeJson(useFile(folder, name), { plan, slug, n, holder: processes.self() }, { isDurable: false });
    return ensureWorktree(checkout, { folder, name, commit });
  }
  return {
    code: "no_slot",
    text: `${slots + 1} candidates for ${target} are being checked: wait until one of them is done`,
  };
}

/** What the first worktree is called that is kept for a target. */
export function landingName(target: string): string {
  return `landing-${createHash("sha256").update(target).digest("hex").slice(0, NAME_DIGITS)}`;
}

/** The attempt's checks are over: its landing worktree may be another's. */
export function freeLanding(folder: string, task: WorkspaceTask): void {
  for (const file of namesIn(folder)) {
    const name = /^(landing-.+)\.used\.json$/.exec(file)?.[1];
    const use = name === undefined ? null : landingUser(folder, name);
    if (name !== undefined && use !== null && labelOf(use) === labelOf(task))
      rmSync(useFile(folder, name), { force: true });
  }
}

function namesIn(folder: string): string[] {
  return statSync(folder, { throwIfNoEntry: false }) === undefined ? [] : readdirSync(folder);
}

/** Who checks in a landing worktree, or did last. */
export function landingUser(folder: string, name: string): LandingUse | null {
  return readJson(useFile(folder, name)) as LandingUse | null;
}

function useFile(folder: string, name: string): string {
  return join(folder, `${name}.used.json`);
}
