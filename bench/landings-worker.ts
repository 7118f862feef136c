/** One of the processes of `landings.ts`: claims, changes a file, hands over, until nothing is left. */

import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { finishTask } from "../src/cli/finish-task.ts";
import { openProject } from "../src/compose.ts";
import { claimTask } from "../src/engine/claim.ts";
import type { EngineContext } from "../src/engine/context.ts";

export interface LandingsWish {
  dir: string;
  name: string;
}

export interface LandingsDone {
  /** Milliseconds from each `done` to its end. */
  dones: number[];
}

const TTL_MS = 1_800_000;

const wish = JSON.parse(process.argv[2]!) as LandingsWish;
const project = await openProject({ cwd: wish.dir, env: process.env, writes: true, actor: wish.name });
const context = await project.context();
process.once("message", async () => {
  const dones = await work(context);
  await project.close();
  process.send!({ dones } satisfies LandingsDone);
  process.disconnect();
});
process.send!("ready");

async function work({ store, project: { id } }: EngineContext): Promise<number[]> {
  const plan = (await store.planNamed(id, "bench"))!;
  const dones: number[] = [];
  for (;;) {
    const asking = { plan: plan.id, task: null, kind: "external", agent: wish.name, run: null, ttlMs: TTL_MS } as const;
    const answer = await claimTask(context, asking);
    const { claimed } = answer;
    if (claimed === null && "rejection" in answer && answer.rejection) throw new Error(answer.rejection.message);
    if (claimed === null) return dones;
    const { row } = claimed.task;
    const number = Number(row.id.slice(2));
    const file = join(claimed.workspace.dir, `src/d${number % 50}/new-${number}.txt`);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, "new\n");
    const began = performance.now();
    const request = {
      plan,
      task: row.id,
      token: claimed.lease.token,
      summary: null,
      signal: new AbortController().signal,
    };
    const record = await finishTask(context, request, () => {});
    if (record.row.state !== "verified") throw new Error(`${row.id} is ${record.row.state}: ${record.row.last_error}`);
    dones.push(performance.now() - began);
  }
}
