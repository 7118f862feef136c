import {
  appendFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import type { AgentSpec, Brief } from "../../ports/agent.ts";
import type { RunnerControl, RunnerEnd, RunnerEvent } from "../../ports/runner.ts";
import { systemClock } from "../clock/system-clock.ts";
import { localProcesses } from "../processes/local-processes.ts";
import { adoptRunner } from "./adopt-runner.ts";
import { followSpool } from "./follow-spool.ts";
import { LineReader } from "./line-reader.ts";
import { processHost } from "./process-host.ts";
import { runnerSpool } from "./runner-spool.ts";
import { spoolFiles, writeFirst } from "./spool-files.ts";

const NEVER = new AbortController().signal;
const ATTEMPT = { plan: "0000-aa", task: "T", slug: "T", n: 1 };
const END: RunnerEnd = { outcome: "succeeded", error: null, summary: "done", usage: null, cost_usd: null };
const ports = { processes: localProcesses(), clock: systemClock };

function folder(): string {
  const dir = mkdtempSync(join(tmpdir(), "lockstep spool "));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  return dir;
}

/** A spool as its host makes it, before its runner comes. */
function prepared(dir: string): string {
  const files = spoolFiles(dir);
  mkdirSync(dir, { recursive: true });
  for (const file of [files.events, files.control, files.errors]) writeFileSync(file, "");
  return dir;
}

describe("the lines of a spool", () => {
  test("are told whole, whenever they come, and never the half of one that died in the middle", () => {
    const file = join(folder(), "events.jsonl");
    const reader = new LineReader(file);
    onTestFinished(() => reader.close());
    expect(reader.read()).toEqual([]);
    appendFileSync(file, "one\ntw");
    expect(reader.read()).toEqual(["one"]);
    expect(reader.read()).toEqual([]);
    const euro = Buffer.from("€");
    appendFileSync(file, Buffer.concat([Buffer.from("o "), euro.subarray(0, 1)]));
    expect(reader.read()).toEqual([]);
    appendFileSync(file, Buffer.concat([euro.subarray(1), Buffer.from("\n\nthree\nfou")]));
    expect(reader.read()).toEqual(["two €", "", "three"]);
    expect(reader.read()).toEqual([]);
  });

  test("longer than what is read at once are one line", () => {
    const file = join(folder(), "events.jsonl");
    writeFileSync(file, `${"x".repeat(200_000)}\nnext\n`);
    const reader = new LineReader(file);
    onTestFinished(() => reader.close());
    const lines = [...reader.read(), ...reader.read()];
    expect(lines.map(({ length }) => length)).toEqual([200_000, 4]);
  });
});

describe("an attempt", () => {
  test("is made by whoever comes first, whole, and leaves no half file", () => {
    const dir = folder();
    const file = join(dir, "runner.json");
    expect(writeFirst(file, "mine")).toBe(true);
    expect(writeFirst(file, "yours")).toBe(false);
    expect(readdirSync(dir)).toEqual(["runner.json"]);
  });

  test("that an engine has given up is refused to a runner that comes late", () => {
    const state = folder();
    expect(adoptRunner(state, ATTEMPT, ports)).toBeNull();
    const dir = join(state, "blobs/attempts/aa/0000-aa/T-1");
    expect(statSync(dir).mode & 0o777).toBe(0o700);
    expect(runnerSpool(dir, systemClock).claim(ports.processes.self())).toBe(false);
    expect(adoptRunner(state, ATTEMPT, ports)).toBeNull();
  });

  test("that a runner has is followed from its first line, and its end is read after its last", async () => {
    const state = folder();
    const spool = runnerSpool(prepared(join(state, "blobs/attempts/aa/0000-aa/T-1")), systemClock);
    expect(spool.claim(ports.processes.self())).toBe(true);
    spool.tell({ type: "progress", text: "one" });
    const runner = adoptRunner(state, ATTEMPT, ports)!;
    expect(runner.isAlive()).toBe(true);
    const told: RunnerEvent[] = [];
    const controls: RunnerControl[] = [];
    const listening = spool.controls((wish) => {
      controls.push(wish);
      spool.tell({ type: "note", text: "heard" });
      spool.end(END);
    });
    const following = runner.follow(async (event) => void told.push(event), NEVER);
    await runner.control({ type: "stop", why: "enough" });
    expect(await following).toEqual(END);
    listening.close();
    expect(controls).toEqual([{ type: "stop", why: "enough" }]);
    expect(told.map((event) => [event.n, event.type])).toEqual([
      [1, "progress"],
      [2, "note"],
    ]);
  });

  test("is left to another engine, alive as it is", async () => {
    const state = folder();
    const spool = runnerSpool(prepared(join(state, "blobs/attempts/aa/0000-aa/T-1")), systemClock);
    spool.claim(ports.processes.self());
    const leave = new AbortController();
    const following = adoptRunner(state, ATTEMPT, ports)!.follow(async () => leave.abort(), leave.signal);
    spool.tell({ type: "note", text: "x" });
    expect(await following).toBeNull();
  });

  test("whose runner died without a word is lost, with what the runner said on its way", async () => {
    const dir = prepared(join(folder(), "T-1"));
    const files = spoolFiles(dir);
    writeFirst(files.runner, JSON.stringify({ runner: { ...ports.processes.self(), start: "0" } }));
    const follow = () => followSpool(files, ports).follow(async () => {}, NEVER);
    expect(await follow()).toMatchObject({ outcome: "lost", error: "its runner died" });
    writeFileSync(files.errors, "Error: no memory\n");
    expect(await follow()).toMatchObject({ outcome: "lost", error: "its runner died: Error: no memory" });
  });

  test("knows when an engine was last heard, and that nobody can be once its spool is gone", async () => {
    const dir = prepared(join(folder(), "T-1"));
    const spool = runnerSpool(dir, systemClock);
    const before = Date.now();
    await followSpool(spoolFiles(dir), ports).greet();
    expect(spool.heardAt()).toBeGreaterThanOrEqual(before - 1);
    rmSync(dir, { recursive: true });
    expect(existsSync(dir)).toBe(false);
    expect(spool.heardAt()).toBeNull();
  });

  test("whose spool cannot be made is lost, with the reason, and its engine goes on", async () => {
    const state = folder();
    mkdirSync(join(state, "blobs"));
    writeFileSync(join(state, "blobs/attempts"), "a file in the way");
    const agent: AgentSpec = { adapter: "command", argv: ["true"] };
    const host = processHost({
      ...ports,
      stateDir: state,
      program: "runner.cjs",
      agent,
      env: {},
      orphanMs: 1,
      askWaitMs: 1,
      watch: { first_output_ms: null, silence_ms: null },
    });
    const runner = await host.start({ attempt: ATTEMPT, brief: {} as Brief, sweep: null });
    expect(await runner.follow(async () => {}, NEVER)).toMatchObject({
      outcome: "lost",
      error: expect.stringMatching(/^its runner could not be started: ENOTDIR/),
    });
  });
});
