import { join } from "node:path";
import type { Place } from "./independent-prove.ts";

/** Of a lab, or of anything whose state directory is `<aside>/state`. */
interface Carried {
  root: string;
  aside: string;
  plan: { name: string };
  context: { project: { id: string } };
}

/** Where the second proof looks. */
export function placeOf({ root, aside, plan, context }: Carried): Place {
  const state = join(aside, "state/lockstep");
  const worktrees = join(state, "projects", context.project.id, "worktrees");
  return { root, store: join(state, "store.db"), blobs: join(state, "blobs"), worktrees, plan: plan.name };
}
