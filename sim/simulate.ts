/** Plays one seed: the real core and engine, everything else made up, until all has ended or something is wrong. */

import { contentOf } from "../src/adapters/store/memory/state.ts";
import type { PlanRow } from "../src/core/task/rows.ts";
import { loadPlan } from "../src/engine/load-plan.ts";
import { actAs } from "./contexts.ts";
import { Engines } from "./engines.ts";
import { Faults, faultyPlay } from "./faults.ts";
import type { DealtFault } from "./log.ts";
import { observe } from "./observe.ts";
import { Operators } from "./operators.ts";
import { Oracles } from "./oracles.ts";
import { firstFiles, makeSetting } from "./plans.ts";
import { Random } from "./random.ts";
import { inSimulatedTime } from "./simulated-time.ts";
import { Workers } from "./workers.ts";
import { type Kills, type Violation, World } from "./world.ts";

export interface Played {
  seed: number;
  violation: Violation | null;
  faults: DealtFault[];
  kills: Kills;
  tasks: number;
  attempts: number;
  verified: number;
  lines: number;
  hash: number;
  last: string[];
  moves: string[];
  gates: string[];
  deaths: string[];
}

/** Nothing takes longer than this in a world in which nothing goes wrong. */
const CALM_MAX_MS = 3 * 24 * 3_600_000;
const HAPPENINGS_MAX = 250_000;
const ENGINES_MAX = 400;
/** What has ended may take this long to be gone. */
const LINGER_MS = 60_000;

/**
 * `life` tells two plays of one seed apart that share this process. `echo` hears every line. `isShared`: by a store that two
 * machines may share.
 */
export async function simulate(
  seed: number,
  life: number,
  echo: ((line: string) => void) | null = null,
  isShared = false,
): Promise<Played> {
  const random = new Random(seed);
  const world = new World(makeSetting(seed, random, isShared), random, life, echo);
  await inSimulatedTime(
    world.clock,
    () => prepare(world, random),
    (play) => isDone(world, play),
  );
  return played(world);
}

interface Playing {
  plan: PlanRow;
  engines: Engines;
  oracles: Oracles;
  happenings: number;
  overAt: number | null;
  calmAt: number | null;
}

async function prepare(world: World, random: Random): Promise<Playing> {
  world.places.begin(firstFiles(random));
  const oracles = new Oracles(world);
  const faults = new Faults(world);
  const play = faultyPlay(world, faults, oracles);
  world.committed = () => oracles.look();
  const loader = actAs(play, { node: world.setting.nodes[0]!, kind: "operator", name: "author" });
  const loaded = await loadPlan(loader.context, world.setting.plan);
  loader.mortal.exit();
  if (!loaded.ok)
    throw new Error(`the plan of seed ${world.setting.seed} cannot be loaded: ${loaded.problems[0]?.message}`);
  const plan = world.state.plans.get(loaded.counts.id)!;
  const engines = new Engines(play, plan);
  const operators = new Operators(play, plan, engines);
  engines.isOver = () => world.calm && isOver(world, plan);
  world.committed = () => {
    oracles.look();
    operators.review();
  };
  faults.begin(engines, new Workers(play, plan), operators);
  observe(play, plan, engines);
  return { plan, engines, oracles, happenings: 0, overAt: null, calmAt: null };
}

/** Asked behind everything that happens. */
function isDone(world: World, playing: Playing): boolean {
  const { clock, machines } = world;
  const { plan, engines, oracles } = playing;
  playing.happenings += 1;
  if (world.violation !== null) return true;
  if (world.calm) playing.calmAt ??= clock.monotonic();
  const isLate = playing.calmAt !== null && clock.monotonic() - playing.calmAt > CALM_MAX_MS;
  if (isLate || playing.happenings > HAPPENINGS_MAX || engines.starts > ENGINES_MAX) {
    world.violate("stuck", standing(world, plan));
    return true;
  }
  if (!world.calm || engines.running > 0 || !isOver(world, plan)) return false;
  if (playing.overAt === null) clock.after(LINGER_MS, () => {});
  playing.overAt ??= clock.monotonic();
  if (machines.all().length > 0 && clock.monotonic() - playing.overAt < LINGER_MS) return false;
  oracles.final(plan.id);
  return true;
}

/** No run is live, and every task has ended, or waits for one that has and does not share its end. */
function isOver({ state }: World, { id }: PlanRow): boolean {
  const { tasks, definitions, runs } = contentOf(state, id);
  for (const run of runs.values()) if (run.state !== "ended") return false;
  for (const { id: task, state: now, unmet, dead } of tasks.values()) {
    if (now === "in_progress" || now === "claimed_done" || now === "blocked") return false;
    const goesOn = unmet === 0 || (dead > 0 && definitions.get(task)?.body.on_dependency_failed === "cascade");
    if (now === "pending" && goesOn) return false;
  }
  return true;
}

function standing({ state, clock }: World, { id }: PlanRow): string {
  const { tasks, runs } = contentOf(state, id);
  const open = [...tasks.values()].filter((t) => t.state !== "verified" && t.state !== "failed");
  const words = open.map(
    (t) => `${t.id} ${t.state} by ${t.reason}, due ${t.due_at === null ? "now" : t.due_at - clock.now()}`,
  );
  return `after ${clock.monotonic()} ms: ${words.join("; ")}; run ${[...runs.values()].at(-1)?.state}`;
}

function played(world: World): Played {
  const { setting, violation, log, kills, coverage, state } = world;
  const tasks = [...state.contents.values()].flatMap((content) => [...content.tasks.values()]);
  return {
    seed: setting.seed,
    violation,
    faults: log.faults,
    kills,
    tasks: tasks.length,
    attempts: tasks.reduce((sum, task) => sum + task.attempts, 0),
    verified: tasks.filter((task) => task.state === "verified").length,
    lines: log.lines,
    hash: log.hash,
    last: log.last(),
    moves: [...coverage.moves],
    gates: [...coverage.gates],
    deaths: [...coverage.deaths],
  };
}
