/** Claim > done > check > verified in a plain directory, one at a time, by library calls, beside bare bash. */

import { spawn } from "node:child_process";
import { claimTask } from "../src/engine/claim.ts";
import { taskDone } from "../src/engine/external.ts";
import { layeredTasks, openLab } from "./lab.ts";
import { median, type Row, timed } from "./measure.ts";

const ROUND = 50;
/** Tasks until the code that is measured has been compiled, as it is in an engine that lives for long. */
const WARM = 300;

export async function checkLoop(): Promise<Row[]> {
  await loop(WARM);
  const small = await loop(100);
  const large = await loop(10_000);
  const row = (what: string, { ours, bare }: Rates): Row => ({
    what,
    value: `${ours.toFixed(2)} ms`,
    floor: `${bare.toFixed(2)} ms`,
    ratio: `${((100 * bare) / ours).toFixed(0)} % of its rate`,
    aim: "at least 50 %",
  });
  return [
    row("check-only task, plan of 100", small),
    row("check-only task, plan of 10,000", large),
    {
      what: "the same, 10,000 against 100",
      value: `${large.ours.toFixed(2)} ms`,
      floor: `${small.ours.toFixed(2)} ms`,
      ratio: `${(large.ours / small.ours).toFixed(2)}x`,
      aim: "at most 1.5x",
    },
  ];
}

interface Rates {
  ours: number;
  bare: number;
}

async function loop(count: number): Promise<Rates> {
  const lab = await openLab();
  const plan = await lab.load(layeredTasks(count, 10));
  const one = async (): Promise<void> => {
    const { claimed } = await claimTask(lab.context, {
      plan: plan.id,
      task: null,
      kind: "external",
      agent: null,
      run: null,
      ttlMs: 1_800_000,
    });
    if (!claimed) throw new Error("nothing to claim");
    const done = await taskDone(lab.context, {
      plan,
      task: claimed.task.row.id,
      token: claimed.lease.token,
      summary: null,
    });
    if ("rejection" in done || done.task.row.state !== "verified") throw new Error("not verified");
  };
  const rounds = Math.min(8, Math.floor(count / ROUND) - 1);
  for (let i = 0; i < ROUND / 2; i++) await one();
  const [ours, bare]: [number[], number[]] = [[], []];
  for (let i = 0; i < rounds; i++) {
    ours.push(...(await each(one)));
    bare.push(...(await each(() => bash(lab.dir, lab.context.env))));
    if (count <= 100) break;
  }
  await lab.close();
  return { ours: median(ours), bare: median(bare) };
}

async function each(act: () => Promise<unknown>): Promise<number[]> {
  const times: number[] = [];
  for (let i = 0; i < ROUND; i++) times.push(await timed(act));
  return times;
}

function bash(cwd: string, env: Record<string, string>): Promise<unknown> {
  return new Promise((resolve) =>
    spawn("bash", ["-c", "[ -e marker ]"], { cwd, env, stdio: "ignore" }).on("exit", resolve),
  );
}
