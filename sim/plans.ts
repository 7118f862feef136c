/** Plans and settings that a seed makes up. */

import { BUILT_IN_LANES } from "../src/core/lane/lane.ts";
import type { CompiledPlan, CompiledTask, TaskDefinition } from "../src/core/plan/definition.ts";
import { naturalKey } from "../src/core/plan/natural-key.ts";
import { RULES } from "./behaviour.ts";
import { BASE_REF } from "./places.ts";
import type { Random } from "./random.ts";
import type { Setting } from "./world.ts";

const TASKS_MIN = 40;
const TASKS_MAX = 42;
export const AGENTS = ["alpha", "beta", "gamma"];
/** Two of them have one log-in. */
export const ACCOUNTS: Readonly<Record<string, string>> = { alpha: "shared", beta: "shared", gamma: "own" };
const AREAS = ["a", "b", "c"];
const CHECK_MS = 60_000;

/** `isShared`: a store that two machines may share; an embedded one belongs to one machine. */
export function makeSetting(seed: number, random: Random, isShared = false): Setting {
  const mode = random.weighted({ worktree: 7, in_place: 1, none: 2 });
  const jobs = mode === "in_place" ? random.between(1, 2) : random.between(3, 6);
  return {
    seed,
    mode,
    plan: makePlan(random, mode),
    engine: {
      jobs,
      agent: "alpha",
      agentJobs: random.chance(0.5) ? { beta: random.between(1, 2), alpha: random.between(2, 4) } : {},
      draws: new Map(AGENTS.map((agent) => [agent, { account: ACCOUNTS[agent]!, provider: null, model: null }])),
      hourly: random.chance(0.15) ? random.between(20, 40) : null,
      diskFloorBytes: 1_000_000,
      foresight: null,
      protect: random.chance(0.3) ? ["guarded/**"] : [],
      hooks: { task_settled: null, run_ended: null, timeout_ms: 1_000 },
    },
    nodes: isShared && mode === "worktree" && random.chance(0.7) ? ["near", "far"] : ["near"],
    budget_usd: random.chance(0.15) ? random.between(3, 9) : null,
    tasks_max: random.chance(0.1) ? random.between(10, 40) : null,
    faults: random.between(7, 12),
  };
}

/** What the repository holds before any work: some seeds begin with a guard that is red. */
export function firstFiles(random: Random): Map<string, string> {
  const files = new Map([["guarded/rules", RULES]]);
  if (random.chance(0.15)) files.set("broken/G1", "nobody");
  return files;
}

function makePlan(random: Random, mode: Setting["mode"]): CompiledPlan {
  const count = random.between(TASKS_MIN, TASKS_MAX);
  const tasks = Array.from({ length: count }, (_, index) => makeTask(random, mode, index));
  const path = new Map<string, number>();
  for (const task of [...tasks].reverse()) {
    task.path = path.get(task.id) ?? 0;
    for (const id of task.depends_on) path.set(id, Math.max(path.get(id) ?? 0, task.path + 1));
  }
  return {
    name: "sim",
    source_hash: "1",
    policy: { lanes: BUILT_IN_LANES, workspace: mode, land: { mode: "squash", target: "", base: BASE_REF } },
    tasks,
    warnings: [],
  };
}

export function makeTask(random: Random, mode: Setting["mode"], index: number): CompiledTask {
  const id = `T-${index}`;
  const wanted = Math.min(index, random.pick([0, 0, 1, 1, 2, 3]));
  const before = Array.from({ length: wanted }, () => `T-${random.between(Math.max(0, index - 12), index - 1)}`);
  const depends_on = [...new Set(before)];
  return {
    id,
    slug: id,
    natural_key: naturalKey(id),
    depends_on,
    path: 0,
    definition: define(random, mode, id, depends_on),
  };
}

function define(random: Random, mode: Setting["mode"], id: string, depends_on: string[]): TaskDefinition {
  const area = random.chance(0.25) ? random.pick(AREAS) : null;
  const unchecked = random.chance(0.08);
  const place = area === null ? `work/${id}` : `${area}/${id}`;
  const guard =
    random.chance(0.3) && mode !== "none" ? [{ run: `guard ${random.pick(["G1", "G2"])}`, timeout_ms: CHECK_MS }] : [];
  return {
    title: `Task ${id}`,
    prompt: "",
    depends_on,
    verify: unchecked ? [] : [{ run: `verify ${place}`, timeout_ms: CHECK_MS }],
    guards: guard,
    files_owned: area === null ? [] : [`${area}/**`],
    wave: random.between(1, 3),
    priority: random.between(1, 4),
    lane: random.weighted({ build: 7, reviewed: 2, full: 1 }),
    agent: random.chance(0.4) ? random.pick(AGENTS) : null,
    role: null,
    skill: null,
    scope: random.chance(0.1) ? "delicate" : null,
    scope_paths: [],
    scope_deny: [],
    labels: random.chance(0.3) ? ["shares"] : [],
    estimated_minutes: null,
    tries: random.between(1, 3),
    timeout_ms: random.between(60_000, 240_000),
    retry_delay_ms: random.pick([0, 5_000, 60_000]),
    unchecked,
    red_first: false,
    clean: false,
    protect: random.chance(0.2) ? ["guarded/**"] : [],
    weakened_checks: "ask",
    outside: area !== null && random.chance(0.5) ? "refuse" : "warn",
    changes: random.chance(0.2) ? "required" : "optional",
    on_dependency_failed: random.chance(0.4) ? "cascade" : "wait",
  };
}
