import { invariant } from "../assert.ts";
import { type Adjacency, nodeCountOf } from "./adjacency.ts";
import { knotsOf } from "./components.ts";

/**
 * Links that the searches after the first in each component may follow, all together: the very shortest cycle of a large
 * component costs the product of its nodes and links, and a person needs a short one, soon.
 */
const SEARCH_LINKS_MAX = 2_000_000;

/**
 * One cycle for each strongly connected component: the shortest (within the bound above) that passes through a node
 * numbered `least` or more; components without such a node are left out. Each node of a cycle links to the next one and
 * the last to the first.
 */
export function shortestCycles(graph: Adjacency, least = 0): number[][] {
  const knots = knotsOf(graph);
  const search = newSearch(graph, knots);
  const cycles: number[][] = [];
  for (const members of knots) {
    const roots = members.filter((node) => node >= least);
    const shortest = shortestThrough(roots, search);
    if (shortest !== null) cycles.push(shortest);
  }
  return cycles;
}

interface Search {
  graph: Adjacency;
  /** The component of each node, from 1; 0: in no cycle. */
  knotOf: Int32Array;
  /** The root from which each node was reached last. */
  reachedFrom: Int32Array;
  parent: Int32Array;
  linksLeft: number;
}

function newSearch(graph: Adjacency, knots: readonly number[][]): Search {
  const nodeCount = nodeCountOf(graph);
  const knotOf = new Int32Array(nodeCount);
  for (const [index, members] of knots.entries()) {
    for (const node of members) knotOf[node] = index + 1;
  }
  const reachedFrom = new Int32Array(nodeCount).fill(-1);
  return { graph, knotOf, reachedFrom, parent: new Int32Array(nodeCount), linksLeft: SEARCH_LINKS_MAX };
}

function shortestThrough(roots: readonly number[], search: Search): number[] | null {
  let shortest: number[] | null = null;
  for (const root of roots) {
    if (shortest !== null && (shortest.length === 2 || search.linksLeft <= 0)) break;
    const cycle = cycleThrough(root, search);
    if (shortest === null || cycle.length < shortest.length) shortest = cycle;
  }
  return shortest;
}

/** Breadth first, so the first way back to the root is a shortest one. */
function cycleThrough(root: number, search: Search): number[] {
  const { graph, knotOf, reachedFrom, parent } = search;
  const queue = [root];
  for (const node of queue) {
    for (let link = graph.starts[node]!; link < graph.starts[node + 1]!; link++) {
      const target = graph.targets[link]!;
      search.linksLeft -= 1;
      if (target === root) return wayTo(node, root, parent);
      if (knotOf[target] !== knotOf[root] || reachedFrom[target] === root) continue;
      reachedFrom[target] = root;
      parent[target] = node;
      queue.push(target);
    }
  }
  invariant(false, `node ${root} is in a component but in no cycle`);
}

function wayTo(end: number, root: number, parent: Int32Array): number[] {
  const way = [end];
  for (let node = end; node !== root; ) {
    node = parent[node]!;
    way.push(node);
  }
  return way.reverse();
}
