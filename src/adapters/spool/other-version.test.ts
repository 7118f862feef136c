/** A runner outlives an upgrade: what speaks a version that is not read here is left to finish, and never doubled. */

import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import type { RunnerEvent } from "../../ports/runner.ts";
import { SPOOL_PROTOCOL } from "../../ports/runner.ts";
import { systemClock } from "../clock/system-clock.ts";
import { identify } from "../processes/identity.ts";
import { localProcesses } from "../processes/local-processes.ts";
import { adoptRunner, attemptStatus } from "./adopt-runner.ts";
import { runnerSpool } from "./runner-spool.ts";
import { type SpoolFiles, spoolAt } from "./spool-files.ts";

const NEVER = new AbortController().signal;
const ATTEMPT = { plan: "0000-aa", task: "T", slug: "T", n: 1 };
const ports = { processes: localProcesses(), clock: systemClock };

/** A spool of that version whose runner lives until `end` is called. */
function spoolOf(protocol: number): { state: string; files: SpoolFiles; end(): Promise<void> } {
  const state = mkdtempSync(join(tmpdir(), "lockstep version "));
  const child = spawn("sleep", ["600"], { detached: true, stdio: "ignore" });
  const gone = once(child, "exit");
  const end = async (): Promise<void> => {
    child.kill("SIGKILL");
    await gone;
  };
  onTestFinished(async () => {
    await end();
    rmSync(state, { recursive: true, force: true });
  });
  const files = spoolAt(state, ATTEMPT);
  mkdirSync(files.dir, { recursive: true });
  writeFileSync(files.runner, JSON.stringify({ protocol, runner: identify(child.pid!), more: "words" }));
  writeFileSync(files.control, "");
  writeFileSync(files.events, '{"n":1,"at":1,"type":"progress","text":"one"}\n');
  return { state, files, end };
}

test.for([SPOOL_PROTOCOL + 1, SPOOL_PROTOCOL + 7])(
  "version %i is waited for while its runner lives, unheard and unspoken to; then it is lost by name",
  async (protocol) => {
    const { state, files, end } = spoolOf(protocol);
    const runner = adoptRunner(state, ATTEMPT, ports)!;
    expect([runner.isAlive(), runner.isForeign()]).toEqual([true, true]);
    expect(attemptStatus(state, ATTEMPT, ports.processes)).toEqual({ state: "running" });
    const told: RunnerEvent[] = [];
    let said = (): void => {};
    const isSaid = new Promise<void>((resolve) => (said = resolve));
    const following = runner.follow(async (event) => {
      told.push(event);
      said();
    }, NEVER);
    await isSaid;
    await runner.control({ type: "stop", why: "enough" });
    expect(readFileSync(files.control, "utf8")).toBe("");
    // What it leaves as its end is in words that are not known here.
    writeFileSync(files.done, '{"outcome":"succeeded"}');
    await end();
    expect(await following).toMatchObject({
      outcome: "lost",
      error: `its runner spoke version ${protocol} of the spool, and this lockstep reads 1 and 0: how it ended is not known`,
    });
    expect(told.map((event) => [event.n, "text" in event && event.text])).toEqual([
      [0, `its runner speaks version ${protocol} of the spool, and this lockstep reads 1 and 0: it is left to finish`],
    ]);
  },
);

test.for([SPOOL_PROTOCOL, SPOOL_PROTOCOL - 1, undefined])("version %s is read", async (protocol) => {
  const { state, files, end } = spoolOf(protocol as number);
  const runner = adoptRunner(state, ATTEMPT, ports)!;
  expect([runner.isAlive(), runner.isForeign()]).toEqual([true, false]);
  writeFileSync(files.done, '{"outcome":"succeeded","error":null,"summary":"x","usage":null,"cost_usd":null}');
  await end();
  const told: number[] = [];
  expect(await runner.follow(async ({ n }) => void told.push(n), NEVER)).toMatchObject({ outcome: "succeeded" });
  expect(told).toEqual([1]);
});

test("a runner writes its version beside its name, and starts nothing for an engine of another one", () => {
  const { files } = spoolOf(SPOOL_PROTOCOL);
  rmSync(files.runner);
  const spool = runnerSpool(files.dir, systemClock);
  expect(spool.claim(ports.processes.self())).toBe(true);
  expect(JSON.parse(readFileSync(files.runner, "utf8"))).toEqual({
    protocol: SPOOL_PROTOCOL,
    runner: ports.processes.self(),
  });
  writeFileSync(files.launch, JSON.stringify({ protocol: SPOOL_PROTOCOL + 1 }));
  expect(() => spool.launch()).toThrow("its engine speaks version 2 of the spool, and this runner reads 1 and 0");
});
