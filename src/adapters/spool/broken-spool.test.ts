/** What a power cut, a full disk or a stray hand makes of a spool: each has one clear end, and none takes its reader down. */

import { spawn } from "node:child_process";
import { once } from "node:events";
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import type { ProcessIdentity } from "../../ports/processes.ts";
import type { RunnerControl, RunnerEnd, RunnerEvent } from "../../ports/runner.ts";
import { systemClock } from "../clock/system-clock.ts";
import { identify } from "../processes/identity.ts";
import { localProcesses } from "../processes/local-processes.ts";
import { adoptRunner, attemptStatus } from "./adopt-runner.ts";
import { followSpool } from "./follow-spool.ts";
import { LINE_CHARACTERS_MAX } from "./line-reader.ts";
import { runnerSpool } from "./runner-spool.ts";
import { type SpoolFiles, spoolAt } from "./spool-files.ts";

const NEVER = new AbortController().signal;
const ATTEMPT = { plan: "0000-aa", task: "T", slug: "T", n: 1 };
const END: RunnerEnd = { outcome: "succeeded", error: null, summary: "done", usage: null, cost_usd: null };
const ports = { processes: localProcesses(), clock: systemClock };
const DEAD: ProcessIdentity = { ...ports.processes.self(), start: "0" };
const line = (n: number, text: string): string => JSON.stringify({ n, at: 1, type: "progress", text });

interface Spool {
  state: string;
  files: SpoolFiles;
}

/** A spool whose runner is dead and left what stands in `left`. */
function spoolWith(left: { runner?: string | null; events?: string | Buffer; done?: string | Buffer } = {}): Spool {
  const state = mkdtempSync(join(tmpdir(), "lockstep broken "));
  onTestFinished(() => rmSync(state, { recursive: true, force: true }));
  const files = spoolAt(state, ATTEMPT);
  mkdirSync(files.dir, { recursive: true });
  const runner = left.runner === undefined ? JSON.stringify({ protocol: 1, runner: DEAD }) : left.runner;
  if (runner !== null) writeFileSync(files.runner, runner);
  writeFileSync(files.control, "");
  writeFileSync(files.events, left.events ?? "");
  if (left.done !== undefined) writeFileSync(files.done, left.done);
  return { state, files };
}

async function followed({ files }: Spool): Promise<{ end: RunnerEnd | null; told: [number, string][] }> {
  const told: [number, string][] = [];
  const end = await followSpool(files, ports).follow(async (event: RunnerEvent) => {
    told.push([event.n, "text" in event ? event.text : event.type]);
  }, NEVER);
  return { end, told };
}

function lost(error: string): RunnerEnd {
  return { outcome: "lost", error, summary: null, usage: null, cost_usd: null };
}

/** A process that lives until the test has ended, as a runner would. */
function liveProcess(): ProcessIdentity {
  const child = spawn("sleep", ["600"], { detached: true, stdio: "ignore" });
  onTestFinished(async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.kill("SIGKILL");
    await once(child, "exit");
  });
  return identify(child.pid!)!;
}

