import { hasEntry } from "./mark.ts";
import { livingPids } from "./proc-files.ts";

/** How many processes were started with this entry (`NAME=value`) in their environment. Linux only; elsewhere none is seen. */
export function countBearers(entry: string): number {
  if (process.platform !== "linux") return 0;
  return livingPids().filter((pid) => pid !== process.pid && hasEntry(pid, entry)).length;
}
