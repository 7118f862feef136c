import { join } from "node:path";
import type { Scene } from "../fixtures/scene.ts";
import type { Place } from "./independent-prove.ts";

/** Where the second proof looks. */
export function placeOf({ root, aside, plan, context }: Pick<Scene, "root" | "aside" | "plan" | "context">): Place {
  const state = join(aside, "state/lockstep");
  const worktrees = join(state, "projects", context.project.id, "worktrees");
  return { root, store: join(state, "store.db"), blobs: join(state, "blobs"), worktrees, plan: plan.name };
}
