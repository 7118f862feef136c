import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Git } from "./git.ts";

/**
 * Git whose new objects go into a folder of their own, which is gone afterwards: the repository is not written to. `within`
 * has another git of the same repository share that folder; `folder` takes files that are wanted as long.
 */
export async function withScratchObjects<T>(
  git: Git,
  use: (scratch: Git, within: (other: Git) => Git, folder: string) => Promise<T>,
): Promise<T> {
  const objects = mkdtempSync(join(tmpdir(), "lockstep-objects-"));
  try {
    const real = await git.text(["rev-parse", "--path-format=absolute", "--git-path", "objects"]);
    const env = { GIT_OBJECT_DIRECTORY: objects, GIT_ALTERNATE_OBJECT_DIRECTORIES: real };
    const within = (other: Git): Git => scratchGit(other, env);
    return await use(within(git), within, objects);
  } finally {
    rmSync(objects, { recursive: true, force: true });
  }
}

function scratchGit(git: Git, env: Record<string, string>): Git {
  const add = (options: Parameters<Git["run"]>[1]) => ({ ...options, env: { ...options?.env, ...env } });
  return {
    run: (args, options) => git.run(args, add(options)),
    text: (args, options) => git.text(args, add(options)),
    items: (args, options) => git.items(args, add(options)),
  };
}
