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
