/** Holds what an attempt changed against what its task owns. */

import { matchesGlob } from "../plan/overlap.ts";

/**
 * The changed paths that no glob of `filesOwned` matches, in their order. Owning nothing means that nothing is outside. A
 * glob that is not understood matches everything (see `matchesGlob`).
 */
export function outsideOf(filesOwned: readonly string[], paths: readonly string[]): string[] {
  if (filesOwned.length === 0) return [];
  return paths.filter((path) => !filesOwned.some((glob) => matchesGlob(glob, path)));
}

export interface ScopeBreaches {
  /** Changed, though no glob allows it. */
  outside: string[];
  /** Changed, though a glob denies it. */
  forbidden: string[];
}

/** Holds changed paths against a scope. What is denied is forbidden, whatever else allows it; no `allowed` allows everything. */
export function scopeBreaches(
  { allowed, denied }: { allowed: readonly string[]; denied: readonly string[] },
  paths: readonly string[],
): ScopeBreaches {
  const forbidden = paths.filter((path) => denied.some((glob) => matchesGlob(glob, path)));
  return { outside: outsideOf(allowed, paths).filter((path) => !forbidden.includes(path)), forbidden };
}
