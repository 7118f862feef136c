import type { LinkList } from "./adjacency.ts";
import { type GraphProblem, type GraphTask, quoted } from "./graph-input.ts";
import { nearestNames } from "./nearest-name.ts";

/**
 * Turns `depends_on` into links from a task's index to the indexes of what it waits for, and adds what is wrong with
 * ids and dependencies to `problems`. Dependencies that are wrong are left out; one that is listed twice makes two links.
 */
export function readLinks(tasks: readonly GraphTask[], problems: GraphProblem[]): LinkList {
  const indexOf = indexIds(tasks, problems);
  const nearest = nearestNames(indexOf.keys());
  const links: LinkList = { from: [], to: [] };
  for (let index = 0; index < tasks.length; index++) {
    const task = tasks[index]!;
    for (let place = 0; place < task.depends_on.length; place++) {
      const dependency = task.depends_on[place]!;
      const target = indexOf.get(dependency);
      if (target === undefined || dependency === task.id) {
        const path = ["tasks", index, "depends_on", place];
        problems.push({ path, ...wrongDependency(task.id, dependency, nearest) });
      } else {
        links.from.push(index);
        links.to.push(target);
      }
    }
  }
  return links;
}

function indexIds(tasks: readonly GraphTask[], problems: GraphProblem[]): Map<string, number> {
  const indexOf = new Map<string, number>();
  for (const [index, task] of tasks.entries()) {
    const first = indexOf.get(task.id);
    if (first === undefined) {
      indexOf.set(task.id, index);
      continue;
    }
    const message = `the id ${quoted(task.id)} is that of task number ${first + 1} already; ids are unique in a plan`;
    problems.push({ code: "duplicate_id", path: ["tasks", index, "id"], message });
  }
  return indexOf;
}

function wrongDependency(
  id: string,
  dependency: string,
  nearest: (wrong: string) => string | null,
): Omit<GraphProblem, "path"> {
  if (dependency === id) return { code: "self_dependency", message: `${quoted(id)} depends on itself` };
  const meant = nearest(dependency);
  const question = meant === null ? "" : `; did you mean ${quoted(meant)}?`;
  const message = `${quoted(id)} depends on ${quoted(dependency)}, which is no task of this plan${question}`;
  return { code: "unknown_dependency", message };
}
