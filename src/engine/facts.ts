/** Gathers what the gates look at: rows of the store, and the machine. */

import type { Facts, Space } from "../core/schedule/facts.ts";
import { CALM } from "../core/schedule/facts.ts";
import { drawsOn } from "../core/schedule/holds.ts";
import type { EngineContext } from "./context.ts";
import { capsFor } from "./context.ts";

/** `agent` is the one whose limits count; the workspace is judged by whoever opens it. */
export async function gatherFacts(context: EngineContext, plan: string, agent: string | null): Promise<Facts> {
  const { store, project, settings } = context;
  const rows = await store.gateRows(project.id, plan);
  const draws = new Map([...settings.draws].map(([name, each]) => [name, drawsOn(each)]));
  return { ...CALM, ...rows, caps: capsFor(context, agent), draws, disk: diskOf(context) };
}

/** What is free, against what is asked for; null when the machine does not tell. */
export function diskOf({ freeSpace, settings }: EngineContext): Space | null {
  const free = freeSpace();
  return free && { free_bytes: free.bytes, floor_bytes: settings.diskFloorBytes, at: free.at };
}
