/** What lockstep takes of the disk, and whether enough is left for work to start. */

import { ProjectUnusable } from "../../compose.ts";
import { diskUse, totalBytes } from "../../engine/disk-use.ts";
import { StoreUnavailable } from "../../ports/store.ts";
import type { Call } from "../command.ts";
import { sizeText } from "../disk-text.ts";
import type { Examination } from "./examination.ts";
import { fine, wrong } from "./examination.ts";

const FIX =
  "`lockstep gc` frees what has landed, or is old; `limits: {disk_floor: SIZE}` in lockstep.yaml asks for less.";

/** Nothing where the project or its store cannot be used, which is told of them. */
export async function examineDisk({ session }: Call): Promise<Examination[]> {
  const context = await session.context().catch((error: unknown) => {
    if (error instanceof ProjectUnusable || error instanceof StoreUnavailable) return null;
    throw error;
  });
  if (context === null) return [];
  const use = await diskUse(context);
  // What is wrong with the workspace is told with the project.
  const taken =
    "code" in use ? [] : [fine("disk, taken", `${sizeText(totalBytes(use))}; \`lockstep gc\` says of what`)];
  const free = context.freeSpace();
  if (free === null) return taken;
  const { diskFloorBytes } = context.settings;
  const found = `${sizeText(free.bytes)} at ${free.at}`;
  if (free.bytes >= diskFloorBytes) return [...taken, fine("disk, free", found)];
  const message = `nothing starts: ${found} is free, and at least ${sizeText(diskFloorBytes)} is asked for`;
  return [...taken, wrong("disk, free", "disk", message, FIX)];
}
