/** A task as a picture of the plan shows it. */
export interface DrawnTask {
  id: string;
  depends_on: readonly string[];
  /** One of the eight states, where it is known: it colours the task. */
  state?: string;
}

/** Fill colours by state; they differ in lightness too. */
const COLOURS: Readonly<Record<string, string>> = {
  pending: "#ffffff",
  in_progress: "#9ecbff",
  claimed_done: "#d3e5ff",
  verified: "#7fd08a",
  failed: "#f28b82",
  blocked: "#fdd663",
  skipped: "#dadce0",
  cancelled: "#bdc1c6",
};

/** The plan as a Mermaid flow chart; arrows go from a task to those that wait for it. Safe for any id. */
export function mermaid(tasks: readonly DrawnTask[]): string {
  const { nodes, links } = drawing(tasks);
  return lines([
    "flowchart LR",
    ...nodes.map(({ name, id, state }) => `  ${name}["${mermaidText(id)}"]${state === null ? "" : `:::${state}`}`),
    ...links.map(([from, to]) => `  ${from} --> ${to}`),
    ...statesOf(nodes).map((state) => `  classDef ${state} fill:${COLOURS[state]},stroke:#3c4043,color:#202124`),
  ]);
}

/** The plan as a Graphviz graph; arrows go from a task to those that wait for it. Safe for any id. */
export function dot(tasks: readonly DrawnTask[]): string {
  const { nodes, links } = drawing(tasks);
  return lines([
    "digraph plan {",
    "  rankdir=LR;",
    '  node [shape=box, style="rounded,filled", fillcolor="#ffffff"];',
    ...nodes.map(({ name, id, state }) => {
      const colour = state === null ? "" : `, class="${state}", fillcolor="${COLOURS[state]}"`;
      return `  ${name} [label="${dotText(id)}"${colour}];`;
    }),
    ...links.map(([from, to]) => `  ${from} -> ${to};`),
    "}",
  ]);
}

interface Node {
  name: string;
  id: string;
  state: string | null;
}

/** Nodes are numbered, so no id is ever read as syntax. Dependencies that are not in the list become nodes, too. */
function drawing(tasks: readonly DrawnTask[]): { nodes: Node[]; links: [string, string][] } {
  const nodes = new Map<string, Node>();
  const add = (id: string, state: string | null) => {
    if (!nodes.has(id)) nodes.set(id, { name: `n${nodes.size}`, id, state });
    return nodes.get(id)!.name;
  };
  for (const { id, state } of tasks) add(id, state !== undefined && Object.hasOwn(COLOURS, state) ? state : null);
  const links = tasks.flatMap((task) =>
    task.depends_on.map((dependency): [string, string] => [add(dependency, null), add(task.id, null)]),
  );
  return { nodes: [...nodes.values()], links };
}

function statesOf(nodes: readonly Node[]): string[] {
  return Object.keys(COLOURS).filter((state) => nodes.some((node) => node.state === state));
}

/** Mermaid reads Markdown, HTML and comments in labels, so punctuation is written as numbered entities. */
function mermaidText(id: string): string {
  return id.replace(/^-|[\p{Cc}!-,.;-@[-`{-~]/gu, (character) => `#${character.codePointAt(0)};`);
}

/** Graphviz knows escapes and HTML entities in labels. */
function dotText(id: string): string {
  return id.replace(/[\\"]/g, "\\$&").replaceAll("&", "&amp;");
}

function lines(parts: readonly string[]): string {
  return `${parts.join("\n")}\n`;
}
