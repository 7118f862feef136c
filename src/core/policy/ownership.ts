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
