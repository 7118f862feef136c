/**
 * What agents print, for both adapters that read a stream, through a real runner: whatever it is, the outcome is right,
 * the runner's memory and its spool are bounded, and nothing is left running.
 */

import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { agentFile, attemptsOf, type Lab, makeLab, readText, runLab } from "../../fixtures/lab.ts";
import { leftProcesses } from "../../fixtures/lab-process.ts";

type Adapter = "command" | "claude";

const NOTHING = { error: null, summary: "did it" };

/** How an agent's attempt ends, by its file and the reports from the field that it stands for. */
const ENDS: Record<string, { reports: string; outcome: string; error: unknown; summary: unknown }> = {
  "splits-characters": { reports: "33", outcome: "succeeded", error: null, summary: "Grüße 🙂 fertig" },
  "prints-no-utf8": { reports: "34", outcome: "succeeded", error: null, summary: "a \ufffd b" },
  "prints-long-lines": { reports: "31", outcome: "succeeded", ...NOTHING },
  "never-ends-a-line": { reports: "31", outcome: "succeeded", ...NOTHING },
  "floods-stderr": { reports: "31", outcome: "succeeded", ...NOTHING },
  "floods-events": { reports: "31", outcome: "succeeded", ...NOTHING },
  "prints-junk": { reports: "35", outcome: "succeeded", ...NOTHING },
  "reads-its-input-to-the-end": { reports: "17", outcome: "succeeded", ...NOTHING },
  "stays-after-its-result": { reports: "11", outcome: "succeeded", ...NOTHING },
  "leaves-work-in-the-background": { reports: "11, 15", outcome: "succeeded", ...NOTHING },
  "stays-after-its-failure": {
    reports: "11",
    outcome: "failed",
    error: expect.stringContaining("no model today"),
    summary: null,
  },
  "ends-without-a-result": {
    reports: "53",
    outcome: "failed",
    error: expect.stringMatching(/^it ended (well, but )?without a result/),
    summary: null,
  },
  "dies-at-once": {
    reports: "8",
    outcome: "failed",
    error: expect.stringMatching(/^it ended with 137/),
    summary: null,
  },
};

const REPORTS = [...new Set(Object.values(ENDS).flatMap(({ reports }) => reports.split(", ")))]
  .sort((a, b) => Number(a) - Number(b))
  .join(", ");

/** Far above what a runner needs, far below what its agents print. */
const RUNNER_BYTES_MAX = 150 * 1024 * 1024;

describe.each<Adapter>(["command", "claude"])("an agent that %s drives", (adapter) => {
  test(`field reports ${REPORTS}: ends as it said, whatever it prints`, { timeout: 120_000 }, async () => {
    const lab = await labOf(adapter, Object.keys(ENDS));
    const peaks = watchRunners(lab);
    await runLab(lab, { jobs: 4 });
    peaks.close();
    for (const [task, { outcome, error, summary }] of Object.entries(ENDS))
      expect((await attemptsOf(lab, task)).map((ended) => [task, ended.outcome, ended.error, ended.summary])).toEqual([
        [task, outcome, error, summary],
      ]);
    expect(leftProcesses(lab)).toEqual([]);
    expect(existsSync(join(lab.aside, "too-late"))).toBe(false);
    expect(peaks.bytes).toBeGreaterThan(10 * 1024 * 1024);
    expect(peaks.bytes).toBeLessThan(RUNNER_BYTES_MAX);
    for (const task of Object.keys(ENDS)) {
      expect(statSync(join(spoolOf(lab, task), "transcript.log")).size).toBeLessThan(9 * 1024 * 1024 + 200);
      expect(readText(spoolOf(lab, task), "runner.log")).toBe("");
    }
    expect(readText(spoolOf(lab, "floods-events"), "events.jsonl").split("\n").length).toBeLessThan(20_005);
    const long = readText(spoolOf(lab, "prints-long-lines"), "events.jsonl");
    expect(long).toMatch(/a line was too long to be read: \d+ bytes of it were left out/);
  });
});

async function labOf(adapter: Adapter, ids: readonly string[]): Promise<Lab> {
  const command = [process.execPath, agentFile("streams/act")];
  const tasks = ids.map((id) => ({ id, prompt: "Make the totals right.", verify: "test -d ." }));
  return makeLab({
    kind: "none",
    tasks,
    config: { agents: { worker: { adapter, command, pass_env: ["LAB_MARK", "ASIDE"] } }, jobs: 4 },
    defaults: { tries: 1, timeout: "100s" },
  });
}

function spoolOf({ aside, plan }: Lab, task: string): string {
  return join(aside, "state/lockstep/blobs/attempts", plan.id.slice(-2), plan.id, `${task}-1`);
}

/** Looks again and again how much memory any runner of the lab has had at its most. */
function watchRunners({ mark }: Lab): { readonly bytes: number; close(): void } {
  let bytes = 0;
  const look = setInterval(() => {
    for (const pid of readdirSync("/proc").filter((name) => /^\d+$/.test(name)))
      bytes = Math.max(bytes, peakOf(pid, mark));
  }, 100);
  return {
    get bytes() {
      return bytes;
    },
    close: () => clearInterval(look),
  };
}

/** 0 for what is no runner of the lab, or is gone meanwhile. */
function peakOf(pid: string, mark: string): number {
  try {
    if (!readFileSync(`/proc/${pid}/cmdline`, "utf8").includes("runner.cjs")) return 0;
    if (!readFileSync(`/proc/${pid}/environ`, "utf8").includes(`LAB_MARK=${mark}`)) return 0;
    return Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? 0) * 1024;
  } catch (error) {
    if (["ENOENT", "ESRCH", "EACCES"].includes((error as NodeJS.ErrnoException).code ?? "")) return 0;
    throw error;
  }
}
