/** Many tasks land on one branch from several processes at once, in a repository of many files. */

import { type ChildProcess, fork } from "node:child_process";
import { fileURLToPath } from "node:url";
import { PAGE } from "../src/ports/store.ts";
import { type Lab, openLab } from "./lab.ts";
import type { LandingsDone, LandingsWish } from "./landings-worker.ts";
import { median, type Row, timed } from "./measure.ts";
import { git, makeRepository } from "./repository.ts";

const TASKS = 200;
const PROCESSES = 8;
const FILES = 5_000;
const AIM_S = 30;

export async function landings(): Promise<Row[]> {
  const { seconds, dones } = await landAtOnce({ tasks: TASKS, processes: PROCESSES, files: FILES });
  return [
    {
      what: `${TASKS} landings from ${PROCESSES} processes, 5,000 files`,
      value: `${seconds.toFixed(1)} s`,
      floor: "-",
      ratio: `${((1_000 * seconds) / TASKS).toFixed(0)} ms each`,
      aim: `at most ${AIM_S} s`,
    },
    {
      what: "the same, from `done` to verified, median",
      value: `${median(dones).toFixed(0)} ms`,
      floor: "-",
      ratio: "its wait in the queue",
      aim: "-",
    },
  ];
}

export interface AtOnce {
  tasks: number;
  processes: number;
  files: number;
}

export interface Landed {
  seconds: number;
  /** Milliseconds of each task from `done` to its end. */
  dones: number[];
  /** Writes that were refused since somebody else held what they were about. */
  refusals: number;
}

/** Carries all tasks from their claims to their landings; throws where one is lost, landed twice or not proved. */
export async function landAtOnce({ tasks, processes, files }: AtOnce): Promise<Landed> {
  const started: Worker[] = [];
  const lab = await openLab("worktree", (dir) => makeRepository(dir, files), { jobs: processes });
  try {
    const plan = await lab.load(
      Array.from({ length: tasks }, (_, index) => ({
        id: `T-${index}`,
        title: `Task ${index}`,
        verify: `test -e src/d${index % 50}/new-${index}.txt`,
      })),
    );
    const workers = await Promise.all(
      Array.from({ length: processes }, (_, index) => startWorker(lab, index, started)),
    );
    const seconds = (await timed(() => Promise.all(workers.map(({ done }) => done())))) / 1_000;
    const ends = await Promise.all(workers.map(({ end }) => end));
    await examine(lab, plan.id, tasks);
    return { seconds, dones: ends.flatMap(({ dones }) => dones), refusals: await refusalsIn(lab) };
  } finally {
    await Promise.all(started.map(({ stop }) => stop()));
    await lab.close();
  }
}

interface Worker {
  end: Promise<LandingsDone>;
  /** Lets it begin, and waits for its end. */
  done(): Promise<LandingsDone>;
  /** Resolves when its process is gone. */
  stop(): Promise<void>;
}

async function startWorker({ dir, env }: Lab, index: number, started: Worker[]): Promise<Worker> {
  const file = fileURLToPath(new URL("landings-worker.ts", import.meta.url));
  const wish: LandingsWish = { dir, name: `worker-${index}` };
  const child = fork(file, [JSON.stringify(wish)], { env, execArgv: ["--import", import.meta.resolve("tsx")] });
  const gone = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  const end = answerOf<LandingsDone>(child, (message) => typeof message === "object");
  const ready = answerOf(child, (message) => message === "ready");
  const done = (): Promise<LandingsDone> => {
    child.send("go");
    return end;
  };
  const stop = (): Promise<void> => {
    child.kill("SIGKILL");
    return gone;
  };
  started.push({ end, done, stop });
  await ready;
  return { end, done, stop };
}

function answerOf<T>(child: ChildProcess, isIt: (message: unknown) => boolean): Promise<T> {
  return new Promise((resolve, reject) => {
    child.on("message", (message) => {
      if (isIt(message)) resolve(message as T);
    });
    child.once("exit", (code) => reject(new Error(`a worker ended with ${code} before its answer`)));
  });
}

/** Nothing lost: each task verified, each commit of its own on the branch, once. */
async function examine({ context, dir }: Lab, plan: string, tasks: number): Promise<void> {
  const summary = await context.store.summary(plan);
  const landed = git(dir, "log", "--first-parent", "--format=%(trailers:key=Lockstep-Task,valueonly)", "lockstep/bench")
    .split("\n")
    .filter((line) => line !== "");
  if (summary?.tallies.verified !== tasks) throw new Error(JSON.stringify(summary?.tallies));
  if (landed.length !== tasks || new Set(landed).size !== tasks) throw new Error(`${landed.length} landings`);
  const differences = await context.store.verify();
  if (differences.length > 0) throw new Error(differences.join("\n"));
}

async function refusalsIn({ context: { store } }: Lab): Promise<number> {
  let [count, after] = [0, 0];
  for (;;) {
    const page = await store.events({ after, limit: PAGE });
    count += page.filter(({ type }) => type === "lease.refused").length;
    if (page.length < PAGE) return count;
    after = page.at(-1)!.seq;
  }
}
