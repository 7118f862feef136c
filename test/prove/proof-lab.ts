/** A plan that was carried out once, to be harmed again and again: each harm begins with the store and the refs as they were. */

import { copyFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { provePlan } from "../../src/engine/prove.ts";
import { gitIn, type Lab, type LabWish, makeLab, openLab, runLab } from "../fixtures/lab.ts";
import { storeFile } from "../fixtures/lab-store.ts";
import { independentProof, type Verdict } from "./independent-prove.ts";
import { placeOf } from "./proof-place.ts";

export const TARGET = "refs/heads/lockstep/lab";

/** A and B begin on the same commit, and B ends after A has landed: its landing is a merge. C is on both, U has no check. */
export const TASKS = [
  { id: "A", verify: 'test "$(cat A.txt)" = A; touch "$ASIDE/A.checked"', guards: ["test -e lockstep.yaml"] },
  { id: "B", verify: ["test -e B.txt", "echo looked; test -e B.txt"] },
  { id: "C", depends_on: ["A", "B"], verify: "test -e A.txt -a -e B.txt -a -e C.txt" },
  { id: "U", depends_on: ["C"], verify: "true", unchecked: true },
];

export const AGENT = `
until_there() { until [ -e "$ASIDE/$1" ]; do sleep 0.02; done; }
touch "$ASIDE/$LOCKSTEP_TASK_ID.on"
case $LOCKSTEP_TASK_ID in A) until_there B.on ;; B) until_there A.checked ;; esac
echo "$LOCKSTEP_TASK_ID" > "$LOCKSTEP_TASK_ID.txt"
`;

export interface ProofLab {
  lab: Lab;
  /** What both proofs say once `harm` was done to it; fails where they do not agree. */
  proofAfter(harm: (lab: Lab) => void | Promise<void>, wish?: { rerun?: boolean }): Promise<Verdict>;
}

/** Once carried out and closed; its store is opened for each proof. */
export async function proofLab(wish: Partial<LabWish> = {}, jobs = 2): Promise<ProofLab> {
  const lab = await makeLab({ kind: "repository", agent: AGENT, tasks: TASKS, ...wish });
  const end = await runLab(lab, { jobs });
  if (end.outcome !== "done") throw new Error(`the plan ended as ${end.outcome}`);
  await lab.project.close();
  const [store, kept] = [storeFile(lab), join(lab.aside, "kept.db")];
  copyFileSync(store, kept);
  const isRepository = lab.plan.policy.land.target.startsWith("refs/");
  const refs = isRepository ? gitIn(lab.root, "for-each-ref", "--format=%(refname) %(objectname)").split("\n") : [];
  return {
    lab,
    proofAfter: async (harm, { rerun = false } = {}) => {
      for (const suffix of ["-wal", "-shm"]) rmSync(`${store}${suffix}`, { force: true });
      copyFileSync(kept, store);
      if (isRepository) putRefsBack(lab, refs);
      await harm(lab);
      return bothProofs(lab, rerun);
    },
  };
}

function putRefsBack({ root }: Lab, refs: string[]): void {
  const now = gitIn(root, "for-each-ref", "--format=%(refname)").split("\n");
  const wanted = new Map(refs.map((line) => line.split(" ") as [string, string]));
  for (const ref of now) if (!wanted.has(ref)) gitIn(root, "update-ref", "-d", ref);
  for (const [ref, commit] of wanted) gitIn(root, "update-ref", ref, commit);
}

async function bothProofs(lab: Lab, rerun: boolean): Promise<Verdict> {
  const { project, context } = await openLab(lab);
  try {
    const plan = (await context.store.planNamed(project.id, lab.plan.name))!;
    const proof = await provePlan(context, plan, rerun ? { rerun: new AbortController().signal } : {});
    const own: Verdict = { ok: proof.ok, tasks: Object.fromEntries(proof.tasks.map(({ id, ok }) => [id, ok])) };
    const other = independentProof(placeOf(lab), rerun);
    if (JSON.stringify(sorted(own)) !== JSON.stringify(sorted(other)))
      throw new Error(`the two proofs differ: ${JSON.stringify(proof)} and ${JSON.stringify(other)}`);
    return own;
  } finally {
    await project.close();
  }
}

function sorted({ ok, tasks }: Verdict): Verdict {
  return { ok, tasks: Object.fromEntries(Object.entries(tasks).sort(([a], [b]) => a.localeCompare(b))) };
}
