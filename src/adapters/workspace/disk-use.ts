import { readdir } from "node:fs/promises";
import { join } from "node:path";
import type { PlaceUse } from "../../ports/workspace-disk.ts";
import { isGone } from "./file-entry.ts";
import { folderBytes } from "./folder-bytes.ts";
import type { Git } from "./git.ts";
import { NOTE } from "./kept-worktree.ts";

/** The worktrees of the pool and those where candidates are checked, with all that lies beside them. */
export async function worktreesInUse(folder: string): Promise<PlaceUse> {
  const count = (await namesIn(folder)).filter((name) => NOTE.test(name)).length;
  return { kind: "worktree", count, bytes: await folderBytes(folder) };
}

/** Saved refs, and the objects that nothing but lockstep's refs has. */
export async function savedRefsInUse(git: Git): Promise<PlaceUse> {
  const listed = await git.text(["for-each-ref", "--format=x", "refs/lockstep/saved"]);
  const count = listed === "" ? 0 : listed.split("\n").length;
  if (count === 0) return { kind: "saved", count, bytes: 0 };
  const others = ["--not", "--branches", "--tags", "--remotes"];
  const counted = await git.run(["rev-list", "--objects", "--disk-usage", "--glob=refs/lockstep/saved", ...others]);
  return { kind: "saved", count, bytes: counted.code === 0 ? Number(counted.stdout.toString("utf8")) : null };
}

/** Copies of what attempts left in a plain directory: `saved/<plan>/<slug>/<n>`. */
export async function copiesInUse(stateDir: string): Promise<PlaceUse> {
  const top = join(stateDir, "saved");
  let count = 0;
  for (const plan of await namesIn(top))
    for (const slug of await namesIn(join(top, plan))) count += (await namesIn(join(top, plan, slug))).length;
  return { kind: "saved", count, bytes: await folderBytes(top) };
}

async function namesIn(folder: string): Promise<string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    if (isGone(error)) return [];
    throw error;
  }
}
