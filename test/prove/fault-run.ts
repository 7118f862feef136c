/** Carries a plan through its faults, and holds all that is called verified against what stands on the target. */

import { readdirSync } from "node:fs";
import { provePlan } from "../../src/engine/prove.ts";
import { runPlan } from "../../src/engine/run.ts";
import { type PlannedFault, withFaults } from "../fixtures/faults.ts";
import { gitIn, type Lab, requestOf } from "../fixtures/lab.ts";
import { independentProof } from "./independent-prove.ts";
import { placeOf } from "./proof-place.ts";

export interface FaultCount {
  /** Faults that happened. */
  fired: number;
  /** What was proved though it is not so, one sentence each. */
  lies: string[];
  /** What the proofs tell at the end. */
  unproved: string[];
  verified: number;
  /** Landings after which a proof told something: mended later, or in `unproved`. */
  told: number;
}

type FaultLab = Pick<Lab, "root" | "aside" | "context" | "plan">;

/** Each task `T` makes the file `T.txt`. Once more it is run at the end: the next engine mends what it finds. */
export async function carryThroughFaults(
  lab: FaultLab,
  planned: readonly PlannedFault[],
): Promise<FaultCount & { outcome: string }> {
  const target = lab.plan.policy.land.target;
  const count: FaultCount = { fired: 0, lies: [], unproved: [], told: 0, verified: 0 };
  const faulty = withFaults(lab.context, { ...lab, target }, planned, async (task) => {
    count.told += await judge(lab, `when ${task} had landed`, count);
  });
  let outcome = "";
  for (let engine = 1; engine <= 2; engine += 1) {
    const end = await runPlan(faulty, requestOf(lab, { maxWaitMs: 0 }));
    outcome = "rejection" in end ? end.rejection.code : end.outcome;
    await judge(lab, `after engine ${engine}`, count);
  }
  count.fired = readdirSync(lab.aside).filter((name) => name.startsWith("fault-")).length;
  const { tasks, problems } = await provePlan(lab.context, lab.plan);
  count.verified = tasks.length;
  count.unproved = [...tasks.flatMap(({ id, problems: own }) => own.map((each) => `${id}: ${each}`)), ...problems];
  return { ...count, outcome };
}

/** The engine mends the target beside whoever looks: what was seen of one that moved meanwhile is looked at again. */
const LOOKS_MAX = 5;

/** 1 where something that is called verified is not on the target, which each proof has to tell. */
async function judge(lab: FaultLab, when: string, count: FaultCount): Promise<0 | 1> {
  const { context, plan } = lab;
  for (let look = 1; look <= LOOKS_MAX; look += 1) {
    const before = refsOf(lab);
    const files = filesOn(lab);
    const verified = await context.store.tasks(plan.id, { state: "verified", offset: 0, limit: 200 });
    const untrue = verified.filter(({ id }) => !files.has(`${id}.txt`)).map(({ id }) => id);
    // Proofs are slow: all of them are asked at the end.
    if (untrue.length === 0 && !when.startsWith("after")) return 0;
    const proof = await provePlan(context, plan);
    const { ok } = independentProof(placeOf(lab));
    if (refsOf(lab) !== before) continue;
    if (ok !== proof.ok) count.lies.push(`${when} the proofs do not agree: ${JSON.stringify(proof)}`);
    if (untrue.length > 0 && proof.ok)
      count.lies.push(`${when} ${untrue.join(", ")} was proved, and is not on the target`);
    return untrue.length > 0 ? 1 : 0;
  }
  count.lies.push(`${when} nothing could be judged: the refs moved under each of ${LOOKS_MAX} looks`);
  return 0;
}

function refsOf({ root }: FaultLab): string {
  return gitIn(root, "for-each-ref");
}

function filesOn({ root, plan }: FaultLab): Set<string> {
  const { target } = plan.policy.land;
  const refs = gitIn(root, "for-each-ref", "--format=%(refname)", target);
  return new Set(refs === "" ? [] : gitIn(root, "ls-tree", "--name-only", target).split("\n"));
}
