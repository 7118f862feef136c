import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Git, gitWith } from "./git.ts";

/**
 * Git whose new objects go into a folder of their own, which is gone afterwards: the repository is not written to. `within`
 * has another git of the same repository share that folder; `folder` takes files that are wanted as long. `others`: folders
 * of objects that are read beside the repository's own.
 */
export async function withScratchObjects<T>(
  git: Git,
  use: (scratch: Git, within: (other: Git) => Git, folder: string) => Promise<T>,
  others: readonly string[] = [],
): Promise<T> {
  const objects = mkdtempSync(join(tmpdir(), "lockstep-objects-"));
  try {
    const real = await git.text(["rev-parse", "--path-format=absolute", "--git-path", "objects"]);
    const env = {
      GIT_OBJECT_DIRECTORY: objects,
      GIT_ALTERNATE_OBJECT_DIRECTORIES: [real, ...others].map(inList).join(":"),
    };
    const within = (other: Git): Git => gitWith(other, {}, env);
    return await use(within(git), within, objects);
  } finally {
    rmSync(objects, { recursive: true, force: true });
  }
}

/** As git reads a path in a list: it may hold a colon. */
export function inList(path: string): string {
  return `"${path.replace(/["\\]/g, "\\$&").replaceAll("\n", "\\n")}"`;
}
