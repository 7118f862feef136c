/** The links of a graph by index, in compressed rows: the targets of node n stand from starts[n] to before starts[n + 1]. */
export interface Adjacency {
  starts: Int32Array;
  targets: Int32Array;
}

/** Links in the order in which they were found: link k goes from `from[k]` to `to[k]`. */
export interface LinkList {
  from: number[];
  to: number[];
}

/** Compresses links into rows; the links of one node keep their order. */
export function adjacencyOf(nodeCount: number, links: LinkList): Adjacency {
  const starts = new Int32Array(nodeCount + 1);
  for (const node of links.from) starts[node + 1]!++;
  for (let node = 0; node < nodeCount; node++) starts[node + 1]! += starts[node]!;
  const next = starts.slice();
  const targets = new Int32Array(links.to.length);
  for (let link = 0; link < links.to.length; link++) targets[next[links.from[link]!]!++] = links.to[link]!;
  return { starts, targets };
}

/** How many nodes the graph has. */
export function nodeCountOf(graph: Adjacency): number {
  return graph.starts.length - 1;
}
