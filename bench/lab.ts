/** A project of its own in a temporary folder, with its own store. */

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openProject } from "../src/compose.ts";
import { planSettings } from "../src/config/config.ts";
import type { PlanRow } from "../src/core/task/rows.ts";
import type { EngineContext } from "../src/engine/context.ts";
import { loadPlan } from "../src/engine/load-plan.ts";
import { readPlanFile } from "../src/plan-file/read-plan-file.ts";

export interface Lab {
  dir: string;
  /** Where lockstep keeps what it has of it. */
  state: string;
  env: NodeJS.ProcessEnv;
  context: EngineContext;
  load(tasks: object[]): Promise<PlanRow>;
  close(): Promise<void>;
}

/** `fill` puts files there before the project is opened; `config` is more of its configuration. */
export async function openLab(
  mode: "in_place" | "none" | "worktree" = "in_place",
  fill: (dir: string) => void = () => {},
  config: object = {},
): Promise<Lab> {
  const dir = mkdtempSync(join(tmpdir(), "lockstep-bench-"));
  const state = mkdtempSync(join(tmpdir(), "lockstep-bench-state-"));
  const env = { PATH: process.env["PATH"], HOME: state, XDG_STATE_HOME: state };
  writeFileSync(join(dir, "lockstep.yaml"), JSON.stringify({ workspace: { mode }, ...config }));
  writeFileSync(join(dir, "marker"), "");
  fill(dir);
  const project = await openProject({ cwd: dir, env, writes: true, actor: "bench" });
  const context = await project.context();
  return {
    dir,
    state,
    env,
    context,
    load: async (tasks) => {
      const file = join(state, "plan.json");
      writeFileSync(file, JSON.stringify({ plan: "bench", tasks }));
      const { config, hash } = await project.configuration();
      const read = await readPlanFile(file, { settings: planSettings(config, hash) });
      if (!read.ok) throw new Error(JSON.stringify(read.problems));
      const answer = await loadPlan(context, read.plan);
      if (!answer.ok) throw new Error(JSON.stringify(answer.problems));
      return (await context.store.planNamed(project.id, "bench"))!;
    },
    close: async () => {
      await project.close();
      for (const folder of [dir, state]) rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Tasks with two dependencies each among the last few before them; the first `free` have none. */
export function layeredTasks(count: number, free: number): object[] {
  return Array.from({ length: count }, (_, i) => ({
    id: `T-${i + 1}`,
    title: `Task number ${i + 1} of the plan`,
    verify: "[ -e marker ]",
    depends_on: i < free ? [] : [`T-${i - free + 1}`, ...(free > 1 ? [`T-${i - free + 2}`] : [])],
  }));
}
