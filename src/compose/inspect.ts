/** Looks at parts of a project one by one, for `doctor`: nothing is opened that is not asked about. */

import type { Containment } from "../ports/processes.ts";
import type { StoreUnavailable } from "../ports/store.ts";
import type { WorkspaceRefusal } from "../ports/workspace.ts";
import type { Configuration } from "./configuration.ts";
import type { ProjectPlace } from "./find-project.ts";

/** Why the SQLite driver of this platform cannot be used, or null. */
export async function sqliteDriverProblem(): Promise<StoreUnavailable | null> {
  const { driverProblem } = await import("./sqlite.ts");
  return driverProblem();
}

/** What this machine gives against processes that an agent leaves behind. */
export async function containmentOfMachine(): Promise<Containment> {
  const { containmentHere } = await import("../adapters/processes/containment.ts");
  return containmentHere();
}

/** Why attempts cannot work in this place, or null. */
export async function inspectWorkspace(
  place: ProjectPlace,
  { config }: Configuration,
): Promise<WorkspaceRefusal | null> {
  const { sqliteLocks } = await import("./locks.ts");
  const { workspaceFor } = await import("./workspace.ts");
  const workspace = workspaceFor({ place, locks: sqliteLocks(), stateDir: place.home }, config, {});
  const standing = await workspace.inspect();
  return "code" in standing ? standing : null;
}
