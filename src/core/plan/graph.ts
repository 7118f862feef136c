import { type Adjacency, adjacencyOf } from "./adjacency.ts";
import { addCycles, addGroupCycles } from "./cycle-problems.ts";
import type { GraphInput, GraphProblem, GraphTask } from "./graph-input.ts";
import { groupLinks } from "./group-links.ts";
import { waveGrouping } from "./grouping.ts";
import { longestPaths } from "./longest-path.ts";
import { readLinks } from "./read-links.ts";
import { scopeGrouping } from "./scope-grouping.ts";

/** What the graph adds to a task; see the fields of the same names in `CompiledTask`. */
export interface LinkedTask {
  id: string;
  depends_on: string[];
  path: number;
}

export type GraphResult = { ok: true; tasks: LinkedTask[] } | { ok: false; problems: GraphProblem[] };

/**
 * Checks what waits for what, compiles scopes and barriers into dependencies, and measures the longest path of each task
 * to the end. The tasks keep their order; explicit dependencies come first, as written, each once. All problems are reported at once.
 */
export function compileGraph(input: GraphInput): GraphResult {
  const { tasks } = input;
  const problems: GraphProblem[] = [];
  const links = readLinks(tasks, problems);
  const groupings = [scopeGrouping(input, problems), waveGrouping(input)];
  addCycles(tasks, adjacencyOf(tasks.length, links), problems);
  addGroupCycles(tasks, links, groupings, problems);
  const compiled = groupLinks(links, groupings, problems);
  if (problems.length > 0) return { ok: false, problems };
  const all = { from: links.from.concat(compiled.from), to: links.to.concat(compiled.to) };
  return { ok: true, tasks: linkTasks(tasks, adjacencyOf(tasks.length, all)) };
}

function linkTasks(tasks: readonly GraphTask[], graph: Adjacency): LinkedTask[] {
  const paths = longestPaths(graph);
  const lastLinkedFrom = new Int32Array(tasks.length).fill(-1);
  return tasks.map((task, index) => {
    const depends_on: string[] = [];
    for (let link = graph.starts[index]!; link < graph.starts[index + 1]!; link++) {
      const target = graph.targets[link]!;
      if (lastLinkedFrom[target] === index) continue;
      lastLinkedFrom[target] = index;
      depends_on.push(tasks[target]!.id);
    }
    return { id: task.id, depends_on, path: paths[index]! };
  });
}
