/** What lockstep takes of the disk, in words. */

import { type DiskUse, totalBytes } from "../engine/disk-use.ts";

const UNITS = ["bytes", "KB", "MB", "GB", "TB"] as const;

/** In powers of 1024, as the configuration reads them. */
export function sizeText(bytes: number): string {
  const power = bytes === 0 ? 0 : Math.min(Math.floor(Math.log2(bytes) / 10), UNITS.length - 1);
  const size = bytes / 1024 ** power;
  return `${power === 0 ? size : size.toFixed(1)} ${UNITS[power]}`;
}

const NAMES: Record<DiskUse["kind"], [one: string, several: string]> = {
  worktree: ["worktree", "worktrees"],
  saved: ["piece of saved work", "pieces of saved work"],
  attempts: ["output of an attempt", "outputs of attempts"],
  checks: ["output of a check", "outputs of checks"],
  homes: ["home", "homes"],
  temporary: ["temporary file", "temporary files"],
};

/** `1.2 GB (2 worktrees 1.1 GB, 1 home 3.0 MB)`; what there is none of is left out. */
export function diskText(use: readonly DiskUse[]): string {
  const parts = use
    .filter(({ count }) => count > 0)
    .map(({ kind, count, bytes }) => {
      const [one, several] = NAMES[kind];
      return `${count} ${count === 1 ? one : several} ${bytes === null ? "of unknown size" : sizeText(bytes)}`;
    });
  return `${sizeText(totalBytes(use))}${parts.length === 0 ? "" : ` (${parts.join(", ")})`}`;
}
