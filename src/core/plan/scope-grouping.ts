import { adjacencyOf, type LinkList } from "./adjacency.ts";
import { knotsOf } from "./components.ts";
import { cycleText, fromLowest } from "./cycle-text.ts";
import { type GraphInput, type GraphProblem, quoted } from "./graph-input.ts";
import type { Grouping } from "./grouping.ts";
import { nearestNames } from "./nearest-name.ts";
import { shortestCycles } from "./shortest-cycles.ts";

/**
 * Groups the tasks by scope, and adds what is wrong with scopes to `problems`. A scope without tasks passes on what it
 * waits for. Links between scopes of one cycle are reported once and left out, so that no task is blamed for them.
 */
export function scopeGrouping(input: Pick<GraphInput, "tasks" | "scopes">, problems: GraphProblem[]): Grouping {
  const names = Object.keys(input.scopes);
  const indexOf = new Map(names.map((name, index) => [name, index]));
  const nearest = nearestNames(names);
  const links = readScopeLinks(input.scopes, { indexOf, nearest, problems });
  return {
    groupOf: groupTasks(input.tasks, { indexOf, nearest, problems }),
    waitsFor: withoutCycles(names, links, input.scopes, problems),
    because: (way) => `of scopes ${way.map((scope) => names[scope]).join(" > ")}`,
  };
}

interface Reading {
  indexOf: ReadonlyMap<string, number>;
  nearest: (wrong: string) => string | null;
  problems: GraphProblem[];
}

function readScopeLinks(scopes: GraphInput["scopes"], { indexOf, nearest, problems }: Reading): LinkList {
  const links: LinkList = { from: [], to: [] };
  for (const [name, scope] of Object.entries(scopes)) {
    const index = indexOf.get(name)!;
    const seen = new Set<number>();
    for (const [place, dependency] of scope.depends_on.entries()) {
      const path = ["scopes", name, "depends_on", place];
      const target = indexOf.get(dependency);
      if (target === index) {
        problems.push({ code: "scope_cycle", path, message: `scope ${quoted(name)} depends on itself`, cycle: [name] });
      } else if (target === undefined) {
        const message = `scope ${quoted(name)} depends on scope ${quoted(dependency)}, ${unknown(dependency, nearest)}`;
        problems.push({ code: "unknown_scope_dependency", path, message });
      } else if (!seen.has(target)) {
        seen.add(target);
        links.from.push(index);
        links.to.push(target);
      }
    }
  }
  return links;
}

function groupTasks(tasks: GraphInput["tasks"], { indexOf, nearest, problems }: Reading): Int32Array {
  return Int32Array.from(tasks, (task, index) => {
    if (task.scope === null) return -1;
    const scope = indexOf.get(task.scope);
    if (scope !== undefined) return scope;
    const message = `${quoted(task.id)} has the scope ${quoted(task.scope)}, ${unknown(task.scope, nearest)}`;
    problems.push({ code: "unknown_scope", path: ["tasks", index, "scope"], message });
    return -1;
  });
}

function unknown(name: string, nearest: (wrong: string) => string | null): string {
  const meant = nearest(name);
  return `which this plan does not define${meant === null ? "" : `; did you mean ${quoted(meant)}?`}`;
}

function withoutCycles(
  names: readonly string[],
  links: LinkList,
  scopes: GraphInput["scopes"],
  problems: GraphProblem[],
): number[][] {
  const graph = adjacencyOf(names.length, links);
  for (const found of shortestCycles(graph)) {
    const cycle = fromLowest(found).map((scope) => names[scope]!);
    const [first, second] = [cycle[0]!, cycle[1]!];
    const path = ["scopes", first, "depends_on", scopes[first]!.depends_on.indexOf(second)];
    problems.push({ code: "scope_cycle", path, message: `scopes wait for each other: ${cycleText(cycle)}`, cycle });
  }
  const knotOf = new Map<number, number>();
  for (const [knot, members] of knotsOf(graph).entries()) for (const scope of members) knotOf.set(scope, knot);
  const isInCycle = (from: number, to: number) => knotOf.has(from) && knotOf.get(from) === knotOf.get(to);
  return names.map((_, scope) =>
    [...graph.targets.subarray(graph.starts[scope]!, graph.starts[scope + 1]!)].filter((to) => !isInCycle(scope, to)),
  );
}
