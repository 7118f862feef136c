import { type Adjacency, adjacencyOf, type LinkList } from "./adjacency.ts";
import { cycleText, fromLowest } from "./cycle-text.ts";
import { type GraphProblem, type GraphTask, quoted } from "./graph-input.ts";
import type { Grouping } from "./grouping.ts";
import { shortestCycles } from "./shortest-cycles.ts";

/** Reasons that one message spells out; a cycle through more groups than this is unheard of. */
const REASONS_SHOWN_MAX = 5;

/** Adds a problem for each set of tasks that wait for each other by their own `depends_on`. */
export function addCycles(tasks: readonly GraphTask[], graph: Adjacency, problems: GraphProblem[]): void {
  for (const found of shortestCycles(graph)) {
    const nodes = fromLowest(found);
    const cycle = nodes.map((node) => tasks[node]!.id);
    const path = ["tasks", nodes[0]!, "depends_on", tasks[nodes[0]!]!.depends_on.indexOf(cycle[1]!)];
    problems.push({ code: "cycle", path, message: `tasks wait for each other: ${cycleText(cycle)}`, cycle });
  }
}

/**
 * Adds a problem for each set of tasks that wait for each other only because scopes or barriers make them. Every group
 * has two nodes of its own here, its start and its end, so the graph stays small and a cycle goes the way that a person
 * would explain, whichever links are compiled in the end.
 */
export function addGroupCycles(
  tasks: readonly GraphTask[],
  links: LinkList,
  groupings: readonly Grouping[],
  problems: GraphProblem[],
): void {
  const all: LinkList = { from: links.from.slice(), to: links.to.slice() };
  const groupNodes: GroupNode[] = [];
  for (const grouping of groupings) linkGroups(grouping, tasks.length, all, groupNodes);
  if (groupNodes.length === 0) return;
  const graph = adjacencyOf(tasks.length + groupNodes.length, all);
  for (const cycle of shortestCycles(graph, tasks.length)) problems.push(groupCycle(tasks, cycle, groupNodes));
}

interface GroupNode {
  grouping: Grouping;
  group: number;
}

function linkGroups(grouping: Grouping, taskCount: number, links: LinkList, groupNodes: GroupNode[]): void {
  const base = taskCount + groupNodes.length;
  const startOf = (group: number) => base + 2 * group;
  const endOf = (group: number) => base + 2 * group + 1;
  const link = (from: number, to: number) => {
    links.from.push(from);
    links.to.push(to);
  };
  for (const [group, earlier] of grouping.waitsFor.entries()) {
    groupNodes.push({ grouping, group }, { grouping, group });
    link(endOf(group), startOf(group));
    for (const other of earlier) link(startOf(group), endOf(other));
  }
  for (const [task, group] of grouping.groupOf.entries()) {
    if (group === -1) continue;
    link(task, startOf(group));
    link(endOf(group), task);
  }
}

/** One step of a cycle: a task waits for the next one, itself or by way of these groups. */
interface Step {
  task: number;
  via: GroupNode[];
}

function groupCycle(
  tasks: readonly GraphTask[],
  nodes: readonly number[],
  groupNodes: readonly GroupNode[],
): GraphProblem {
  const steps = stepsOf(nodes, tasks.length, groupNodes);
  const cycle = steps.map((step) => tasks[step.task]!.id);
  const next = (index: number) => cycle[(index + 1) % cycle.length]!;
  const reasons = steps.flatMap((step, index) =>
    step.via.length === 0
      ? []
      : [`${quoted(cycle[index]!)} waits for ${quoted(next(index))} because ${reasonOf(step.via)}`],
  );
  const own = steps.findIndex((step) => step.via.length === 0);
  const at = tasks[steps[Math.max(own, 0)]!.task]!;
  const path = own === -1 ? [] : ["depends_on", at.depends_on.indexOf(next(own))];
  return {
    code: "group_cycle",
    path: ["tasks", steps[Math.max(own, 0)]!.task, ...path],
    message: `tasks wait for each other: ${cycleText(cycle)}; ${reasons.slice(0, REASONS_SHOWN_MAX).join("; ")}`,
    cycle,
  };
}

function stepsOf(nodes: readonly number[], taskCount: number, groupNodes: readonly GroupNode[]): Step[] {
  const steps: Step[] = [];
  for (const node of fromLowest(nodes)) {
    if (node < taskCount) steps.push({ task: node, via: [] });
    else steps.at(-1)!.via.push(groupNodes[node - taskCount]!);
  }
  return steps;
}

/** The nodes on the way are start, end, start, end ... of groups; each group is named once. */
function reasonOf(via: readonly GroupNode[]): string {
  return via[0]!.grouping.because([...new Set(via.map((node) => node.group))]);
}
