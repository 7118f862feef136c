import { spawnSync } from "node:child_process";
import type { ProcessIdentity } from "../../ports/processes.ts";
import { killOne } from "./group.ts";
import { identify, isAlive } from "./identity.ts";

/** More than a machine has processes for; the list is cut there. */
const LIST_BYTES_MAX = 64 * 1024 * 1024;

/** What a process would leave behind: where there is no /proc, nothing else finds what left its process group. */
export function orphansOf(ancestor: number): ProcessIdentity[] {
  return process.platform === "linux" ? [] : descendantsOf(ancestor);
}

/** All that descends from a process now, as `ps` tells. To be asked before it ends: orphans are nobody's descendants. */
export function descendantsOf(ancestor: number): ProcessIdentity[] {
  const listed = spawnSync("ps", ["-axo", "pid=,ppid="], { encoding: "utf8", maxBuffer: LIST_BYTES_MAX });
  return descendantPids(listed.stdout ?? "", ancestor)
    .map(identify)
    .filter((identity) => identity !== null);
}

/** `list`: lines of a process id and its parent's. The nearest descendants first. */
export function descendantPids(list: string, ancestor: number): number[] {
  const children = new Map<number, number[]>();
  for (const line of list.split("\n")) {
    const [pid, parent] = line.trim().split(/\s+/).map(Number);
    if (pid === undefined || parent === undefined || Number.isNaN(parent)) continue;
    children.set(parent, [...(children.get(parent) ?? []), pid]);
  }
  const found = new Set<number>();
  const add = (pid: number): void => {
    for (const child of children.get(pid) ?? []) {
      if (child === ancestor || found.has(child)) continue;
      found.add(child);
      add(child);
    }
  };
  add(ancestor);
  return [...found];
}

/** Kills those of them that still live. */
export function killAll(identities: readonly ProcessIdentity[]): void {
  for (const identity of identities) if (isAlive(identity)) killOne(identity.pid);
}
