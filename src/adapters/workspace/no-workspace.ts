import { resolve } from "node:path";
import type { Workspace } from "../../ports/workspace.ts";
import { NO_BRANCH, NO_EVIDENCE, NO_POOL } from "./no-evidence.ts";

/** Mode `none`: the worker brings its own place. Checks run in the project's root; nothing is hashed, saved or landed. */
export function noWorkspace(root: string): Workspace {
  const dir = resolve(root);
  const opened = { dir, target: null, base: null, tree: null };
  return {
    inspect: async () => ({ target: null }),
    probe: async () => opened,
    opened: async () => null,
    occupied: async () => [],
    open: async () => opened,
    candidate: async () => ({ dir, target: null, tip: null, commit: null, tree: null, changed: [] }),
    sides: async () => null,
    land: async () => ({ landed: true }),
    holds: async () => false,
    save: async () => ({ saved: null }),
    pin: async () => null,
    ...NO_EVIDENCE,
    ...NO_BRANCH,
    ...NO_POOL,
  };
}
