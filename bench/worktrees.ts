/** Claim > change > done > check > landed in a pooled worktree, beside bare git and bash in the same order. */

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { claimTask } from "../src/engine/claim.ts";
import { taskDone } from "../src/engine/external.ts";
import { type Lab, openLab } from "./lab.ts";
import { inTurn, type Row, timed } from "./measure.ts";
import { bare, bareLanding, git, makeRepository } from "./repository.ts";

const ROUNDS = 30;
/** The place is made in the first rounds, and the code compiled. */
const WARM = 8;
const LANDING_AIM_MS = 60;

export async function worktrees(): Promise<Row[]> {
  const verify = "test -e marker";
  const checked = await landings({ files: 200, verify, changes: false });
  const landed = await landings({ files: 200, verify, changes: true });
  const unchecked = await landings({ files: 5_000, verify: null, changes: true });
  const row = (what: string, { ours, bare }: Rates): Row => ({
    what,
    value: `${ours.toFixed(0)} ms`,
    floor: `${bare.toFixed(0)} ms`,
    ratio: `${((100 * bare) / ours).toFixed(0)} % of its rate`,
    aim: "at least 40 % of git and bash",
  });
  return [
    row("check-only task in a worktree, 200 files", checked),
    row("the same with a change that lands", landed),
    {
      what: "landing without checks, 5,000 files",
      value: `${unchecked.done.toFixed(0)} ms`,
      floor: `${unchecked.bare.toFixed(0)} ms`,
      ratio: `${(unchecked.done / unchecked.bare).toFixed(2)}x`,
      aim: `at most ${LANDING_AIM_MS} ms`,
    },
  ];
}

interface Rates {
  /** From the claim to the verified task. */
  ours: number;
  /** From `task done` on. */
  done: number;
  bare: number;
}

interface Wish {
  files: number;
  verify: string | null;
  /** Each task changes a file. */
  changes: boolean;
}

async function landings({ files, verify, changes }: Wish): Promise<Rates> {
  const lab = await openLab("worktree", (dir) => makeRepository(dir, files));
  const check = verify === null ? { unchecked: true } : { verify };
  const tasks = Array.from({ length: ROUNDS + WARM + 2 }, (_, i) => ({ id: `T-${i}`, title: `Task ${i}`, ...check }));
  const plan = await lab.load(tasks);
  const place = join(lab.state, "bare");
  git(lab.dir, "branch", "bare");
  git(lab.dir, "worktree", "add", "-q", "--detach", place);
  let n = 0;
  const dones: number[] = [];
  const ours = async (): Promise<number> => {
    const began = performance.now();
    dones.push(await one(lab, plan, changes ? `src/d1/ours-${++n}.txt` : null));
    return performance.now() - began;
  };
  const floor = (): Promise<number> =>
    timed(async () => {
      await bareLanding(place, lab.dir, changes ? `src/d1/bare-${++n}.txt` : null);
      if (verify !== null) await bare(place, "bash", "-c", verify);
    });
  await inTurn(WARM, ours, floor);
  dones.length = 0;
  const { a, b } = await inTurn(ROUNDS, ours, floor);
  await lab.close();
  return { ours: a, bare: b, done: dones.sort((x, y) => x - y)[Math.floor(dones.length / 2)]! };
}

/** Carries one task to its end and answers how long its landing took. */
async function one(lab: Lab, plan: Awaited<ReturnType<Lab["load"]>>, file: string | null): Promise<number> {
  const asking = { plan: plan.id, task: null, kind: "external", agent: null, run: null, ttlMs: 1_800_000 } as const;
  const { claimed } = await claimTask(lab.context, asking);
  if (!claimed) throw new Error("nothing to claim");
  if (file !== null) writeFileSync(join(claimed.workspace.dir, file), "changed\n");
  const request = { plan, task: claimed.task.row.id, token: claimed.lease.token, summary: null };
  return timed(async () => {
    const done = await taskDone(lab.context, request);
    if ("rejection" in done || done.task.row.state !== "verified") throw new Error(JSON.stringify(done));
  });
}
