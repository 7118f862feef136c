/** What a live attempt costs: until its agent runs, while it works, and when its engine is killed under it. */

import { type ChildProcess, spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { cpSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Event } from "../src/core/task/events.ts";
import { type Lab, openLab } from "./lab.ts";
import { median, type Row, timed } from "./measure.ts";
import { bare, git, makeRepository } from "./repository.ts";

const MAIN = join(import.meta.dirname, "../dist/cli/main.cjs");
const LIVE = 50;
const OLD_SPOOLS = 1_000;
const STARTS = 20;
const IDLE_MS = 60_000;
/** What a young node does once: its engine tidies its memory some seconds after it began. */
const SETTLED_MS = 20_000;
/** Ticks of the kernel's clock a second, in /proc. */
const TICKS = 100;
const WAIT_MS = 60_000;

export async function runners(): Promise<Row[]> {
  return [await starting(), ...(await living()), ...(await idling())];
}

async function starting(): Promise<Row> {
  const config = {
    agents: { clock: { adapter: "command", command: ["date", "+%s%3N"] } },
    defaults: { agent: "clock" },
  };
  const lab = await openLab("worktree", (dir) => makeRepository(dir, 200), config);
  await lab.load(tasks(STARTS));
  const engine = run(lab, "--jobs", "1");
  await once(engine, "exit");
  const created = (await events(lab)).filter((event) => event.type === "attempt.created");
  const begun = created.map(({ at, task }) => Number(transcript(lab, task!)) - at).slice(3);
  const place = join(lab.state, "bare");
  git(lab.dir, "worktree", "add", "-q", "--detach", place);
  const resets: number[] = [];
  for (let i = 0; i < STARTS; i++)
    resets.push(
      await timed(async () => {
        await bare(place, "git", "reset", "-q", "--hard", "main");
        await bare(place, "git", "clean", "-fdq");
      }),
    );
  await lab.close();
  const [ours, floor] = [median(begun), median(resets)];
  return {
    what: "claim to agent running, one at a time",
    value: `${ours.toFixed(0)} ms`,
    floor: `${floor.toFixed(0)} ms`,
    ratio: `reset + ${(ours - floor).toFixed(0)} ms`,
    aim: "a worktree's reset + 150 ms",
  };
}

/** Fifty runners whose agents do nothing; then their engine is killed and another one started. */
async function living(): Promise<Row[]> {
  const config = {
    jobs: LIVE,
    agents: { idle: { adapter: "command", command: ["bash", "-c", IDLE] } },
    defaults: { agent: "idle" },
  };
  const lab = await openLab("none", () => {}, config);
  await lab.load(tasks(LIVE));
  const first = run(lab, "--jobs", String(LIVE));
  await until(async () => (await count(lab, "attempt.started")) === LIVE);
  await useTools(lab);
  await sleep(SETTLED_MS);
  const pids = runnerPids(lab);
  const before = pids.map(cpuSeconds);
  await sleep(10_000);
  const busy = pids.map(cpuSeconds).reduce((sum, spent, i) => sum + spent - before[i]!, 0) / 10;
  const memory = median(pids.map(privateMiB));
  const bareNode = spawn(process.execPath, ["-e", "setInterval(() => {}, 1e6)"], { stdio: "ignore" });
  await sleep(500);
  const floor = privateMiB(bareNode.pid!);
  bareNode.kill("SIGKILL");
  const [second, adopted] = await replace(lab, first);
  leaveOldSpools(lab);
  const [third, adoptedAgain] = await replace(lab, second);
  await endNow(third);
  await lab.close();
  return [
    {
      what: "private memory of a runner whose tools were used",
      value: `${memory.toFixed(0)} MiB`,
      floor: `${floor.toFixed(0)} MiB`,
      ratio: `${(memory / floor).toFixed(2)}x bare node`,
      aim: "at most 70 MiB",
    },
    {
      what: `${pids.length} idle attempts`,
      value: `${(100 * busy).toFixed(1)} %`,
      floor: "0 %",
      ratio: "of a core",
      aim: "under 3 %",
    },
    {
      what: `kill -9 with ${LIVE} live, all adopted`,
      value: `${adopted.toFixed(0)} ms`,
      floor: "0 ms",
      ratio: "from exec",
      aim: "at most 2,000 ms",
    },
    {
      what: `the same with ${OLD_SPOOLS} old spools`,
      value: `${adoptedAgain.toFixed(0)} ms`,
      floor: "0 ms",
      ratio: "from exec",
      aim: "at most 5,000 ms",
    },
  ];
}

/** Says where its tools are, and does nothing. */
const IDLE = 'echo "$LOCKSTEP_RUNNER $LOCKSTEP_RUNNER_TOKEN"; exec sleep 600';

/** As a client does that is started, and then calls a tool some times. */
const CALLS = ["initialize", "tools/list", ...Array<string>(20).fill("tools/call")];

async function useTools(lab: Lab): Promise<void> {
  for (let i = 0; i < LIVE; i++) {
    await until(async () => transcript(lab, `T-${i}`) !== "");
    const [url, token] = transcript(lab, `T-${i}`).split(" ");
    for (const [id, method] of CALLS.entries()) {
      const body = JSON.stringify({ jsonrpc: "2.0", id, method, params: { name: "get_task" } });
      const headers = { authorization: `Bearer ${token}` };
      const response = await fetch(`${url}/mcp`, { method: "POST", headers, body });
      if (!(await response.text()).includes("result")) throw new Error(`a runner did not answer ${method}`);
    }
  }
}

/** Kills an engine and starts another one: that one, and the milliseconds until it has adopted every attempt. */
async function replace(lab: Lab, engine: ChildProcess): Promise<[ChildProcess, number]> {
  const before = await count(lab, "attempt.adopted");
  engine.kill("SIGKILL");
  await once(engine, "exit");
  const began = performance.now();
  const next = run(lab, "--jobs", String(LIVE));
  await until(async () => (await count(lab, "attempt.adopted")) === before + LIVE);
  return [next, performance.now() - began];
}

/** What attempts of other plans left behind, as this one's do. */
function leaveOldSpools({ state }: Lab): void {
  const attempts = join(state, "lockstep/blobs/attempts");
  const [spool] = readdirSync(attempts, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith("-1"));
  for (let i = 0; i < OLD_SPOOLS; i++) {
    const plan = randomUUID();
    const old = join(attempts, plan.slice(-2), plan, `T-${i}-1`);
    cpSync(join(attempts, spool!), old, { recursive: true });
    writeFileSync(join(old, "done.json"), JSON.stringify({ outcome: "succeeded", error: null, summary: null }));
  }
}

/** An engine whose only task waits for its next try. */
async function idling(): Promise<Row[]> {
  const config = {
    agents: { no: { adapter: "command", command: ["false"] } },
    defaults: { agent: "no", retry_delay: "1h" },
  };
  const lab = await openLab("none", () => {}, config);
  await lab.load(tasks(1));
  const engine = run(lab);
  await until(async () => (await count(lab, "task.requeued")) === 1);
  await sleep(3_000);
  const [written, spent] = [bytesWritten(engine.pid!), cpuSeconds(engine.pid!)];
  await sleep(IDLE_MS);
  const bytes = bytesWritten(engine.pid!) - written;
  const share = (100 * (cpuSeconds(engine.pid!) - spent)) / (IDLE_MS / 1_000);
  await endNow(engine);
  await lab.close();
  return [
    { what: "idle engine, a minute", value: `${bytes} bytes`, floor: "0 bytes", ratio: "written", aim: "none" },
    {
      what: "idle engine, a minute",
      value: `${share.toFixed(2)} %`,
      floor: "0 %",
      ratio: "of a core",
      aim: "under 0.5 %",
    },
  ];
}

function tasks(number: number): object[] {
  return Array.from({ length: number }, (_, i) => ({ id: `T-${i}`, title: `Task ${i}`, verify: "test -d ." }));
}

function run(lab: Lab, ...args: string[]): ChildProcess {
  return spawn(process.execPath, [MAIN, "run", "bench", ...args], { cwd: lab.dir, env: lab.env, stdio: "ignore" });
}

/** The first signal asks to end well; the next ones end it, and with it the agents. */
async function endNow(engine: ChildProcess): Promise<void> {
  const ended = once(engine, "exit");
  const signals = setInterval(() => engine.kill("SIGINT"), 300);
  await ended;
  clearInterval(signals);
}

async function events(lab: Lab): Promise<Event[]> {
  const all: Event[] = [];
  for (;;) {
    const page = await lab.context.store.events({ after: all.at(-1)?.seq ?? 0, limit: 200 });
    if (page.length === 0) return all;
    all.push(...page);
  }
}

async function count(lab: Lab, type: Event["type"]): Promise<number> {
  return (await events(lab)).filter((event) => event.type === type).length;
}

async function until(isSo: () => Promise<boolean>): Promise<void> {
  const deadline = performance.now() + WAIT_MS;
  while (!(await isSo())) {
    if (performance.now() > deadline) throw new Error("what was waited for did not come");
    await sleep(20);
  }
}

function transcript({ state }: Lab, task: string): string {
  const blobs = join(state, "lockstep/blobs/attempts");
  const name = readdirSync(blobs, { recursive: true, encoding: "utf8" }).find((file) =>
    file.endsWith(`/${task}-1/transcript.log`),
  );
  return readFileSync(join(blobs, name!), "utf8").trim();
}

function runnerPids({ state }: Lab): number[] {
  return readdirSync("/proc")
    .map(Number)
    .filter(
      (pid) => pid > 0 && readProc(pid, "cmdline").includes("runner.cjs") && readProc(pid, "cmdline").includes(state),
    );
}

function privateMiB(pid: number): number {
  const kib = [...readProc(pid, "smaps_rollup").matchAll(/^Private_\w+:\s+(\d+) kB$/gm)].map(([, size]) =>
    Number(size),
  );
  return kib.reduce((sum, size) => sum + size, 0) / 1024;
}

function cpuSeconds(pid: number): number {
  const fields = readProc(pid, "stat").split(") ")[1]?.split(" ") ?? [];
  return (Number(fields[11]) + Number(fields[12])) / TICKS;
}

/** To files: what a process writes to wake its own threads is not counted. */
function bytesWritten(pid: number): number {
  return Number(/^write_bytes: (\d+)$/m.exec(readProc(pid, "io"))?.[1]);
}

/** A process may end between being listed and being read. */
function readProc(pid: number, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, "latin1");
  } catch (error) {
    if (["ENOENT", "ESRCH", "EACCES"].includes((error as NodeJS.ErrnoException).code ?? "")) return "";
    throw error;
  }
}
