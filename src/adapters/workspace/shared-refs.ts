import { appendFileSync, existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Git } from "./git.ts";
import { lastBytes } from "./last-bytes.ts";

/** The newest of them tell whether somebody deletes such refs; only then all are looked at. */
const TAIL_BYTES = 2_048;

/** Names of refs in one call of git. */
const BATCH = 1_000;

/** Adds a ref of lockstep's own to the record that it is put back from: `<records>/refs.log`, one line for each. */
export function recordRef(records: string, ref: string, commit: string): void {
  mkdirSync(records, { recursive: true, mode: 0o700 });
  appendFileSync(join(records, "refs.log"), `${ref} ${commit}\n`, { mode: 0o600 });
}

/** Whether one of the newest is gone; says so at times when git has only packed them. */
export function refsMissing(commonDir: string, records: string): boolean {
  return newestOf(records).some(([ref]) => statSync(join(commonDir, ref), { throwIfNoEntry: false }) === undefined);
}

/** What is gone now was deleted by a person, when no attempt was at work: it is not put back later. */
export async function forgetDeletedRefs(git: Git, records: string): Promise<void> {
  const all = recordedRefs(records);
  if (all.length === 0) return;
  const present = await presentRefs(git);
  const kept = all.filter(([ref]) => present.has(ref));
  if (kept.length < all.length)
    writeFileSync(join(records, "refs.log"), kept.map((entry) => `${entry.join(" ")}\n`).join(""), { mode: 0o600 });
}

/** Puts back each ref that is gone though its commit is not. Gives at most one sentence. */
export async function mendRefs(git: Git, commonDir: string, records: string): Promise<string[]> {
  if (!refsMissing(commonDir, records)) return [];
  const newest = newestOf(records).map(([ref]) => ref);
  if ((await presentRefs(git, newest)).size === newest.length) return [];
  const present = await presentRefs(git);
  const gone = recordedRefs(records).filter(([ref]) => !present.has(ref));
  if (gone.length === 0) return [];
  let back = 0;
  for (let at = 0; at < gone.length; at += BATCH) back += await create(git, gone.slice(at, at + BATCH));
  const lost = gone.length - back;
  const rest = lost === 0 ? "" : `; of ${lost} the commit is gone too`;
  const what =
    gone.length === 1
      ? "a ref below refs/lockstep was deleted"
      : `${gone.length} refs below refs/lockstep were deleted`;
  return [`${what}: ${back} of them ${back === 1 ? "is" : "are"} there again${rest}`];
}

async function create(git: Git, refs: [string, string][]): Promise<number> {
  const input = refs.map(([, commit]) => `${commit}\n`).join("");
  const known = (await git.text(["cat-file", "--batch-check=%(objecttype)"], { input })).split("\n");
  const back = refs.filter((_, index) => known[index] === "commit");
  const lines = back.map(([ref, commit]) => `update ${ref} ${commit}\n`).join("");
  await git.text(["update-ref", "--stdin"], { input: lines });
  return back.length;
}

async function presentRefs(git: Git, names: string[] = ["refs/lockstep/"]): Promise<Set<string>> {
  return new Set(await git.items(["for-each-ref", "--format=%(refname)%00", ...names]));
}

/** Ref and commit of each, as it was recorded last. */
export function recordedRefs(records: string): [string, string][] {
  const file = join(records, "refs.log");
  return existsSync(file) ? entriesOf(readFileSync(file, "utf8")) : [];
}

/** Without the first line, which may not be whole. */
function newestOf(records: string): [string, string][] {
  const text = lastBytes(join(records, "refs.log"), TAIL_BYTES);
  return entriesOf(text.length < TAIL_BYTES ? text : text.slice(text.indexOf("\n") + 1));
}

/** Ref and commit, each ref once, as it was recorded last. */
function entriesOf(text: string): [string, string][] {
  const entries = text.split("\n").map((line) => line.split(" "));
  return [...new Map(entries.filter((parts) => parts.length === 2) as [string, string][])];
}
