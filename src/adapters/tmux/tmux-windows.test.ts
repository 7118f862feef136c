import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  appendFileSync,
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import type { LiveRunner, RunnerEvent } from "../../ports/runner.ts";
import { type Windows, windowOf } from "../../ports/windows.ts";
import { systemClock } from "../clock/system-clock.ts";
import { tmuxVersion } from "./tmux-version.ts";
import { attachArguments, tmuxWindows } from "./tmux-windows.ts";
import { windowedHost } from "./windowed-host.ts";

const PLAN = "0193b2c4-7d1e-7a3b-9c0d-1e2f3a4b5c6d";
const ATTEMPT = { plan: PLAN, task: "T 1", slug: "T", n: 1 };

interface Lab {
  state: string;
  env: NodeJS.ProcessEnv;
  windows: Windows;
  spool: string;
  /** Of lockstep's own server. */
  tmux(...args: string[]): string;
}

/** A state directory whose name holds all that a shell or tmux could make something of. */
function lab({ path = process.env["PATH"], name = "it's #{pid} %H $x" }: { path?: string; name?: string } = {}): Lab {
  const base = realpathSync(mkdtempSync(join(tmpdir(), "lockstep-tmux-")));
  const state = join(base, name);
  const spool = join(state, "spool-1");
  mkdirSync(spool, { recursive: true });
  const env = {
    PATH: path,
    HOME: base,
    LANG: "C.UTF-8",
    SECRET_TOKEN: "hidden",
    TMUX: "/nowhere,1,0",
    TMUX_TMPDIR: base,
  };
  const socket = socketOf(state);
  const tmux = (...args: string[]): string =>
    execFileSync("tmux", ["-S", socket, ...args], {
      encoding: "utf8",
      env: { PATH: process.env["PATH"] },
      stdio: "pipe",
    });
  onTestFinished(() => {
    try {
      tmux("kill-server");
    } catch {
      // Without a session there is no server.
    }
    for (const path of [base, socket]) rmSync(path, { recursive: true, force: true });
  });
  return { state, env, spool, tmux, windows: tmuxWindows({ stateDir: state, env, spoolDir: () => spool }) };
}

/** In the state directory, or by name where that is too long for a socket. */
function socketOf(state: string): string {
  const file = join(state, "tmux.sock");
  if (file.length <= 100) return file;
  const name = createHash("sha256").update(state).digest("hex").slice(0, 12);
  return `/tmp/tmux-${process.getuid!()}/lockstep-${name}`;
}

const sessions = ({ tmux }: Lab): string[] => tmux("list-sessions", "-F", "#{session_name}").trim().split("\n");
const shown = ({ tmux }: Lab, name: string): string => tmux("capture-pane", "-p", "-t", `=${name}:`).trimEnd();

