/** The example of omega-os does what its page says. It is run by the built command line, as a reader would. */

import { spawnSync } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, onTestFinished, test } from "vitest";
import { gitIn } from "../../fixtures/lab.ts";

const at = (path: string): string => fileURLToPath(new URL(`../../../${path}`, import.meta.url));
const CLI = at("dist/cli/main.cjs");

interface Example {
  dir: string;
  lockstep(...args: string[]): { status: number | null; stdout: string; stderr: string };
}

function omegaExample(): Example {
  const aside = realpathSync(mkdtempSync(join(tmpdir(), "lockstep omega ")));
  onTestFinished(() => rmSync(aside, { recursive: true, force: true, maxRetries: 5 }));
  const dir = join(aside, "greeter");
  cpSync(at("examples/omega"), dir, { recursive: true });
  const env = { ...process.env, XDG_STATE_HOME: join(aside, "state"), NO_COLOR: "1" };
  return {
    dir,
    lockstep: (...args) => spawnSync(process.execPath, [CLI, ...args], { cwd: dir, env, encoding: "utf8" }),
  };
}

function makeRepository(dir: string): void {
  gitIn(dir, "init", "-q", "-b", "main");
  gitIn(dir, "add", "-A");
  gitIn(dir, "commit", "-q", "-m", "first");
}

describe("examples/omega", () => {
  test.for(["a plain directory", "a git repository"])("OMP-7 OMP-13 OMP-15: in %s DAG.json runs as it is", (place) => {
    const { dir, lockstep } = omegaExample();
    const inRepository = place === "a git repository";
    if (inRepository) makeRepository(dir);
    const run = lockstep("run", "DAG.json", "--json");
    expect({ status: run.status, stderr: run.stderr.match(/rror.*/)?.[0] }).toEqual({ status: 0, stderr: undefined });
    const events = run.stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    const verified = events.filter((event) => event.type === "task.verified").map((event) => event.task);
    expect(verified).toEqual(["F-001", "F-002", "F-010", "F-011"]);
    expect(events.at(-1)).toMatchObject({
      type: "run.ended",
      data: { outcome: "done", counts: { verified: 4, failed: 0, pending: 0 } },
    });
    expect(readFileSync(join(dir, "greeting.txt"), "utf8")).toBe("hello world\n");
    if (inRepository)
      expect(gitIn(dir, "log", "--format=%s", "main")).toBe("Greet\nSay it to somebody\nSay hello\nfirst");
    const status = JSON.parse(lockstep("status", "--json").stdout);
    expect(status).toMatchObject({
      plan: "greeter",
      total: 4,
      counts: { verified: 4 },
      active: [],
      completion_pct: 100,
    });
  });

  test("OMP-10 OMP-11 OMP-15: a worker of one's own claims, works and is checked, one feature at a time", () => {
    const { lockstep } = omegaExample();
    expect(lockstep("plan", "load", "DAG.json").status).toBe(0);
    const done: string[] = [];
    for (;;) {
      const claimed = JSON.parse(lockstep("claim", "--json").stdout);
      if (claimed === null) break;
      const id = claimed.task;
      expect(spawnSync("bash", ["worker.sh", id, "it"], { cwd: claimed.workspace }).status).toBe(0);
      expect(lockstep("task", "done", id, "--token", String(claimed.token)).status).toBe(0);
      done.push(id);
    }
    expect(done).toEqual(["F-001", "F-002", "F-010", "F-011"]);
  });
});
