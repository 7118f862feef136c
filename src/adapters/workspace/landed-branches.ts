import { realpathSync, statSync } from "node:fs";
import { join } from "node:path";
import type { WorkspaceRefusal } from "../../ports/workspace.ts";
import type { Reclaimed, ReclaimRequest } from "../../ports/workspace-disk.ts";
import { type Checkout, inCheckout, lookAt } from "./checkout.ts";
import { type Git, GitFailure } from "./git.ts";
import { patchPresent } from "./patch-presence.ts";
import { type Ref, readRefs } from "./read-refs.ts";
import { shortName, type WorktreeSettings } from "./worktree-settings.ts";

const WORK = "refs/heads/lockstep-work/";

/** Frees the branches of work whose patch is proved to be on its target. `gone`: worktrees that are freed, by name. */
export async function reclaimBranches(
  settings: WorktreeSettings,
  { dry_run, landedOn }: ReclaimRequest,
  gone: readonly string[],
): Promise<Reclaimed | WorkspaceRefusal> {
  const found: Reclaimed = { freed: [], kept: [] };
  const refs = await lookAt(settings.top, ({ git }) => readRefs(git, [WORK]));
  if ("code" in refs) return refs;
  const freed = gone.map((name) => placeOf(settings, name));
  for (const ref of refs.values()) {
    const [plan = "", slug = ""] = ref.name.slice(WORK.length).split("/");
    const target = await landedOn(plan, slug);
    if (target === null) continue;
    const why = await lookAt(settings.top, ({ git }) => whyKept(git, ref, target, freed));
    if (why !== null && typeof why !== "string") return why;
    const isFreed = why === null && (dry_run || (await remove(settings, ref)));
    const name = shortName(ref.name);
    if (isFreed) found.freed.push({ kind: "branch", name, bytes: 0 });
    else found.kept.push({ kind: "branch", name, why: why ?? "it was moved meanwhile" });
  }
  return found;
}

/** As git names it: without the links that lead there. */
function placeOf({ folder }: WorktreeSettings, name: string): string {
  const exists = statSync(folder, { throwIfNoEntry: false }) !== undefined;
  return join(exists ? realpathSync(folder) : folder, name);
}

async function whyKept(git: Git, ref: Ref, target: string, freed: readonly string[]): Promise<string | null> {
  const { commit, checked_out } = ref;
  if (checked_out !== null && !freed.includes(checked_out)) return `it is checked out in ${checked_out}`;
  const { code, stdout, stderr } = await git.run(["merge-base", target, commit]);
  if (code > 1) return `${shortName(target)} cannot be read: ${stderr.trim()}`;
  const base = stdout.toString("utf8").trim();
  const isPresent = code === 0 && (await patchPresent(git, { target, commit, base }));
  return isPresent ? null : `not all of it is found on ${shortName(target)}`;
}

/** False when it is another commit's by now, or somebody has checked it out. */
async function remove({ top, locks }: WorktreeSettings, { name, commit }: Ref): Promise<boolean> {
  const removed = await inCheckout(top, locks, async ({ git }: Checkout) => {
    const now = (await readRefs(git, [name])).get(name);
    if (now?.commit !== commit || now.checked_out !== null) return false;
    await git.text(["update-ref", "-d", name, commit]);
    return true;
  });
  if (typeof removed !== "boolean") throw new GitFailure(removed.text);
  return removed;
}
