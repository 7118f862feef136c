import { existsSync, readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { Attempt, type AttemptWish } from "../../../test/fixtures/agent-attempt.ts";
import { agentFor } from "./agent-for.ts";

const NOTHING = { usage: null, cost_usd: null };

async function play(steps: unknown[] | Record<string, unknown>, wish: AttemptWish = {}, attempt = new Attempt()) {
  const script = attempt.write("script.json", JSON.stringify(Array.isArray(steps) ? { A: steps } : steps));
  const end = await attempt.run(agentFor({ adapter: "scripted", script }, attempt.processes), wish);
  return { attempt, end, script };
}

test("steps are played in order, and told", async () => {
  const { attempt, end } = await play([
    { say: "I begin" },
    { write: "src/a.txt", text: "one two\n" },
    { append: "src/a.txt", text: "two\n" },
    { replace: "src/a.txt", old: "two", new: "$&2" },
    { write: "old/gone.txt", text: "" },
    { delete: "old" },
    { run: 'cat; echo "$LOCKSTEP_TASK_ID in $PWD" >> said; echo heard' },
    { progress: "half" },
    { wait: 1 },
    { usage: { input: 10, output: 5, cost_usd: 0.01 } },
    { done: "did it" },
    { write: "after.txt", text: "" },
  ]);
  const usage = { input: 10, output: 5, cache_read: 0, cache_write: 0 };
  expect(end).toEqual({ outcome: "succeeded", error: null, summary: "did it", usage, cost_usd: 0.01 });
  expect(attempt.read("src/a.txt")).toBe("one $&2\n$&2\n");
  expect(attempt.read("said")).toBe(`A in ${attempt.workspace}\n`);
  expect(existsSync(join(attempt.workspace, "old"))).toBe(false);
  expect(attempt.read("after.txt")).toBeNull();
  expect(attempt.events).toEqual([
    { type: "text", text: "I begin" },
    { type: "tool", name: "write", about: "src/a.txt" },
    { type: "tool", name: "append", about: "src/a.txt" },
    { type: "tool", name: "replace", about: "src/a.txt" },
    { type: "tool", name: "write", about: "old/gone.txt" },
    { type: "tool", name: "delete", about: "old" },
    { type: "tool", name: "run", about: 'cat; echo "$LOCKSTEP_TASK_ID in $PWD" >> said; echo heard' },
    { type: "progress", text: "half" },
    { type: "usage", usage, cost_usd: 0.01 },
  ]);
  expect(attempt.log).toContain("I begin\n[write src/a.txt]\n");
  expect(attempt.log).toMatch(/\nheard\n$/);
  expect(existsSync(`${attempt.logFile}.step`)).toBe(false);
});

test("a list that ends has succeeded, and an attempt may have steps of its own", async () => {
  const steps = { "A#1": [{ fail: "first time" }], A: [{ write: "a", text: "" }], "*": [{ done: "for the rest" }] };
  expect((await play(steps)).end).toMatchObject({ outcome: "failed", error: "first time" });
  expect((await play(steps, { n: 2 })).end).toMatchObject({ outcome: "succeeded", summary: null });
  expect((await play(steps, { task: { id: "B" } })).end).toMatchObject({ summary: "for the rest" });
});

test.each([
  [{ run: "echo no; exit 3" }, "step 1 (run) ended with 3: no"],
  [{ replace: "a", old: "x", new: "y" }, "step 1 (replace a): there is no such file"],
  [{ delete: "a" }, "step 1 (delete a): there is no such file"],
])("%j fails the attempt", async (step, error) => {
  const { end } = await play([step, { done: "never" }]);
  expect(end).toEqual({ outcome: "failed", error, summary: null, ...NOTHING });
});

test("a text that is not there cannot be replaced", async () => {
  const { end } = await play([
    { write: "a", text: "one" },
    { replace: "a", old: "two", new: "" },
  ]);
  expect(end.error).toBe('step 2 (replace a): "two" does not stand in it');
});

test("no step touches what lies outside the workspace, whatever links there are", async () => {
  const attempt = new Attempt();
  const outside = attempt.write("outside.txt", "mine\n");
  symlinkSync(attempt.base, join(attempt.workspace, "up"));
  symlinkSync(outside, join(attempt.workspace, "file"));
  symlinkSync(join(attempt.base, "nowhere.txt"), join(attempt.workspace, "dangling"));
  symlinkSync("inner", join(attempt.workspace, "within"));
  for (const path of ["up/outside.txt", "up/new.txt", "file", "dangling"]) {
    const { end } = await play([{ write: path, text: "yours" }], {}, again(attempt));
    expect(end.error).toBe(`step 1 (write ${path}): a symbolic link leads out of the workspace`);
  }
  expect(readFileSync(outside, "utf8")).toBe("mine\n");
  for (const name of ["new.txt", "nowhere.txt"]) expect(existsSync(join(attempt.base, name))).toBe(false);
  attempt.write("workspace/inner/x", "");
  expect((await play([{ write: "within/y", text: "" }], {}, again(attempt))).end.outcome).toBe("succeeded");
});

test("a wait and a command end with the attempt's time, or with its operator", async () => {
  const steps = [{ wait: 60_000 }, { run: "sleep 60" }];
  for (const step of steps) {
    const late = await play([{ usage: { input: 1 } }, step], { timeoutMs: 300 });
    expect(late.end).toMatchObject({ outcome: "interrupted", error: null, usage: { input: 1 } });
    const stop = new AbortController();
    // Long enough for the step to have begun; too early is the same end.
    const tell = () => setTimeout(() => stop.abort(), 200);
    const stopped = play([{ say: "x" }, step], { signal: stop.signal, tell });
    expect((await stopped).end).toMatchObject({ outcome: "interrupted", error: null });
  }
});

test("a script that is missing, wrong or silent is named", async () => {
  const attempt = new Attempt();
  const script = join(attempt.base, "none.json");
  const end = await attempt.run(agentFor({ adapter: "scripted", script }, attempt.processes));
  expect(end.error).toBe(`the script ${script} does not exist`);
  const wrong = await play([{ wirte: "a" }]);
  expect(wrong.end.error).toMatch(/^the script .*script\.json A\[0\]: must have exactly one of /);
  const silent = await play({ B: [] });
  expect(silent.end.error).toBe(`the script ${silent.script} says nothing of A#1, A or *`);
});

/** The same attempt, whose log does not exist yet. */
function again(attempt: Attempt): Attempt {
  const other = new Attempt();
  return Object.assign(other, { workspace: attempt.workspace });
}
