import { type Adjacency, nodeCountOf } from "./adjacency.ts";

/**
 * The strongly connected components that have more than one node: each is a set of nodes that all reach each other,
 * in ascending order, and so holds a cycle. Tarjan's algorithm with its own stack, because a chain may be 100,000 long.
 */
export function knotsOf(graph: Adjacency): number[][] {
  const walk = newWalk(nodeCountOf(graph));
  const knots: number[][] = [];
  for (let root = 0; root < walk.order.length; root++) {
    if (walk.order[root] === 0) visitFrom(root, graph, walk, knots);
  }
  return knots;
}

interface Walk {
  /** When each node was first seen, from 1; 0: not yet. */
  order: Int32Array;
  /** The earliest node that each one is known to reach. */
  low: Int32Array;
  /** The next link of each node to follow. */
  next: Int32Array;
  /** The way from the root to the node at hand. */
  way: number[];
  /** Nodes that belong to no component yet. */
  open: number[];
  isOpen: Uint8Array;
  seen: number;
}

function newWalk(nodeCount: number): Walk {
  return {
    order: new Int32Array(nodeCount),
    low: new Int32Array(nodeCount),
    next: new Int32Array(nodeCount),
    way: [],
    open: [],
    isOpen: new Uint8Array(nodeCount),
    seen: 0,
  };
}

function visitFrom(root: number, graph: Adjacency, walk: Walk, knots: number[][]): void {
  enter(root, graph, walk);
  while (walk.way.length > 0) {
    const node = walk.way.at(-1)!;
    if (walk.next[node]! < graph.starts[node + 1]!) {
      const target = graph.targets[walk.next[node]!++]!;
      if (walk.order[target] === 0) enter(target, graph, walk);
      else if (walk.isOpen[target] === 1) walk.low[node] = Math.min(walk.low[node]!, walk.order[target]!);
      continue;
    }
    walk.way.pop();
    const parent = walk.way.at(-1);
    if (parent !== undefined) walk.low[parent] = Math.min(walk.low[parent]!, walk.low[node]!);
    if (walk.low[node] === walk.order[node]) close(node, walk, knots);
  }
}

function enter(node: number, graph: Adjacency, walk: Walk): void {
  walk.seen += 1;
  walk.order[node] = walk.seen;
  walk.low[node] = walk.seen;
  walk.next[node] = graph.starts[node]!;
  walk.way.push(node);
  walk.open.push(node);
  walk.isOpen[node] = 1;
}

function close(root: number, walk: Walk, knots: number[][]): void {
  const members: number[] = [];
  for (let node = -1; node !== root; ) {
    node = walk.open.pop()!;
    walk.isOpen[node] = 0;
    members.push(node);
  }
  if (members.length > 1) knots.push(members.sort((a, b) => a - b));
}
