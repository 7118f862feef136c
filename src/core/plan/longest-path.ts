import { type Adjacency, nodeCountOf } from "./adjacency.ts";

/**
 * For each task the number of links on the longest way from it to a task that nothing waits for. The graph links each
 * task to what it waits for and has no cycle. O(tasks + links), without recursion.
 */
export function longestPaths(graph: Adjacency): Int32Array {
  const nodeCount = nodeCountOf(graph);
  const paths = new Int32Array(nodeCount);
  const waiting = new Int32Array(nodeCount);
  for (const target of graph.targets) waiting[target]!++;
  const settled: number[] = [];
  for (let node = 0; node < nodeCount; node++) if (waiting[node] === 0) settled.push(node);
  for (const node of settled) {
    for (let link = graph.starts[node]!; link < graph.starts[node + 1]!; link++) {
      const target = graph.targets[link]!;
      paths[target] = Math.max(paths[target]!, paths[node]! + 1);
      waiting[target]!--;
      if (waiting[target] === 0) settled.push(target);
    }
  }
  return paths;
}