describe("lines that a runner left", () => {
  test("field report 35: junk between them is left out and counted, and everything else counts", async () => {
    const junk = ["{", "null", "[]", "7", '{"n":"1","at":1,"type":"progress","text":"x"}', '{"n":9,"at":1}', ""];
    const spool = spoolWith({
      events: `${[line(1, "one"), ...junk, line(2, "two")].join("\n")}\n`,
      done: JSON.stringify(END),
    });
    expect(await followed(spool)).toEqual({
      end: END,
      told: [
        [1, "one"],
        [2, "two"],
        [-1, "7 lines of its runner could not be read"],
      ],
    });
  });

  test("the last one may be torn: a killed writer never finished it", async () => {
    const spool = spoolWith({ events: `${line(1, "one")}\n${line(2, "two").slice(0, 20)}` });
    expect(await followed(spool)).toEqual({ end: lost("its runner died"), told: [[1, "one"]] });
  });

  test("NULs after a power cut are no line, also where somebody wrote on behind them", async () => {
    const spool = spoolWith({
      events: `${line(1, "one")}\n${"\0".repeat(5_000)}\n${line(2, "two")}\n${"\0".repeat(4_096)}`,
    });
    expect((await followed(spool)).told).toEqual([
      [1, "one"],
      [2, "two"],
      [-1, "a line of its runner could not be read"],
    ]);
  });

  test("field report 33, 34: bytes that are no UTF-8 cost their characters, and no more", async () => {
    const bytes = Buffer.from(`${line(1, "a?b")}\n${line(2, "€")}\n`);
    bytes[bytes.indexOf("?")] = 0xff;
    expect((await followed(spoolWith({ events: bytes }))).told).toEqual([
      [1, "a\ufffdb"],
      [2, "€"],
    ]);
  });

  test("field report 31: one that is too long is skipped and counted, however long, and the next is read", async () => {
    const spool = spoolWith({ events: `${line(1, "one")}\n` });
    for (let i = 0; i < 4; i++) appendFileSync(spool.files.events, "x".repeat(LINE_CHARACTERS_MAX));
    appendFileSync(spool.files.events, `\n${line(2, "two")}\n`);
    expect((await followed(spool)).told).toEqual([
      [1, "one"],
      [2, "two"],
      [-1, "a line of its runner could not be read"],
    ]);
  });

  test("field report 31: one that never ends, longer than any text can be, takes no memory", async () => {
    const spool = spoolWith({ done: JSON.stringify(END) });
    truncateSync(spool.files.events, 640 * 1024 * 1024);
    expect(await followed(spool)).toEqual({ end: END, told: [[-1, "a line of its runner could not be read"]] });
  });

  test("of a type that only a later version knows come as notes", async () => {
    const spool = spoolWith({ events: '{"n":1,"at":1,"type":"sang","song":"x"}\n' });
    expect((await followed(spool)).told).toEqual([[1, "an event of the unknown type sang"]]);
  });

  test("may be missing altogether: the end still counts", async () => {
    const spool = spoolWith({ done: JSON.stringify(END) });
    rmSync(spool.files.events);
    expect(await followed(spool)).toEqual({ end: END, told: [] });
  });

  test("may be where none can be read: the end still counts, and it is said", async () => {
    const spool = spoolWith({ done: JSON.stringify(END) });
    rmSync(spool.files.events);
    mkdirSync(spool.files.events);
    expect(await followed(spool)).toEqual({
      end: END,
      told: [[-1, "the lines of its runner cannot be read: EISDIR: illegal operation on a directory, read"]],
    });
  });
});

describe("an end", () => {
  const unreadable = "its runner left an end that cannot be read: done.json holds none";

  test.for([
    ["half of it", JSON.stringify(END).slice(0, 30)],
    ["nothing", ""],
    ["NULs", "\0".repeat(100)],
    ["no UTF-8", Buffer.from([0xff, 0xfe, 0x7b])],
    ["another outcome", '{"outcome":"splendid"}'],
    ["no object", "[]"],
  ] as const)("OMW: that holds %s is lost by name, never unknown", async ([, done]) => {
    const spool = spoolWith({ events: `${line(1, "one")}\n`, done });
    expect(await followed(spool)).toEqual({ end: lost(unreadable), told: [[1, "one"]] });
  });

  test("that is no file is lost by name", async () => {
    const spool = spoolWith();
    mkdirSync(spool.files.done);
    expect((await followed(spool)).end).toEqual(lost("its runner left an end that cannot be read: done.json: EISDIR"));
  });

  test("whose parts are of the wrong kind counts by its outcome", async () => {
    const done = {
      outcome: "failed",
      error: 7,
      summary: {},
      usage: { input: "many" },
      cost_usd: "much",
      failure: "bad luck",
      limit: { holds: "the world", until: 5, known_from: "signal" },
    };
    expect((await followed(spoolWith({ done: JSON.stringify(done) }))).end).toEqual({
      ...END,
      outcome: "failed",
      summary: null,
      limit: null,
    });
    const limit = { holds: "model", until: "soon", known_from: "text" };
    const limited = JSON.stringify({ ...END, outcome: "rate_limited", limit });
    expect((await followed(spoolWith({ done: limited }))).end).toEqual({
      ...END,
      outcome: "rate_limited",
      limit: { ...limit, until: null },
    });
  });

  test("OMW: of another attempt of the same task is never this one's", async () => {
    const spool = spoolWith({ done: JSON.stringify(END) });
    const second = { ...ATTEMPT, n: 2 };
    expect(attemptStatus(spool.state, second, ports.processes)).toMatchObject({ state: "unknown" });
    expect(adoptRunner(spool.state, second, ports)).toBeNull();
  });
});

describe("whose an attempt is", () => {
  test.for([
    ["half of it", '{"runner":{"node":"x"'],
    ["no process", '{"runner":7}'],
    ["a process group", JSON.stringify({ runner: { ...DEAD, pid: 0 } })],
  ] as const)("that says %s: the attempt is lost by name", async ([, runner]) => {
    const spool = spoolWith({ runner });
    expect(adoptRunner(spool.state, ATTEMPT, ports)!.isAlive()).toBe(false);
    expect((await followed(spool)).end).toEqual(lost("whose it is cannot be read: runner.json: no owner in it"));
  });

  test("that cannot be read is told by the runner's own first line, so that a living one is adopted", async () => {
    const runner = liveProcess();
    const started = JSON.stringify({ n: 1, at: 1, type: "started", runner, agent: null });
    const spool = spoolWith({ runner: "{", events: `${started}\n` });
    const adopted = adoptRunner(spool.state, ATTEMPT, ports)!;
    expect(adopted.isAlive()).toBe(true);
    await adopted.kill();
    expect(adopted.isAlive()).toBe(false);
  });
});

