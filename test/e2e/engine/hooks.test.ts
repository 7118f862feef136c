/** An operator's commands that are told what happens: in order, one at a time, and never in the run's way. */

import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { Event } from "../../../src/core/task/events.ts";
import { startHooks } from "../../../src/engine/hooks.ts";
import { eventsIn, type Lab, makeLab, readText, runLab } from "../../fixtures/lab.ts";
import { leftProcesses } from "../../fixtures/lab-process.ts";

const VARIABLES = "$LOCKSTEP_HOOK|$LOCKSTEP_PLAN|$LOCKSTEP_TASK|$LOCKSTEP_ATTEMPT_N|$LOCKSTEP_STATE|$LOCKSTEP_OUTCOME";
const TELL = `printf '%s\n' "${VARIABLES}" >> "$ASIDE/told"`;

function told(lab: Lab, file = "told"): string[] {
  const path = join(lab.aside, file);
  return existsSync(path) ? readText(path).trimEnd().split("\n") : [];
}

async function eventsOf(lab: Lab, type: Event["type"]): Promise<Event[]> {
  return (await eventsIn(lab)).filter((event) => event.type === type);
}

describe("hooks", () => {
  test("hear of each task that has settled and of the run's end, in order, with the whole event", async () => {
    const keep = 'cat >> "$ASIDE/stdin"; printf "%s\n" "$LOCKSTEP_EVENT" >> "$ASIDE/events"; pwd >> "$ASIDE/places"';
    const hooks = { task_settled: `${TELL}; ${keep}`, run_ended: `${TELL}; ${keep}` };
    const tasks = [
      { id: "A", verify: "test -e A" },
      { id: "it's $(touch pwned)", verify: "test -e never", depends_on: ["A"] },
      { id: "C", verify: "test -e C", depends_on: ["it's $(touch pwned)"], on_dependency_failed: "cascade" as const },
    ];
    const agent = 'touch "$LOCKSTEP_TASK_ID"';
    const lab = await makeLab({ kind: "directory", agent, config: { hooks }, defaults: { tries: 1 }, tasks });
    expect(await runLab(lab)).toMatchObject({ outcome: "failed" });
    expect(told(lab)).toEqual([
      "task_settled|lab|A|1|verified|landed",
      "task_settled|lab|it's $(touch pwned)|1|failed|tries_gone",
      "task_settled|lab|C||skipped|dependency_failed",
      "run_ended|lab|||ended|failed",
    ]);
    expect(existsSync(join(lab.root, "pwned"))).toBe(false);
    expect(told(lab, "stdin")).toEqual(told(lab, "events"));
    const events = told(lab, "events").map((line) => JSON.parse(line) as Record<string, unknown>);
    const first = (await eventsOf(lab, "task.verified"))[0]!;
    expect(events[0]).toMatchObject({ seq: first.seq, type: "task.verified", plan: "lab", task: "A", attempt: 1 });
    expect(events[0]!["at"]).toBe(new Date(first.at).toISOString());
    expect(events.map(({ type }) => type)).toEqual(["task.verified", "task.failed", "task.skipped", "run.ended"]);
    expect(new Set(told(lab, "places"))).toEqual(new Set([lab.root]));
    expect(await eventsOf(lab, "hook.failed")).toEqual([]);
    const left = readdirSync(join(lab.aside, "state"), { recursive: true, encoding: "utf8" });
    expect(left.filter((name) => /hooks\/..\/./.test(name))).toEqual([]);
  });

  test("get no secret of the engine's environment, and no mark that would keep them from operator commands", async () => {
    const hooks = { run_ended: 'env > "$ASIDE/env"' };
    process.env["LAB_API_TOKEN"] = "hush";
    const lab = await makeLab({ kind: "none", config: { hooks }, tasks: [{ id: "A", verify: "test 1 = 1" }] });
    delete process.env["LAB_API_TOKEN"];
    await runLab(lab);
    const names = readText(lab.aside, "env").match(/^LOCKSTEP_\w+(?==)/gm)!;
    expect(names.sort()).toEqual([
      "LOCKSTEP_CHECK",
      "LOCKSTEP_EVENT",
      "LOCKSTEP_HOOK",
      "LOCKSTEP_OUTCOME",
      "LOCKSTEP_PLAN",
      "LOCKSTEP_PROJECT",
      "LOCKSTEP_STATE",
    ]);
    expect(readText(lab.aside, "env")).not.toContain("hush");
  });

  test("that fail, hang or do not exist are recorded, and the run ends as it would have", async () => {
    const script = [
      'case "$LOCKSTEP_TASK" in',
      "A) echo no route to host >&2; exit 7;;",
      "B) sleep 600 & sleep 600;;",
      "C) exec ./nothing-there;;",
      "esac",
    ].join("\n");
    const tasks = ["A", "B", "C", "D"].map((id, index, all) => ({
      id,
      verify: `test -e ${id}`,
      depends_on: all.slice(0, index),
    }));
    const config = { hooks: { task_settled: script, timeout: "1s" } };
    const lab = await makeLab({ kind: "directory", agent: 'touch "$LOCKSTEP_TASK_ID"', config, tasks });
    expect(await runLab(lab)).toMatchObject({ outcome: "done" });
    const failed = await eventsOf(lab, "hook.failed");
    expect(failed.map(({ task, data }) => ({ task, ...data }))).toEqual([
      {
        task: "A",
        hook: "task_settled",
        of: expect.any(Number),
        outcome: "red",
        exit_code: 7,
        tail: "no route to host\n",
      },
      { task: "B", hook: "task_settled", of: expect.any(Number), outcome: "timed_out", exit_code: 124, tail: "" },
      {
        task: "C",
        hook: "task_settled",
        of: expect.any(Number),
        outcome: "red",
        exit_code: 127,
        tail: expect.stringContaining("nothing-there"),
      },
    ]);
    const [verified] = await eventsOf(lab, "task.verified");
    expect(failed[0]?.data).toMatchObject({ of: verified!.seq });
    expect(leftProcesses(lab)).toEqual([]);
    expect(await lab.context.store.verify()).toEqual([]);
  });

  test("do not hold up the run, whose end waits for those that are behind", async () => {
    const slow = `until test -e "$ASIDE/go"; do sleep 0.02; done; ${TELL}`;
    const tasks = ["A", "B"].map((id) => ({ id, verify: `test -e ${id}` }));
    const config = { hooks: { task_settled: slow, run_ended: TELL } };
    // The last task's own check lets the first one's hook go on.
    tasks[1]!.verify = 'test -e A && touch "$ASIDE/go"';
    const lab = await makeLab({ kind: "directory", agent: 'touch "$LOCKSTEP_TASK_ID"', config, tasks });
    expect(await runLab(lab)).toMatchObject({ outcome: "done" });
    expect(told(lab).map((line) => line.split("|").slice(0, 3).join(" "))).toEqual([
      "task_settled lab A",
      "task_settled lab B",
      "run_ended lab ",
    ]);
  });

  test("are ended by a kill, no more of them run, and what was not told is said", async () => {
    const kill = new AbortController();
    const hang = 'touch "$ASIDE/begun"; sleep 600';
    const config = { hooks: { task_settled: hang, run_ended: TELL } };
    const tasks = ["A", "B"].map((id) => ({ id, verify: `test -e ${id}` }));
    const lab = await makeLab({ kind: "directory", agent: 'touch "$LOCKSTEP_TASK_ID"', config, tasks });
    const hooks = await startHooks(lab.context, lab.plan, lab.context.settings.hooks, kill.signal);
    const without = { ...lab, context: { ...lab.context, settings: { ...lab.context.settings, hooks: NONE } } };
    expect(await runLab(without)).toMatchObject({ outcome: "done" });
    while (!existsSync(join(lab.aside, "begun"))) await new Promise((resolve) => setTimeout(resolve, 5));
    kill.abort();
    await hooks.close();
    const [first] = await eventsOf(lab, "task.verified");
    expect((await eventsOf(lab, "hook.skipped")).map(({ data }) => data)).toEqual([{ first: first!.seq, total: 3 }]);
    expect(told(lab)).toEqual([]);
    expect(await eventsOf(lab, "hook.failed")).toEqual([]);
    expect(leftProcesses(lab)).toEqual([]);
  });

  test("that are far behind are let go of at the end, but for the one that tells of the run's end", async () => {
    const config = { hooks: { task_settled: "sleep 600", run_ended: TELL } };
    const tasks = ["A", "B"].map((id) => ({ id, verify: `test -e ${id}` }));
    const lab = await makeLab({ kind: "directory", agent: 'touch "$LOCKSTEP_TASK_ID"', config, tasks });
    const { context } = lab;
    // A clock whose two minutes are over at once.
    const clock = {
      ...context.clock,
      sleep: (ms: number, signal?: AbortSignal) => context.clock.sleep(ms === 120_000 ? 1 : ms, signal),
    };
    const never = new AbortController().signal;
    const hooks = await startHooks({ ...context, clock }, lab.plan, context.settings.hooks, never);
    await runLab({ ...lab, context: { ...context, settings: { ...context.settings, hooks: NONE } } });
    await hooks.close();
    expect(told(lab)).toEqual(["run_ended|lab|||ended|done"]);
    expect((await eventsOf(lab, "hook.skipped"))[0]?.data).toMatchObject({ total: 2 });
    expect(leftProcesses(lab)).toEqual([]);
  });

  test("have no word for a task whose next try is due", async () => {
    const config = { hooks: { task_settled: TELL } };
    const tasks = [{ id: "A", verify: "test -e A-2", retry_delay: "1ms" }];
    const agent = "test -e A-1 && touch A-2; touch A-1";
    const lab = await makeLab({ kind: "directory", agent, config, tasks });
    expect(await runLab(lab)).toMatchObject({ outcome: "done" });
    expect(told(lab)).toEqual(["task_settled|lab|A|2|verified|landed"]);
  });
});

const NONE = { task_settled: null, run_ended: null, timeout_ms: 1_000 };
