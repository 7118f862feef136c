import type { Dispatch } from "../adapters/agent/inline-agent.ts";
import type { HostName } from "../config/availability.ts";
import type { PlanProblem } from "../core/plan/definition.ts";
import type { Event } from "../core/task/events.ts";
import type { PlanRow } from "../core/task/rows.ts";
import type { EngineContext } from "../engine/context.ts";
import { followEvents, lastEvent } from "../engine/event-log.ts";
import { NEVER } from "../engine/halt.ts";
import type { RunEnd } from "../engine/run.ts";
import { MAX_WAIT_DEFAULT_MS, runPlan } from "../engine/run.ts";
import { commandLineActor } from "./actor.ts";
import { asEngine } from "./engine-lock.ts";
import { loadPlanFile, loadPlanValue, type PlanValue } from "./load-plan-file.ts";
import { openProject } from "./open-project.ts";
import type { OpenProject } from "./project.ts";
import { hostProblem } from "./windows.ts";

export interface RunOptions {
  /** A plan file, or what would stand in one, which is loaded first; or `{ name }` of a plan that is loaded already. */
  plan: string | PlanValue | { name: string };
  /** Does the work of each attempt; without it the configured agents do. */
  dispatch?: Dispatch;
  /** Hears every event of the plan from now on, in order. */
  onEvent?: (event: Event) => void;
  /** A directory of the project; the current one unless given. */
  root?: string;
  /** Another store than the configured one. */
  store?: string;
  /** What holds the agents, instead of what the configuration says. */
  host?: HostName;
  /** The agent of tasks that name none. */
  agent?: string;
  /** Start at most so many attempts. */
  tasksMax?: number;
  /** How long to wait for a time to come, milliseconds; a day unless given. */
  maxWaitMs?: number;
  /** Aborted: end when what is under way has ended. */
  stop?: AbortSignal;
  /** Aborted: end what is under way now. */
  kill?: AbortSignal;
}

/** Why nothing was run. */
export interface RunRefusal {
  code: string;
  message: string;
  hint: string;
  problems: PlanProblem[];
}

/**
 * Carries a plan to its end in this process, as many tasks at once as `jobs` and their places allow. Refused with
 * `engine_held` while another process is the project's engine: a program that means to follow that one, or to wait for
 * it, says so itself. Throws `ProjectUnusable` and `StoreUnavailable`.
 */
export async function run(options: RunOptions): Promise<RunEnd | { refusal: RunRefusal }> {
  const { dispatch, store, host, root = process.cwd() } = options;
  const env = process.env;
  const opening = { cwd: root, env, writes: true, actor: commandLineActor(env) };
  const project = await openProject({
    ...opening,
    ...(store === undefined ? {} : { store }),
    ...(host === undefined ? {} : { host }),
    ...(dispatch === undefined ? {} : { dispatch }),
  });
  try {
    const problem = dispatch === undefined ? await hostProblem(project, { env, host: host ?? null }) : null;
    if (problem !== null) return { refusal: { ...problem, problems: [] } };
    const plan = await planOf(project, options.plan);
    if ("code" in plan) return { refusal: plan };
    const context = await project.context();
    const end = await asEngine(project, context, plan.id, () => runLoaded(context, plan, options));
    if (!("engines" in end)) return end;
    const who = end.engines.map(({ pid, node }) => `process ${pid} on ${node}`).join(", ") || "another process";
    return {
      refusal: refusal("engine_held", `an engine runs in this project already: ${who}`, "Wait until it has ended."),
    };
  } finally {
    await project.close();
  }
}

async function planOf(project: OpenProject, named: RunOptions["plan"]): Promise<PlanRow | RunRefusal> {
  const name = isLoaded(named) ? named.name : await loadedName(project, named);
  if (typeof name !== "string") return name;
  const plan = await project.store.planNamed(project.id, name);
  return plan ?? refusal("unknown_plan", `the project has no plan ${name}`, "Load it first.");
}

function isLoaded(named: RunOptions["plan"]): named is { name: string } {
  return typeof named !== "string" && "name" in named && !("tasks" in named);
}

async function loadedName(project: OpenProject, plan: string | PlanValue): Promise<string | RunRefusal> {
  const loaded = typeof plan === "string" ? await loadPlanFile(project, plan) : await loadPlanValue(project, plan);
  if (loaded.ok) return loaded.counts.plan;
  return refusal(
    "plan_refused",
    `${typeof plan === "string" ? plan : "the plan"} has problems; nothing was loaded`,
    "Mend it, then run it again.",
    loaded.problems,
  );
}

async function runLoaded(
  context: EngineContext,
  plan: PlanRow,
  options: RunOptions,
): Promise<RunEnd | { refusal: RunRefusal }> {
  const { store, clock } = context;
  const {
    agent = null,
    tasksMax = null,
    maxWaitMs = MAX_WAIT_DEFAULT_MS,
    stop = NEVER,
    kill = NEVER,
    onEvent,
  } = options;
  const ended = new AbortController();
  const query = { after: await lastEvent(store), project: plan.project, plan: plan.id };
  const following = onEvent ? followEvents(store, clock, query, onEvent, ended.signal) : null;
  const running = runPlan(context, { plan, agent, tasksMax, budgetUsd: null, maxWaitMs, stop, kill }).finally(() =>
    ended.abort(),
  );
  const [end] = await Promise.all([running, following]);
  return "rejection" in end ? { refusal: { ...end.rejection, problems: [] } } : end;
}

function refusal(code: string, message: string, hint: string, problems: PlanProblem[] = []): RunRefusal {
  return { code, message, hint, problems };
}
