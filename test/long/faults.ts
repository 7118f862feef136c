/** Faults at random steps of landings, by hundreds: nothing may be called verified that is not. */

import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import type { Fault, PlannedFault } from "../fixtures/faults.ts";
import { HARMS, IDLE_MOVE, idleGit, STEPS, WRONG_CANDIDATES } from "../fixtures/faults.ts";
import { type Lab, makeLab } from "../fixtures/lab.ts";
import { oneOf, random } from "../fixtures/random.ts";
import type { FaultCount } from "../prove/fault-run.ts";
import type { FaultOrder } from "./fault-engine.ts";

const FAULTS_MIN = 500;
const TASKS = 20;
/** A plan whose engine was killed so often is stuck. */
const ENGINES_MAX = TASKS + 5;
const SCRIPT = fileURLToPath(new URL("./fault-engine.ts", import.meta.url));
const TSX = import.meta.resolve("tsx");

const AT_ANY_STEP: readonly Fault[] = Object.keys(HARMS) as (keyof typeof HARMS)[];
const OF_CANDIDATES: readonly Fault[] = Object.keys(WRONG_CANDIDATES) as (keyof typeof WRONG_CANDIDATES)[];

type Told = FaultCount & { outcome: string };

/** True when no lie was told. */
export async function sufferFaults(print: (line: string) => void, seed: number): Promise<boolean> {
  const sum = { faults: 0, plans: 0, verified: 0, told: 0, unproved: 0, kills: 0, lies: 0 };
  for (; sum.faults < FAULTS_MIN; sum.plans += 1) {
    const undos: (() => void | Promise<void>)[] = [];
    const lab = await faultLab(seed + sum.plans, (undo) => undos.unshift(undo));
    const { told, kills } = await carry(lab, faultsOf(random(seed + sum.plans)));
    for (const undo of undos) await undo();
    sum.faults += told.fired;
    sum.kills += kills;
    sum.told += told.told;
    sum.verified += told.verified;
    sum.unproved += told.unproved.length;
    sum.lies += told.lies.length;
    for (const lie of told.lies) print(`  seed ${seed + sum.plans}, false: ${lie}`);
    for (const each of told.unproved) print(`  seed ${seed + sum.plans}, told at the end: ${each}`);
    print(
      `seed ${seed + sum.plans}: ${told.fired} faults, ${kills} kills, ${told.verified} of ${TASKS} verified, ended as ${told.outcome}`,
    );
  }
  const told = `${sum.told} told by a proof at the time, ${sum.unproved} told still at the end`;
  print(
    `faults: ${sum.faults} in ${sum.plans} plans, ${sum.kills} of them kills; ${sum.verified} tasks verified; ${told}; false "verified": ${sum.lies}`,
  );
  return sum.lies === 0;
}

async function faultLab(seed: number, atEnd: (undo: () => void | Promise<void>) => void): Promise<Lab> {
  const ids = Array.from({ length: TASKS }, (_, index) => `T${index}`);
  const tasks = ids.map((id, index) => ({
    id,
    verify: `test -e ${id}.txt`,
    depends_on: ids.slice(0, index).slice(-1),
  }));
  const land = { mode: seed % 2 === 0 ? "merge" : "squash" };
  const config = { workspace: { mode: "worktree" }, land };
  return makeLab({ kind: "repository", config, tasks, agent: "touch {task_id}.txt", defaults: { tries: 10 }, atEnd });
}

/** One for each task, and a second one for some. */
function faultsOf(next: () => number): PlannedFault[] {
  return Array.from({ length: Math.floor(TASKS * 1.5) }, (_, index): PlannedFault => {
    const task = `T${index % TASKS}`;
    const kind = Math.floor(next() * 10);
    if (kind === 0) return { task, step: "its target is to move", fault: IDLE_MOVE };
    if (kind === 1) return { task, step: "its candidate is built", fault: oneOf(next, OF_CANDIDATES) };
    return { task, step: oneOf(next, STEPS), fault: oneOf(next, AT_ANY_STEP) };
  });
}

async function carry(lab: Lab, planned: PlannedFault[]): Promise<{ told: Told; kills: number }> {
  const order: FaultOrder = { root: lab.root, aside: lab.aside, planned };
  const env = { ...lab.env, PATH: `${idleGit(lab)}:${lab.env["PATH"]}` };
  for (let engine = 1; engine <= ENGINES_MAX; engine += 1) {
    const child = spawn(process.execPath, ["--import", TSX, SCRIPT, JSON.stringify(order)], {
      env,
      stdio: ["ignore", "pipe", "inherit"],
    });
    let out = "";
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      out += text;
    });
    const [code, signal] = (await once(child, "close")) as [number | null, NodeJS.Signals | null];
    if (code === 0) return { told: JSON.parse(out) as Told, kills: engine - 1 };
    if (signal !== "SIGKILL") throw new Error(`an engine ended with ${code ?? signal}`);
  }
  throw new Error(`${ENGINES_MAX} engines did not bring the plan to its end`);
}
