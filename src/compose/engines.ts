/** The engines of a project that may be at work now. */

import { hostname } from "node:os";
import type { EngineRow, Store } from "../ports/store.ts";

/** Of another machine's engine nothing is known but its row; of this machine's those that died are left out. */
export async function livingEngines(store: Store, project: string): Promise<EngineRow[]> {
  const rows = await store.engines(project);
  if (rows.length === 0) return [];
  const { isAlive } = await import("../adapters/processes/identity.ts");
  return rows.filter((row) => row.node !== hostname() || isAlive(row));
}
