/** What a command works with, each part opened when it is first asked for and closed at the end. */

import { isInsideAttempt } from "../compose/outer-attempt.ts";
import type { OpenProject, ProjectOptions } from "../compose.ts";
import { commandLineActor, openProject } from "../compose.ts";
import type { HostName } from "../config/availability.ts";
import type { PlanRow } from "../core/task/rows.ts";
import type { EngineContext } from "../engine/context.ts";
import type { Store } from "../ports/store.ts";
import type { TaskAddress } from "./address.ts";
import { addressedTask } from "./address.ts";
import { choosePlan } from "./choose-plan.ts";
import { insideAttempt } from "./failure.ts";

export interface Session {
  project(): Promise<OpenProject>;
  store(): Promise<Store>;
  context(): Promise<EngineContext>;
  /** The plan that `--plan` names, or the default one. */
  plan(): Promise<PlanRow>;
  /** The task that an address names. */
  task(address: string): Promise<TaskAddress>;
  close(): Promise<void>;
}

export interface SessionOptions {
  cwd: string;
  env: NodeJS.ProcessEnv;
  store: string | null;
  plan: string | null;
  /** What holds the agents, instead of what the configuration says. */
  host: HostName | null;
  writes: boolean;
}

export function openSession({ cwd, env, store, plan, host, writes }: SessionOptions): Session {
  let opening: Promise<OpenProject> | undefined;
  const project = (): Promise<OpenProject> => {
    opening ??= openChecked({ cwd, env, store, host, writes, actor: commandLineActor(env) });
    return opening;
  };
  return {
    project,
    store: async () => (await project()).store,
    context: async () => (await project()).context(),
    plan: async () => choosePlan(await project(), plan),
    task: async (address) => addressedTask(await project(), plan, address),
    close: async () => {
      if (opening === undefined) return;
      // What kept it from opening has been told by the command that asked for it.
      const opened = await opening.catch(() => null);
      await opened?.close();
    },
  };
}

/** An agent that cleared its environment is one all the same. */
async function openChecked(options: ProjectOptions): Promise<OpenProject> {
  const project = await openProject(options);
  if (!(await isInsideAttempt(project.store))) return project;
  await project.close();
  throw insideAttempt();
}
