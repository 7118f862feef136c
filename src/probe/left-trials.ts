/** Trials whose lockstep was killed in the middle: nobody is left who would end what they started. */

import { randomUUID } from "node:crypto";
import { readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Processes, ProcessIdentity } from "../ports/processes.ts";

/** What the folder of each trial is called by. */
export const FOLDER = "lockstep-probe-";

/** In the folder: whose trial it is, and by which entry of their environment its processes are known. */
const OWNER = "owner.json";

interface Owner {
  owner: ProcessIdentity;
  mark: string;
}

/** Says whose trial a folder is, before anything of it starts. Gives the mark of all that it starts. */
export async function signTrial(folder: string, processes: Processes): Promise<string> {
  const mark = `LOCKSTEP_PROBE=${randomUUID()}`;
  const signed: Owner = { owner: processes.self(), mark };
  await writeFile(join(folder, OWNER), JSON.stringify(signed), { mode: 0o600 });
  return mark;
}

/** Ends and removes the trials of whoever is gone. */
export async function endLeftTrials(processes: Processes): Promise<void> {
  const names = await readdir(tmpdir());
  for (const name of names.filter((each) => each.startsWith(FOLDER))) {
    const folder = join(tmpdir(), name);
    const signed = await ownerOf(folder);
    if (signed === null || processes.alive(signed.owner)) continue;
    await processes.killBearers(signed.mark);
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** Null for one that was not signed yet, is another user's, or ends just now. */
async function ownerOf(folder: string): Promise<Owner | null> {
  try {
    return JSON.parse(await readFile(join(folder, OWNER), "utf8")) as Owner;
  } catch (error) {
    const isHalf = error instanceof SyntaxError;
    if (isHalf || ["ENOENT", "ENOTDIR", "EACCES"].includes((error as NodeJS.ErrnoException).code ?? "")) return null;
    throw error;
  }
}
