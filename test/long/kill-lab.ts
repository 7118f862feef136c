/** A repository, a plan whose every change is counted, and engines that are the built command line: for kills without end. */

import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, openSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { openProject } from "../../src/compose.ts";
import { endBearers } from "../fixtures/left-processes.ts";
import { oneOf } from "../fixtures/random.ts";
import type { Scene } from "../fixtures/scene.ts";
import { targetOf, type Unsound, unsoundness } from "../fixtures/soundness.ts";

const MAIN = fileURLToPath(new URL("../../dist/cli/main.cjs", import.meta.url));

export interface KillLab extends Scene {
  /** Carries the plan on in a process of its own, whose output goes to `log`. */
  startEngine(): ChildProcess;
  log: string;
  /** What is wrong once the plan has ended. */
  judge(): Promise<Unsound>;
  /** Answers what a person is asked for, so that the task goes on. Gives how often that was. */
  answer(): Promise<number>;
  close(): Promise<void>;
}

interface PlannedTask {
  id: string;
  depends_on: string[];
  verify: string;
}

/** Each task adds its unit to a file of its own; those of the chain also add a line to one that they share. */
const AGENT = `
mkdir -p units; sleep 0.$((RANDOM % 5))
grep -qx "$LOCKSTEP_TASK_ID" "units/$LOCKSTEP_TASK_ID" 2>/dev/null || echo "$LOCKSTEP_TASK_ID" >> "units/$LOCKSTEP_TASK_ID"
sleep 0.$((RANDOM % 5))
[[ $LOCKSTEP_TASK_ID != C-* ]] || grep -qx "$LOCKSTEP_TASK_ID" chain || echo "$LOCKSTEP_TASK_ID" >> chain
sleep 0.$((RANDOM % 3))
`;

const CONFIG = {
  agents: { worker: { adapter: "command", command: ["bash", "-c", AGENT], pass_env: ["LAB_MARK"] } },
  // Kills cost tries; how many there are is not what is looked at here.
  defaults: { agent: "worker", retry_delay: "1ms", tries: 100 },
  workspace: { mode: "worktree" },
};

export async function openKillLab(next: () => number, size: number): Promise<KillLab> {
  const aside = realpathSync(mkdtempSync(join(tmpdir(), "lockstep-kills-")));
  const root = join(aside, "project");
  const mark = `kills-${aside.slice(-6)}`;
  const env = { ...process.env, XDG_STATE_HOME: join(aside, "state"), LAB_MARK: mark };
  const tasks = planOf(next, size);
  mkdirSync(root);
  writeFileSync(join(root, "lockstep.yaml"), JSON.stringify(CONFIG));
  writeFileSync(join(root, "chain"), "");
  writeFileSync(join(aside, "plan.json"), JSON.stringify({ plan: "kills", tasks }));
  makeRepository(root);
  execFileSync(process.execPath, [MAIN, "plan", "load", join(aside, "plan.json")], { cwd: root, env, stdio: "pipe" });
  const project = await openProject({ cwd: root, env, writes: true, actor: "test" });
  const context = await project.context();
  const plan = (await context.store.planNamed(project.id, "kills"))!;
  const scene = { context, plan, root, aside, mark };
  const log = join(aside, "engines.log");
  const output = openSync(log, "a");
  return {
    ...scene,
    log,
    startEngine: () =>
      spawn(process.execPath, [MAIN, "run", "kills", "--jobs", "4"], {
        cwd: root,
        env,
        stdio: ["ignore", output, output],
      }),
    judge: async () => {
      const found = await unsoundness(scene);
      return { ...found, lost: [...found.lost, ...wrongUnits(scene, tasks)] };
    },
    answer: () => answerItems(scene),
    close: async () => {
      await project.close();
      endBearers(`LAB_MARK=${mark}`);
      rmSync(aside, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

/** One task in four is of the chain; the others depend on up to two of those before them. */
function planOf(next: () => number, size: number): PlannedTask[] {
  const tasks: PlannedTask[] = [];
  for (let index = 0; index < size; index += 1) {
    const isChain = index % 4 === 0;
    const id = isChain ? `C-${index / 4}` : `T-${index}`;
    const before = Array.from({ length: Math.min(tasks.length, Math.floor(next() * 3)) }, () => oneOf(next, tasks).id);
    const depends_on = isChain ? (index === 0 ? [] : [`C-${index / 4 - 1}`]) : [...new Set(before)];
    const verify = [
      `sleep 0.${1 + Math.floor(next() * 3)}`,
      ...[id, ...depends_on].map((name) => `test -e units/${name}`),
    ];
    tasks.push({ id, depends_on, verify: verify.join(" && ") });
  }
  return tasks;
}

function makeRepository(root: string): void {
  git(root, "init", "-q", "-b", "main");
  git(root, "config", "user.name", "A Person");
  git(root, "config", "user.email", "person@localhost");
  git(root, "add", "-A");
  git(root, "commit", "-q", "-m", "first");
}

function wrongUnits(scene: Scene, tasks: PlannedTask[]): string[] {
  const target = targetOf(scene);
  const chain = tasks.map(({ id }) => id).filter((id) => id.startsWith("C-"));
  const wanted = [...tasks.map(({ id }) => [`units/${id}`, id] as const), ["chain", chain.join("\n")] as const];
  return wanted.flatMap(([file, text]) => {
    const found = git(scene.root, "show", `${target}:${file}`);
    return found === text ? [] : [`${file} holds ${JSON.stringify(found)}`];
  });
}

async function answerItems({ context: { store, project, actor }, plan }: Scene): Promise<number> {
  const items = await store.openItems(project.id, plan.id, 50);
  for (const { id, options } of items) {
    const option = options.find(({ effect }) => effect === "claimed_done" || effect === "pending")?.name ?? "retry";
    await store.submit({ type: "item.answer", plan: plan.id, item: id, option, text: null }, { actor });
  }
  return items.length;
}

/** The last words of the engines, for whoever has to find out. */
export function lastWords(lab: KillLab): string {
  return readFileSync(lab.log, "utf8").slice(-2_000);
}

function git(cwd: string, ...args: string[]): string {
  try {
    return execFileSync("git", args, { cwd, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] }).trimEnd();
  } catch (error) {
    return `(${(error as Error).message.split("\n")[0]})`;
  }
}
