/** The engine's ports, as one process of the simulation has them. */

import type { EngineContext } from "../src/engine/context.ts";
import type { ProcessKind } from "./machines.ts";
import type { Fate } from "./mortal.ts";
import { Mortal } from "./mortal.ts";
import type { Oracles } from "./oracles.ts";
import { AGENTS } from "./plans.ts";
import { processesFor } from "./processes-for.ts";
import { runnersFor } from "./spools.ts";
import { storeFor } from "./store-for.ts";
import { workspaceFor } from "./workspace-for.ts";
import type { World } from "./world.ts";

/** What every process shares beside the world itself. */
export interface Play {
  world: World;
  oracles: Oracles;
  /** Asked before each write to the store: true makes it fail. */
  storeFails(who: Mortal): boolean;
  /** Asked before each work of git. */
  gitDies(what: string): boolean;
}

export interface Acting {
  mortal: Mortal;
  context: EngineContext;
}

export function actAs(
  play: Play,
  { node, kind, name, fate = null }: { node: string; kind: ProcessKind; name: string; fate?: Fate | null },
): Acting {
  const { world, oracles } = play;
  const mortal = new Mortal(world, { node, kind, name, fate });
  const context: EngineContext = {
    store: storeFor(mortal, oracles, () => play.storeFails(mortal)),
    clock: mortal.clock(),
    ids: { next: () => world.id() },
    processes: processesFor(mortal, oracles),
    blobs: blobs(),
    workspace: workspaceFor(mortal, oracles, play.gitDies),
    settings: world.setting.engine,
    project: { id: world.project, root: "/project" },
    actor: name,
    env: {},
    freeSpace: () => ({ bytes: world.freeBytes, at: "/project" }),
    runners: runnersFor(mortal, oracles, AGENTS),
  };
  return { mortal, context };
}

function blobs(): EngineContext["blobs"] {
  return {
    path: async (name) => `/blobs/${name}`,
    find: async () => null,
    end: async () => null,
    write: async (name) => `/blobs/${name}`,
    list: async function* () {},
    remove: async () => {},
  };
}