describe("a session of tmux", () => {
  test("OMW-1 OMW-5: is lockstep's own, detached, named after its one attempt, and shows what the agent prints", async () => {
    const it = lab();
    expect(await it.windows.open(ATTEMPT)).toBeNull();
    writeFileSync(join(it.spool, "transcript.log"), "first line\n");
    expect(sessions(it)).toEqual(["T-1-1e2f3a4b5c6d"]);
    await expect.poll(() => shown(it, "T-1-1e2f3a4b5c6d"), { timeout: 5_000 }).toBe("first line");
    appendFileSync(join(it.spool, "transcript.log"), "second line\n");
    await expect.poll(() => shown(it, "T-1-1e2f3a4b5c6d"), { timeout: 5_000 }).toBe("first line\nsecond line");
  });

  test("OMW: of one attempt is never taken for another's, however alike their names begin", async () => {
    const it = lab();
    const others = [
      { ...ATTEMPT, n: 11 },
      { ...ATTEMPT, slug: "T-1" },
      { ...ATTEMPT, plan: PLAN.replace("5c6d", "5c6e") },
    ];
    for (const attempt of [ATTEMPT, ...others]) expect(await it.windows.open(attempt)).toBeNull();
    await it.windows.close(windowOf(ATTEMPT));
    const beginning = { ...windowOf(others[0]!), plan_end: "1e2f" };
    await it.windows.close(beginning);
    expect(await attachArguments(it.state, beginning, it.env)).toBeNull();
    expect(await it.windows.list()).toEqual([
      { slug: "T-1", n: 1, plan_end: "1e2f3a4b5c6d" },
      { slug: "T", n: 1, plan_end: "1e2f3a4b5c6e" },
      { slug: "T", n: 11, plan_end: "1e2f3a4b5c6d" },
    ]);
    expect(await attachArguments(it.state, windowOf(ATTEMPT), it.env)).toBeNull();
    expect(await attachArguments(it.state, windowOf(others[0]!), it.env)).toContain("=T-11-1e2f3a4b5c6d");
  });

  test("OMW: that is there already is said, not taken for a new one", async () => {
    const it = lab();
    await it.windows.open(ATTEMPT);
    expect(await it.windows.open(ATTEMPT)).toBe("duplicate session: T-1-1e2f3a4b5c6d");
  });

  test("field report 9: goes with its attempt, and with the last one the server and all that it ran", async () => {
    const it = lab();
    await it.windows.open(ATTEMPT);
    await expect.poll(() => processesOf(it).some((line) => line.startsWith("tail"))).toBe(true);
    await it.windows.close(windowOf(ATTEMPT));
    await expect.poll(() => processesOf(it)).toEqual([]);
    await it.windows.close(windowOf(ATTEMPT));
    expect(await it.windows.list()).toEqual([]);
  });

  test("knows nothing of the environment of whoever started it, nor of the user's own tmux", async () => {
    const it = lab();
    writeFileSync(join(it.env["HOME"]!, ".tmux.conf"), "set -g prefix C-a\n");
    await it.windows.open(ATTEMPT);
    const global = it.tmux("show-environment", "-g");
    expect(global).not.toMatch(/SECRET_TOKEN|TMUX/);
    expect(global).toMatch(/^PATH=/m);
    expect(it.tmux("show-options", "-g", "prefix").trim()).toBe("prefix C-b");
  });

  test("of a state directory whose path is too long for a socket has a server by name", async () => {
    const it = lab({ name: "x".repeat(120) });
    expect(await it.windows.open(ATTEMPT)).toBeNull();
    expect(existsSync(join(it.state, "tmux.sock"))).toBe(false);
    expect(await it.windows.list()).toEqual([windowOf(ATTEMPT)]);
    expect(await attachArguments(it.state, windowOf(ATTEMPT), it.env)).toContain("-L");
    await it.windows.close(windowOf(ATTEMPT));
    expect(await it.windows.list()).toEqual([]);
  });
});

describe("a tmux", () => {
  test("says its version", async () => {
    expect(await tmuxVersion(process.env)).toEqual({ version: expect.stringMatching(/^\d+\.\d+/) });
  });

  test("that is absent, too old, or hangs costs its windows and nothing else", async () => {
    const bin = mkdtempSync(join(tmpdir(), "lockstep-bin-"));
    onTestFinished(() => rmSync(bin, { recursive: true }));
    expect(await tmuxVersion({ PATH: bin })).toMatchObject({ code: "no_tmux" });
    const put = (script: string): void => {
      writeFileSync(join(bin, "tmux"), `#!/bin/sh\n${script}\n`);
      chmodSync(join(bin, "tmux"), 0o755);
    };
    put("echo tmux 2.9a");
    expect(await tmuxVersion({ PATH: bin })).toEqual({ code: "tmux_too_old", message: "tmux 2.9a is too old" });
    put("echo tmux master");
    expect(await tmuxVersion({ PATH: bin })).toEqual({ version: "master" });
    put("echo no space left >&2; exit 1");
    const it = lab({ path: bin });
    const end = { outcome: "succeeded", error: null, summary: null, usage: null, cost_usd: null } as const;
    const runner = { follow: async () => end, isAlive: () => true } as unknown as LiveRunner;
    const host = windowedHost({ start: async () => runner }, it.windows, systemClock);
    const told: RunnerEvent[] = [];
    const started = await host.start({ attempt: ATTEMPT } as never);
    expect(await started.follow(async (event) => void told.push(event), new AbortController().signal)).toEqual(end);
    expect(told).toMatchObject([{ n: -2, text: "no session of tmux shows it: no space left" }]);
  });
});

/** Command lines of living processes that have this lab in their environment or command line. */
function processesOf({ spool, env }: Lab): string[] {
  return readdirSync("/proc").flatMap((pid) => {
    try {
      const command = readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ");
      const isOurs = readFileSync(`/proc/${pid}/environ`, "latin1").includes(`HOME=${env["HOME"]}\0`);
      return isOurs || command.includes(spool) ? [command] : [];
    } catch (error) {
      if (["ENOENT", "ENOTDIR", "EACCES", "ESRCH"].includes((error as NodeJS.ErrnoException).code ?? "")) return [];
      throw error;
    }
  });
}
