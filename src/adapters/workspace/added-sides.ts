import { lstatSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Candidate, CandidateSides, FileSides, SidesRequest } from "../../ports/workspace.ts";
import { isClosed, isGone } from "./file-entry.ts";
import { SIDE_BYTES_MAX, SIDES_BYTES_MAX, textOf } from "./side-text.ts";

/** The added files of a plain directory: of the others nobody keeps what they held before. */
export function addedSides(dir: string, { changed }: Candidate, { paths }: SidesRequest): CandidateSides {
  const added = new Set(changed.filter(({ status }) => status === "added").map(({ path }) => path));
  let left = SIDES_BYTES_MAX;
  const files = paths
    .filter((path) => added.has(path))
    .map((path): FileSides => {
      const bytes = readBounded(join(dir, path), left);
      left -= typeof bytes === "string" ? 0 : bytes.length;
      const after = typeof bytes === "string" ? null : textOf(bytes);
      const modes = { mode_before: null, mode_after: null };
      return { path, old_path: null, kind: "added", before: null, after, ...modes, too_large: bytes === "too large" };
    });
  return { files, tip: new Map() };
}

function readBounded(file: string, left: number): Buffer | "too large" | "no file" {
  try {
    const stat = lstatSync(file);
    if (!stat.isFile()) return "no file";
    return stat.size > Math.min(SIDE_BYTES_MAX, left) ? "too large" : readFileSync(file);
  } catch (error) {
    // Checks may have removed it since, and a name that is no UTF-8 is not found by its text.
    if (isGone(error) || isClosed(error)) return "no file";
    throw error;
  }
}
