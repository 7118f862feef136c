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

/** 1 where a proof tells something. */
async function judge(lab: FaultLab, when: string, { lies }: FaultCount): Promise<0 | 1> {
  const proof = await provePlan(lab.context, lab.plan);
  const isLast = when.startsWith("after");
  // The second one is slow: it is asked at the end, and wherever the first tells something.
  if ((isLast || !proof.ok) && independentProof(placeOf(lab)).ok !== proof.ok)
    lies.push(`${when} the proofs do not agree: ${JSON.stringify(proof)}`);
  const files = filesOn(lab);
  const untrue = proof.tasks.filter(({ id }) => !files.has(`${id}.txt`)).map(({ id }) => id);
  if (untrue.length > 0 && proof.ok) lies.push(`${when} ${untrue.join(", ")} was proved, and is not on the target`);
  return proof.ok ? 0 : 1;
}

function filesOn({ root, plan }: FaultLab): Set<string> {
  const { target } = plan.policy.land;
  const refs = gitIn(root, "for-each-ref", "--format=%(refname)", target);
  return new Set(refs === "" ? [] : gitIn(root, "ls-tree", "--name-only", target).split("\n"));
}
