import fc from "fast-check";
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

describe("groups of tasks", () => {
  it("links the first tasks of a scope to the last ones of the scope that it depends on", () => {
    const api = { scope: "api" };
    const web = { scope: "web" };
    const tasks = [
      task("a1", [], api),
      task("a2", ["a1"], api),
      task("w1", [], web),
      task("w2", ["w1"], web),
      task("x"),
    ];
    const input = plan(tasks, { scopes: { api: { depends_on: [] }, web: { depends_on: ["api", "api"] } } });
    expect(tasksOf(input).map(({ id, depends_on }) => [id, depends_on])).toEqual([
      ["a1", []],
      ["a2", ["a1"]],
      ["w1", ["a2"]],
      ["w2", ["w1"]],
      ["x", []],
    ]);
  });

  it("lets a scope without tasks pass on what it waits for", () => {
    const tasks = [task("c", [], { scope: "c" }), task("a", [], { scope: "a" })];
    const scopes = { a: { depends_on: ["b"] }, b: { depends_on: ["c"] }, c: { depends_on: [] } };
    expect(tasksOf(plan(tasks, { scopes }))[1]).toEqual({ id: "a", depends_on: ["c"], path: 0 });
  });

  it("makes a barrier wave wait for all lower waves and all higher waves wait for it", () => {
    const tasks = [1, 2, 3, 4, 5].map((wave) => task(`w${wave}`, [], { wave }));
    expect(tasksOf(plan(tasks, { barriers: [3, 3] })).map((linked) => linked.depends_on)).toEqual([
      [],
      [],
      ["w1", "w2"],
      ["w3"],
      ["w3"],
    ]);
  });

  it("parts the waves at a barrier that no task has", () => {
    const tasks = [task("b", [], { wave: 9 }), task("a", [], { wave: 1 })];
    expect(tasksOf(plan(tasks, { barriers: [4] })).map((linked) => linked.depends_on)).toEqual([["a"], []]);
  });

  it("takes waves as mere hints where no barrier is named", () => {
    const tasks = [task("b", [], { wave: 9 }), task("a", ["b"], { wave: 1 })];
    expect(tasksOf(plan(tasks)).map((linked) => linked.depends_on)).toEqual([[], ["b"]]);
  });

  it("says which barrier makes tasks wait for each other", () => {
    const tasks = [
      task("x", ["z", "y"], { wave: 1 }),
      task("y", [], { wave: 5 }),
      task("z"),
      task("m", [], { wave: 3 }),
    ];
    expect(problemsOf(plan(tasks, { barriers: [3] }))).toEqual([
      {
        code: "group_cycle",
        path: ["tasks", 0, "depends_on", 1],
        message: 'tasks wait for each other: x > y > x; "y" waits for "x" because wave 3 is a barrier',
        cycle: ["x", "y"],
      },
    ]);
  });

  it("says which scopes make tasks wait for each other", () => {
    const tasks = [
      task("a", ["c"], { scope: "api" }),
      task("b", [], { scope: "lib" }),
      task("c", [], { scope: "web" }),
    ];
    const scopes = { web: { depends_on: ["lib"] }, lib: { depends_on: ["api"] }, api: { depends_on: [] } };
    expect(problemsOf(plan(tasks, { scopes })).map((problem) => problem.message)).toEqual([
      'tasks wait for each other: a > c > a; "c" waits for "a" because of scopes web > lib > api',
    ]);
  });

  it("names both where a scope and a barrier contradict each other", () => {
    const tasks = [task("a", [], { scope: "api", wave: 2 }), task("b", [], { scope: "web", wave: 1 })];
    const scopes = { web: { depends_on: ["api"] }, api: { depends_on: [] } };
    expect(problemsOf(plan(tasks, { scopes, barriers: [2] }))).toEqual([
      {
        code: "group_cycle",
        path: ["tasks", 0],
        message:
          'tasks wait for each other: a > b > a; "a" waits for "b" because wave 2 is a barrier; "b" waits for "a" because of scopes web > api',
        cycle: ["a", "b"],
      },
    ]);
  });

  it("reports a cycle by group beside a cycle that the same tasks make by themselves", () => {
    const tasks = [task("a", ["b"], { wave: 1 }), task("b", ["a"], { wave: 2 })];
    expect(problemsOf(plan(tasks, { barriers: [2] })).map((problem) => problem.code)).toEqual(["cycle", "group_cycle"]);
  });

  it("refuses groups that compile into too many links", () => {
    const half = (wave: number) => Array.from({ length: 2000 }, (_, index) => task(`${wave}-${index}`, [], { wave }));
    expect(problemsOf(plan([...half(1), ...half(2)], { barriers: [2] }))).toEqual([
      {
        code: "too_many_edges",
        path: [],
        message:
          "barriers and scopes make 4,000,000 links between tasks, above the limit of 2,000,000: let one task wait for all of the earlier group and the later group wait for that task",
      },
    ]);
  });
});

