import { fileBlobs } from "../adapters/blobs/file-blobs.ts";
import { systemIds } from "../adapters/clock/system-ids.ts";
import { localProcesses } from "../adapters/processes/local-processes.ts";
import { inPlaceDirectory } from "../adapters/workspace/in-place-directory.ts";
import { inPlaceRepository } from "../adapters/workspace/in-place-repository.ts";
import { noWorkspace } from "../adapters/workspace/no-workspace.ts";
import { worktreeWorkspace } from "../adapters/workspace/worktree.ts";
import type { ProjectConfig } from "../config/config.ts";
import { invariant } from "../core/assert.ts";
import { hasOwnBranch } from "../core/plan/definition.ts";
import type { Workspace } from "../ports/workspace.ts";
import { childEnv } from "./child-env.ts";
import type { OpenProject } from "./project.ts";

/**
 * The place where attempts work. Modes that come later were refused when the configuration was read. `stateDir` is a folder
 * of this project alone.
 */
export function workspaceFor(
  { place, stateDir, locks }: Pick<OpenProject, "place" | "stateDir" | "locks">,
  config: ProjectConfig,
  env: NodeJS.ProcessEnv,
): Workspace {
  const { mode } = config.workspace;
  if (mode === "none") return noWorkspace(place.root);
  if (hasOwnBranch(mode)) return worktrees({ place, stateDir, locks }, config, env, mode);
  invariant(mode === "in_place", `workspace mode ${mode} was let through`);
  if (place.repository) return inPlaceRepository(place.root, { locks });
  return inPlaceDirectory(place.root, { stateDir });
}

/** A preparing command that takes longer hangs. */
const SETUP_TIMEOUT_MS = 30 * 60_000;

function worktrees(
  { place, stateDir, locks }: Pick<OpenProject, "place" | "stateDir" | "locks">,
  { workspace, land, jobs }: ProjectConfig,
  env: NodeJS.ProcessEnv,
  mode: "worktree" | "clone",
): Workspace {
  const blobs = fileBlobs(stateDir);
  const ids = systemIds();
  const logFile = (): Promise<string> => {
    const id = ids.next();
    return blobs.path(`setup/${id.slice(-2)}/${id}.log`);
  };
  return worktreeWorkspace(place.root, {
    mode,
    locks,
    stateDir,
    processes: localProcesses(),
    slots: jobs,
    landMode: land.mode === "squash" ? "squash" : "merge",
    target: land.target,
    copy: workspace.copy,
    setup: { commands: workspace.setup, timeoutMs: SETUP_TIMEOUT_MS, env: childEnv(env), logFile },
    ...(land.base === null ? {} : { base: land.base }),
  });
}
