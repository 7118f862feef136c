import { lstatSync } from "node:fs";
import { join } from "node:path";
import type { Foreign } from "../../ports/workspace.ts";
import { type BytePath, bytesBelow, readable } from "./byte-paths.ts";
import { lookAt } from "./checkout.ts";
import { readCheckout } from "./checkout-state.ts";
import { readJson, writeJson } from "./json-file.ts";
import type { WorktreeSettings } from "./worktree-settings.ts";

/** Each attempt's end waits for the look. */
const LOOK_MS = 5_000;

/** Files that differ from HEAD in a checkout that somebody works in; where there are more, a look costs too much. */
const FILES_MAX = 10_000;

/** Files that are named; the rest is counted. */
const NAMED_MAX = 50;

/** How the user's checkout was when it was looked at last: `<records>/checkout.json`. */
interface Seen {
  tip: string | null;
  branch: string | null;
  /** Every file that differs from HEAD, a byte string, with what tells whether it is still the same. */
  files: [path: BytePath, stamp: string][];
}

/** It cannot be looked at, and that has been told. */
interface Unseen {
  unseen: string;
}

interface Look extends Pick<Foreign, "paths" | "total" | "unseen"> {
  /** All of them, byte strings, and the commit that they are changes of; null where there is none. */
  all: BytePath[];
  tip: string | null;
}

const NOTHING: Look = { paths: [], total: 0, unseen: null, all: [], tip: null };

/** What is new in the user's checkout since the last look, see `Workspace.foreign`. Nothing of it is touched. */
export async function lookForChanges(settings: WorktreeSettings, fresh: boolean): Promise<Look> {
  const file = join(settings.records, "checkout.json");
  const before = readJson(file) as Seen | Unseen | null;
  // Once is enough: what cannot be looked at now will not get better while agents are at work.
  if (!fresh && before !== null && "unseen" in before) return NOTHING;
  const now = await look(settings.top);
  writeJson(file, now, { isDurable: false });
  if ("unseen" in now) return { ...NOTHING, unseen: now.unseen };
  if (fresh || before === null || "unseen" in before) return NOTHING;
  const all = changedFiles(before, now);
  const changed = all.map(readable).sort();
  return { paths: changed.slice(0, NAMED_MAX), total: changed.length, unseen: null, all, tip: now.tip };
}

async function look(top: string): Promise<Seen | Unseen> {
  const state = await lookAt(top, ({ git }) => readCheckout(git, { limitMs: LOOK_MS }));
  if ("code" in state) return { unseen: state.text };
  const { tip, branch, dirty } = state;
  if (dirty.length > FILES_MAX) return { unseen: `more than ${FILES_MAX} files are changed in ${top}` };
  return { tip, branch, files: dirty.map((path) => [path, stampOf(top, path)]) };
}

function stampOf(top: string, path: BytePath): string {
  const stat = lstatSync(bytesBelow(top, path), { bigint: true, throwIfNoEntry: false });
  return stat === undefined ? "gone" : `${stat.ino} ${stat.size} ${stat.mtimeNs} ${stat.mode}`;
}

/** A file that is as in HEAD again was put back, unless HEAD is another: then it was committed, most likely. */
function changedFiles(before: Seen, now: Seen): BytePath[] {
  const [old, current] = [new Map(before.files), new Map(now.files)];
  const changed = [...current.keys()].filter((path) => old.get(path) !== current.get(path));
  const isSameHead = before.tip === now.tip && before.branch === now.branch;
  const putBack = isSameHead ? [...old.keys()].filter((path) => !current.has(path)) : [];
  return [...changed, ...putBack];
}