describe("any graph", () => {
  const SCOPES = ["p", "q", "r"];
  const anyInput = fc
    .integer({ min: 0, max: 8 })
    .chain((count) =>
      fc.record({
        tasks: fc.tuple(
          ...Array.from({ length: count }, (_, index) =>
            fc.record({
              id: fc.constant(`t${index}`),
              depends_on: fc.array(fc.nat({ max: Math.max(0, count - 1) }), { maxLength: 2 }),
              wave: fc.integer({ min: 1, max: 4 }),
              scope: fc.option(fc.constantFrom(...SCOPES), { freq: 1 }),
            }),
          ),
        ),
        barriers: fc.array(fc.integer({ min: 1, max: 4 }), { maxLength: 2 }),
        scopes: fc.record(
          Object.fromEntries(
            SCOPES.map((scope) => [scope, fc.record({ depends_on: fc.subarray(SCOPES, { maxLength: 1 }) })]),
          ),
        ),
        forward: fc.boolean(),
      }),
    )
    .map(({ tasks, barriers, scopes, forward }) =>
      plan(
        tasks.map((each, index) => ({
          ...each,
          depends_on: each.depends_on
            .filter((target) => target !== index && (!forward || target < index))
            .map((target) => `t${target}`),
        })),
        { barriers, scopes },
      ),
    );

  it("makes exactly those tasks wait for each other that the groups and dependencies say, or reports a cycle", () => {
    let accepted = 0;
    fc.assert(
      fc.property(anyInput, (input) => {
        const expected = closureByForce(input);
        const isCyclic = input.tasks.some((each) => expected.get(each.id)?.has(each.id));
        const scopesAreCyclic = SCOPES.some((scope) => scopeClosure(input, scope).has(scope));
        const result = compileGraph(input);
        expect(result.ok).toBe(!isCyclic && !scopesAreCyclic);
        if (!result.ok) {
          for (const problem of result.problems) if (problem.code.endsWith("cycle")) expectRealCycle(problem, expected);
          return;
        }
        accepted += 1;
        const direct = new Map(result.tasks.map((each) => [each.id, each.depends_on]));
        expect(closure(direct)).toEqual(expected);
        for (const each of result.tasks) expect(new Set(each.depends_on).size).toBe(each.depends_on.length);
        for (const each of result.tasks) expect(each.path).toBe(longestByForce(each.id, direct));
      }),
      { numRuns: 2000 },
    );
    expect(accepted).toBeGreaterThan(100);
  });

  function expectRealCycle(problem: { code: string; cycle?: readonly string[] }, expected: Map<string, Set<string>>) {
    if (problem.code === "scope_cycle") return;
    const cycle = problem.cycle ?? [];
    expect(cycle.length).toBeGreaterThan(1);
    for (const [index, id] of cycle.entries()) expect(expected.get(id)).toContain(cycle[(index + 1) % cycle.length]);
  }

  function scopeClosure(input: GraphInput, scope: string): Set<string> {
    const direct = new Map(Object.entries(input.scopes).map(([name, { depends_on }]) => [name, [...depends_on]]));
    return closure(direct).get(scope)!;
  }

  /** The meaning of groups word by word: all pairs of tasks, no economy. */
  function closureByForce(input: GraphInput): Map<string, Set<string>> {
    const waits = (later: GraphTask, earlier: GraphTask) =>
      later.depends_on.includes(earlier.id) ||
      input.barriers.some(
        (barrier) => later.wave > earlier.wave && (later.wave === barrier || earlier.wave === barrier),
      ) ||
      input.barriers.some((barrier) => later.wave > barrier && earlier.wave < barrier) ||
      (later.scope !== null && earlier.scope !== null && scopeClosure(input, later.scope).has(earlier.scope));
    const direct = new Map(
      input.tasks.map((later) => [
        later.id,
        input.tasks.filter((earlier) => waits(later, earlier)).map(({ id }) => id),
      ]),
    );
    return closure(direct);
  }

  function closure(direct: ReadonlyMap<string, readonly string[]>): Map<string, Set<string>> {
    return new Map(
      [...direct.keys()].map((id) => {
        const reached = new Set(direct.get(id));
        for (const at of reached) for (const next of direct.get(at) ?? []) reached.add(next);
        return [id, reached];
      }),
    );
  }

  function longestByForce(id: string, direct: ReadonlyMap<string, readonly string[]>): number {
    const dependents = [...direct].filter(([, targets]) => targets.includes(id)).map(([other]) => other);
    return Math.max(0, ...dependents.map((other) => 1 + longestByForce(other, direct)));
  }
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

  it("compiles 100,000 tasks with 300,000 dependencies within a second", () => {
    const tasks = Array.from({ length: 100_000 }, (_, index) =>
      task(
        `t${index}`,
        [1, 7, 1000].filter((back) => back <= index).map((back) => `t${index - back}`),
      ),
    );
    const started = performance.now();
    expect(tasksOf(plan(tasks))).toHaveLength(100_000);
    expect(performance.now() - started).toBeLessThan(1000);
  });

  it("answers a plan in which every dependency is wrong within two seconds", () => {
    const tasks = Array.from({ length: 100_000 }, (_, index) => task(`task-${index}`, [`tusk-${index}`]));
    const started = performance.now();
    expect(problemsOf(plan(tasks))).toHaveLength(100_000);
    expect(performance.now() - started).toBeLessThan(2000);
  });
});
