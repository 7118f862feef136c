import { join } from "node:path";
import type { Git } from "./git.ts";
import { readJson, writeJson } from "./json-file.ts";
import type { WorktreeSettings } from "./worktree-settings.ts";

/** Where the user's own branches stood at the last look: `<records>/branches.json`. */
type Branches = Record<string, string>;

/**
 * What became of the user's own branches since the last look, one sentence each. A person may have done it, so nothing is
 * undone. `targets`: the branches that plans land on, which lockstep moves itself.
 */
export async function movedBranches(
  git: Git,
  { records }: Pick<WorktreeSettings, "records">,
  targets: ReadonlySet<string>,
): Promise<string[]> {
  const file = join(records, "branches.json");
  const before = readJson(file) as Branches | null;
  const now = await ownBranches(git, targets);
  if (JSON.stringify(before) !== JSON.stringify(now)) writeJson(file, now, { isDurable: false });
  return Object.entries(before ?? {}).flatMap(([name, from]) => {
    const to = now[name];
    if (to === from || targets.has(name)) return [];
    const undo = `\`git update-ref ${name} ${from.slice(0, 12)}\``;
    return to === undefined
      ? [`${name} was deleted: ${undo} makes it again`]
      : [`${name} was moved from ${from.slice(0, 12)} to ${to.slice(0, 12)}: ${undo} undoes it`];
  });
}

async function ownBranches(git: Git, targets: ReadonlySet<string>): Promise<Branches> {
  const listed = await git.text(["for-each-ref", "--format=%(refname) %(objectname)", "refs/heads/"]);
  const entries = listed.split("\n").map((line) => line.split(" ") as [string, string]);
  const isOwn = ([name]: [string, string]): boolean =>
    name !== "" && !name.startsWith("refs/heads/lockstep") && !targets.has(name);
  return Object.fromEntries(entries.filter(isOwn));
}
