import { inPlaceDirectory } from "../adapters/workspace/in-place-directory.ts";
import { inPlaceRepository } from "../adapters/workspace/in-place-repository.ts";
import { noWorkspace } from "../adapters/workspace/no-workspace.ts";
import { invariant } from "../core/assert.ts";
import type { WorkspaceMode } from "../core/plan/definition.ts";
import type { Workspace } from "../ports/workspace.ts";
import type { OpenProject } from "./project.ts";

/**
 * The place where attempts work. Modes that come later were refused when the configuration was read. `stateDir` is a folder
 * of this project alone.
 */
export function workspaceFor(
  { place, stateDir, locks }: Pick<OpenProject, "place" | "stateDir" | "locks">,
  mode: WorkspaceMode,
): Workspace {
  if (mode === "none") return noWorkspace(place.root);
  invariant(mode === "in_place", `workspace mode ${mode} was let through`);
  if (place.repository) return inPlaceRepository(place.root, { locks });
  return inPlaceDirectory(place.root, { stateDir });
}