describe("a spool", () => {
  test("that vanishes under a living runner is waited out, and then its attempt is lost by name", async () => {
    const runner = liveProcess();
    const spool = spoolWith({ runner: JSON.stringify({ protocol: 1, runner }) });
    const adopted = adoptRunner(spool.state, ATTEMPT, ports)!;
    expect(adopted.isAlive()).toBe(true);
    rmSync(spool.files.dir, { recursive: true });
    const following = adopted.follow(async () => {}, NEVER);
    await adopted.greet();
    await adopted.control({ type: "stop", why: "enough" });
    expect(adopted.isAlive()).toBe(true);
    await adopted.kill();
    expect(await following).toEqual(lost("its spool is gone"));
  });

  test("that is no directory is lost by name, and nobody is thrown at", async () => {
    const spool = spoolWith();
    rmSync(spool.files.dir, { recursive: true });
    writeFileSync(spool.files.dir, "a file in the way");
    const end = await adoptRunner(spool.state, ATTEMPT, ports)!.follow(async () => {}, NEVER);
    expect(end).toMatchObject({ outcome: "lost", error: expect.stringMatching(/^its spool cannot be used: E\w+: /) });
  });

  test("whose files are out of reach is lost by name", async () => {
    const spool = spoolWith();
    rmSync(spool.files.runner);
    symlinkSync(spool.files.runner, spool.files.runner);
    expect((await followed(spool)).end).toEqual(lost("whose it is cannot be read: runner.json: ELOOP"));
  });

  test("that a program of before left under the same number is set aside, whole", async () => {
    const { processHost } = await import("./process-host.ts");
    const spool = spoolWith({ done: JSON.stringify(END) });
    const host = processHost({
      ...ports,
      stateDir: spool.state,
      program: join(spool.state, "none.cjs"),
      agent: { adapter: "command", argv: ["true"] },
      env: {},
      orphanMs: 1,
      askWaitMs: 1,
      watch: { first_output_ms: null, silence_ms: null },
    });
    const runner = await host.start({ attempt: ATTEMPT, brief: {} as never, sweep: null });
    expect(existsSync(spool.files.done)).toBe(false);
    expect(await runner.follow(async () => {}, NEVER)).toMatchObject({ outcome: "lost" });
  });
});

describe("wishes of an engine", () => {
  test("junk among them never ends a runner: it is told of, and the next wish is obeyed", async () => {
    const spool = spoolWith();
    const heard: RunnerControl[] = [];
    const runner = runnerSpool(spool.files.dir, systemClock);
    let obeyed = (): void => {};
    const obeys = new Promise<void>((resolve) => (obeyed = resolve));
    const junk = [
      "{",
      '{"type":"stop"}',
      '{"type":"stop","why":7}',
      "null",
      '{"type":"dance"}',
      "x".repeat(LINE_CHARACTERS_MAX + 1),
    ];
    writeFileSync(spool.files.control, `${junk.join("\n")}\n`);
    appendFileSync(spool.files.control, Buffer.from([0xff, 0x00, 0x0a]));
    appendFileSync(spool.files.control, '{"type":"stop","why":"enough"}\n');
    const listening = runner.controls((wish) => {
      heard.push(wish);
      obeyed();
    });
    await obeys;
    listening.close();
    expect(heard).toEqual([{ type: "stop", why: "enough" }]);
    const notes = readFileSync(spool.files.events, "utf8")
      .trim()
      .split("\n")
      .map((text) => JSON.parse(text) as { text: string });
    const unread = (text: string): string => `a wish of an engine could not be read: ${text}`;
    expect(notes.map(({ text }) => text)).toEqual([
      ...["{", '{"type":"stop"}', '{"type":"stop","why":7}', "null", '{"type":"dance"}'].map(unread),
      "a wish of an engine is too long to be one",
      unread("\ufffd\0"),
    ]);
  });

  test("a flood of junk is told of twenty times, and no more", async () => {
    const spool = spoolWith();
    const runner = runnerSpool(spool.files.dir, systemClock);
    writeFileSync(spool.files.control, `${"junk\n".repeat(5_000)}{"type":"stop","why":"enough"}\n`);
    let obeyed = (): void => {};
    const obeys = new Promise<void>((resolve) => {
      obeyed = resolve;
    });
    const listening = runner.controls(() => obeyed());
    await obeys;
    listening.close();
    expect(statSync(spool.files.events).size).toBeLessThan(20 * 200);
    expect(readFileSync(spool.files.events, "utf8").trim().split("\n")).toHaveLength(20);
  });
});
