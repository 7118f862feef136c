import type { Candidate, CandidateRequest, WorkspaceRefusal } from "../../ports/workspace.ts";
import { readable } from "./byte-paths.ts";
import type { Checkout } from "./checkout.ts";
import { unusable } from "./checkout-state.ts";
import { commitTree } from "./engine-commit.ts";
import { readHead } from "./head.ts";
import { type InPlaceRecord, readRecord, writeRecord } from "./in-place-record.ts";
import { putBack } from "./put-back.ts";
import { changedFile, diffTrees, type WorkTree, writeWorkTree } from "./work-tree.ts";

/**
 * The files of the checkout as a commit on the target's tip, see `Workspace.candidate`. Its checks run in `dir`, the
 * project's directory.
 */
export async function candidateInPlace(
  checkout: Checkout,
  dir: string,
  request: CandidateRequest,
): Promise<Candidate | WorkspaceRefusal> {
  const { git, place, folder } = checkout;
  const record = readRecord(folder) ?? (await assumedRecord(checkout, request));
  if (record?.state === "working") await putBack(checkout, record);
  const head = record?.state === "working" ? { branch: record.branch, tip: record.base } : await readHead(git);
  const refusal = unusable(head) ?? otherBranch(record, head.branch);
  if (refusal !== null) return refusal;
  const target = head.branch!;
  const tip = head.tip!;
  const work = await writeWorkTree(git, place, tip);
  if ("code" in work) return work;
  const lacking = await lackingFiles(checkout, record, tip, work);
  if (lacking !== null) return lacking;
  const { tree, changes } = work;
  const commit = changes.length === 0 ? tip : await commitTree(git, tree, [tip], request.message, request.style);
  const { plan, slug, n } = request;
  writeRecord(folder, {
    state: "checking",
    branch: target,
    base: tip,
    plan,
    slug,
    n,
    commit: null,
    tree: null,
    saved: null,
  });
  return { dir, target, tip, commit, tree, changed: changes.map(changedFile) };
}

/** The agent can reach the record and may have removed it: then the attempt's own base is held against the branch. */
async function assumedRecord({ git }: Checkout, request: CandidateRequest): Promise<InPlaceRecord | null> {
  const { base, plan, slug, n } = request;
  const { branch } = await readHead(git);
  if (base === null || branch === null) return null;
  await git.text(["rev-parse", "-q", "--verify", `${base}^{commit}`]);
  return { state: "working", branch, base, plan, slug, n, commit: null, tree: null, saved: null };
}

function otherBranch(record: InPlaceRecord | null, branch: string | null): WorkspaceRefusal | null {
  if (record === null || record.branch === branch) return null;
  return {
    code: "wrong_branch",
    text: `work began on ${record.branch}, but ${branch} is checked out now: switch back to it`,
  };
}

/**
 * Once an attempt's agent is done, a target that moves was moved by a person. From this very checkout: then the files
 * have it. From elsewhere: then a commit of the files would take it back, which nobody asked for.
 */
async function lackingFiles(
  { git }: Checkout,
  record: InPlaceRecord | null,
  tip: string,
  work: WorkTree,
): Promise<WorkspaceRefusal | null> {
  if (record?.state !== "checking" && record?.state !== "landing") return null;
  if (record.base === tip) return null;
  const differing = new Set(work.changes.map((change) => change.path));
  const lacking = (await diffTrees(git, record.base, tip)).find((change) => differing.has(change.path));
  if (lacking === undefined) return null;
  const text = `${record.branch} was moved from elsewhere, and the checkout lacks its change of ${JSON.stringify(readable(lacking.path))}`;
  return {
    code: "target_moved",
    text: `${text}: bring the checkout up to date (\`git stash -u\`, then \`git stash pop\`)`,
  };
}
