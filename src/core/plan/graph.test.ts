import { describe, expect, it } from "vitest";
import { compileGraph } from "./graph.ts";
import type { GraphInput, GraphTask } from "./graph-input.ts";

const task = (id: string, depends_on: string[] = [], rest: Partial<GraphTask> = {}): GraphTask => ({
  id,
  depends_on,
  wave: 1,
  scope: null,
  ...rest,
});

const plan = (tasks: GraphTask[], rest: Partial<GraphInput> = {}): GraphInput => ({
  tasks,
  barriers: [],
  scopes: {},
  ...rest,
});

function problemsOf(input: GraphInput) {
  const result = compileGraph(input);
  return result.ok ? [] : result.problems;
}

function tasksOf(input: GraphInput) {
  const result = compileGraph(input);
  if (!result.ok) throw new Error(result.problems.map((problem) => problem.message).join("\n"));
  return result.tasks;
}

describe("compileGraph", () => {
  it("keeps the order of the tasks and of their dependencies, and gives each the longest path to the end", () => {
    const input = plan([task("d", ["c", "a"]), task("a"), task("b", ["a"]), task("c", ["b"]), task("e")]);
    expect(tasksOf(input)).toEqual([
      { id: "d", depends_on: ["c", "a"], path: 0 },
      { id: "a", depends_on: [], path: 3 },
      { id: "b", depends_on: ["a"], path: 2 },
      { id: "c", depends_on: ["b"], path: 1 },
      { id: "e", depends_on: [], path: 0 },
    ]);
  });

  it("counts a dependency that is listed twice once", () => {
    expect(tasksOf(plan([task("a"), task("b", ["a", "a"])]))[1]).toEqual({ id: "b", depends_on: ["a"], path: 0 });
  });

  it("accepts a plan without tasks", () => {
    expect(compileGraph(plan([]))).toEqual({ ok: true, tasks: [] });
  });

  it("reports every problem at once, each at its place", () => {
    const input = plan(
      [
        task("F-1"),
        task("F-1"),
        task("F-2", ["F-2"]),
        task("F-3", ["F-1", "f-4"]),
        task("F-4", ["nothing"]),
        task("a", ["b"], { scope: "wet" }),
        task("b", ["c"]),
        task("c", ["a"]),
      ],
      { scopes: { web: { depends_on: ["elsewhere"] }, one: { depends_on: ["two"] }, two: { depends_on: ["one"] } } },
    );
    expect(problemsOf(input)).toEqual([
      {
        code: "duplicate_id",
        path: ["tasks", 1, "id"],
        message: 'the id "F-1" is that of task number 1 already; ids are unique in a plan',
      },
      { code: "self_dependency", path: ["tasks", 2, "depends_on", 0], message: '"F-2" depends on itself' },
      {
        code: "unknown_dependency",
        path: ["tasks", 3, "depends_on", 1],
        message: '"F-3" depends on "f-4", which is no task of this plan; did you mean "F-4"?',
      },
      {
        code: "unknown_dependency",
        path: ["tasks", 4, "depends_on", 0],
        message: '"F-4" depends on "nothing", which is no task of this plan',
      },
      {
        code: "unknown_scope_dependency",
        path: ["scopes", "web", "depends_on", 0],
        message: 'scope "web" depends on scope "elsewhere", which this plan does not define',
      },
      {
        code: "unknown_scope",
        path: ["tasks", 5, "scope"],
        message: '"a" has the scope "wet", which this plan does not define; did you mean "web"?',
      },
      {
        code: "scope_cycle",
        path: ["scopes", "one", "depends_on", 0],
        message: "scopes wait for each other: one > two > one",
        cycle: ["one", "two"],
      },
      {
        code: "cycle",
        path: ["tasks", 5, "depends_on", 0],
        message: "tasks wait for each other: a > b > c > a",
        cycle: ["a", "b", "c"],
      },
    ]);
  });

  it("reports the shortest cycle of tasks that are tied together in several ways", () => {
    const input = plan([task("a", ["b"]), task("b", ["c"]), task("c", ["d"]), task("d", ["a", "c"])]);
    expect(problemsOf(input).map((problem) => [problem.path, problem.message])).toEqual([
      [["tasks", 2, "depends_on", 0], "tasks wait for each other: c > d > c"],
    ]);
  });

  it("reports every set of tasks that wait for each other", () => {
    const input = plan([task("a", ["b"]), task("b", ["a"]), task("c", ["a", "d"]), task("d", ["c"])]);
    expect(problemsOf(input).map((problem) => problem.message)).toEqual([
      "tasks wait for each other: a > b > a",
      "tasks wait for each other: c > d > c",
    ]);
  });

  it("shows the two ends of a very long cycle and keeps all of it beside the message", () => {
    const tasks = Array.from({ length: 1000 }, (_, index) => task(`t${index}`, [`t${(index + 1) % 1000}`]));
    const [problem] = problemsOf(plan(tasks));
    expect(problem?.cycle).toHaveLength(1000);
    expect(problem?.message).toMatch(
      /^tasks wait for each other: t0 > t1 > .* > t49 > \.\.\. \(900 more\) \.\.\. > t950 > .* > t999 > t0$/,
    );
  });

  it("says that a scope depends on itself", () => {
    expect(problemsOf(plan([task("a", [], { scope: "s" })], { scopes: { s: { depends_on: ["s"] } } }))).toEqual([
      {
        code: "scope_cycle",
        path: ["scopes", "s", "depends_on", 0],
        message: 'scope "s" depends on itself',
        cycle: ["s"],
      },
    ]);
  });
});

describe("a large plan", () => {
  it("takes a chain of 100,000 tasks without overflowing the stack", () => {
    const tasks = Array.from({ length: 100_000 }, (_, index) =>
      task(`t${index}`, index === 0 ? [] : [`t${index - 1}`]),
    );
    expect(tasksOf(plan(tasks))[0]?.path).toBe(99_999);
  });

  it("takes a cycle of 100,000 tasks", () => {
    const tasks = Array.from({ length: 100_000 }, (_, index) => task(`t${index}`, [`t${(index + 1) % 100_000}`]));
    expect(problemsOf(plan(tasks))[0]?.cycle).toHaveLength(100_000);
  });

  it("compiles 100,000 tasks with 300,000 dependencies within seconds", () => {
    const tasks = Array.from({ length: 100_000 }, (_, index) =>
      task(
        `t${index}`,
        [1, 7, 1000].filter((back) => back <= index).map((back) => `t${index - back}`),
      ),
    );
    expect(tasksOf(plan(tasks))).toHaveLength(100_000);
  }, 5_000);

  it("answers a plan in which every dependency is wrong within seconds", () => {
    const tasks = Array.from({ length: 100_000 }, (_, index) => task(`task-${index}`, [`tusk-${index}`]));
    expect(problemsOf(plan(tasks))).toHaveLength(100_000);
  }, 5_000);
});
