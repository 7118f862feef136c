/** Loading and showing plans over the command line. */

import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { Refusal } from "./lab.ts";
import { Lab } from "./lab.ts";

const task = (id: string, more: Record<string, unknown> = {}) => ({ id, title: id, verify: "test -f x", ...more });

test("loading is idempotent, and a changed file is the next revision", async () => {
  const lab = new Lab();
  expect(await lab.load({ plan: "p", tasks: [task("a"), task("b")] })).toEqual({
    plan: "p",
    revision: 1,
    inserted: 2,
    updated: 0,
    retired: 0,
    total: 2,
  });
  expect(await lab.json(["plan", "load", "plan.json"])).toEqual({
    plan: "p",
    revision: 1,
    inserted: 0,
    updated: 0,
    retired: 0,
    total: 2,
  });
  expect(await lab.load({ plan: "p", tasks: [task("a", { title: "Anew" }), task("c")] })).toEqual({
    plan: "p",
    revision: 2,
    inserted: 1,
    updated: 1,
    retired: 1,
    total: 2,
  });
  expect(await lab.json(["status"])).toMatchObject({ revision: 2, total: 3, counts: { pending: 2, cancelled: 1 } });
  expect(await lab.json(["task", "done", "a", "--unverified", "--reason", "seen"])).toMatchObject({
    state: "verified",
  });
  expect(await lab.json(["status"])).toMatchObject({ completion_pct: 50 });
});

test("a changed configuration is a revision of the plan only where that says something else, and tells what", async () => {
  const lab = new Lab({ config: "workspace: {mode: none}\n" });
  await lab.load({ plan: "p", tasks: [task("a")] });
  const load = async (config: string) => {
    lab.write("lockstep.yaml", config);
    return (await lab.run(["plan", "load", "plan.json"])).stdout;
  };
  expect(await load("workspace: {mode: none}  # a remark\n")).toBe("p, revision 1: nothing changed, 1 in all\n");
  expect(await load("workspace: {mode: in_place}\n")).toBe(
    "p, revision 2: no task changed, 1 in all; policy changed: land.target, workspace\n",
  );
  expect((await lab.run(["events"])).stdout).toMatch(
    /plan\.loaded {2}p, revision 2, 1 tasks; policy changed: land\.target, workspace\n$/,
  );
  expect(await load("workspace: {mode: in_place}\ndefaults: {tries: 7}\n")).toBe(
    "p, revision 3: 1 updated, 1 in all\n",
  );
});

test("a refused plan tells every place and leaves nothing behind", async () => {
  const lab = new Lab();
  lab.write(
    "plan.yaml",
    "plan: p\ntasks:\n  - {id: a, title: A, verify: make, depends_on: [b]}\n  - {id: b, title: B, verify: make, depends_on: [a], wve: 2}\n",
  );
  const { error } = await lab.json<Refusal>(["plan", "load", "plan.yaml"], 2);
  expect(error.code).toBe("plan_refused");
  expect(error.problems).toContainEqual({
    file: "plan.yaml",
    line: 4,
    col: 54,
    path: "tasks[1].wve",
    message: 'unknown key "wve": the nearest known one is "wave"',
  });
  expect((await lab.json<Refusal>(["status"], 2)).error.code).toBe("no_plan");
});

test.each([
  ["empty", "", "the file is empty"],
  ["binary", Buffer.from([0x70, 0, 1, 2]), "the file is binary, not text: a NUL byte stands at byte 1"],
])("a plan file that is %s is one clear error", async (_name, text, message) => {
  const lab = new Lab();
  lab.write("plan.yaml", text);
  const { error } = await lab.json<Refusal>(["plan", "check", "plan.yaml"], 2);
  expect(error.problems).toEqual([{ file: "plan.yaml", line: null, col: null, path: "", message }]);
});

test("checking and looking make neither a store nor an id", async () => {
  const lab = new Lab();
  lab.write("plan.json", JSON.stringify({ plan: "p", tasks: [task("a")] }));
  expect(await lab.json(["plan", "check", "plan.json"])).toEqual({ plan: "p", total: 1, warnings: [] });
  await lab.json(["status"], 2);
  await lab.json(["run", "--dry-run"], 2);
  expect(existsSync(join(lab.dir, ".lockstep"))).toBe(false);
  expect(existsSync(join(lab.base, "state"))).toBe(false);
});

test("status, plan show and plan graph have the shapes that scripts rely on", async () => {
  const lab = new Lab();
  await lab.load({ plan: "p", tasks: [task("F-2", { depends_on: ["F-10"] }), task("F-10")] });
  const counts = {
    pending: 2,
    in_progress: 0,
    claimed_done: 0,
    verified: 0,
    blocked: 0,
    failed: 0,
    skipped: 0,
    cancelled: 0,
  };
  expect(await lab.json(["status"])).toEqual({
    plan: "p",
    revision: 1,
    run: null,
    total: 2,
    counts,
    active: [],
    completion_pct: 0,
    engine: null,
    needs_you: 0,
    held: [],
  });
  await lab.json(["claim", "--as", "bo"]);
  expect(await lab.json(["status"])).toMatchObject({
    active: [
      {
        id: "F-10",
        title: "F-10",
        state: "in_progress",
        attempt: 1,
        agent: "bo",
        started_at: expect.stringMatching(/^\d{4}-.*Z$/),
      },
    ],
  });
  expect(await lab.json(["plan", "show", "p"])).toMatchObject({
    plan: "p",
    total: 2,
    offset: 0,
    tasks: expect.arrayContaining([expect.objectContaining({ id: "F-2" })]),
  });
  expect(await lab.json(["plan", "show", "--offset", "5"])).toMatchObject({ tasks: [] });
  expect((await lab.run(["plan", "graph", "--format", "dot"])).stdout).toContain("n0 -> n1");
  expect(await lab.json(["why", "F-2"])).toMatchObject({
    id: "F-2",
    state: "pending",
    reason: { code: "dependency_pending", until: null, by: ["F-10"] },
  });
  expect(await lab.json(["task", "show", "F-2"])).toEqual({
    id: "F-2",
    title: "F-2",
    state: "pending",
    phase: "build",
    depends_on: ["F-10"],
    attempts: [],
    checks: [],
    landing: { target: null, sha: null },
  });
});

test("events are JSON lines in order, and follow until the reader goes", async () => {
  const lab = new Lab();
  await lab.load({ plan: "p", tasks: [task("a")] });
  const lines = (await lab.run(["events", "--json"])).stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
  expect(lines.map(({ type }) => type)).toEqual(["task.added", "plan.loaded"]);
  expect(lines[0]).toMatchObject({
    seq: 1,
    v: 1,
    plan: "p",
    task: "a",
    at: expect.stringMatching(/Z$/),
    actor: expect.stringMatching(/^cli:.+@.+/),
  });
  const follower = lab.start(["events", "-f", "--after", "2", "--json"]);
  const heard = new Promise<string>((resolve) => follower.stdout.once("data", (chunk) => resolve(String(chunk))));
  await lab.json(["claim"]);
  expect(JSON.parse((await heard).split("\n")[0]!)).toMatchObject({
    seq: 3,
    type: "attempt.created",
    task: "a",
    attempt: 1,
  });
  const gone = new Promise<number | null>((resolve) => follower.once("close", (code) => resolve(code)));
  follower.stdout.destroy();
  await lab.json(["task", "cancel", "a"]);
  expect(await gone).toBe(141);
});
