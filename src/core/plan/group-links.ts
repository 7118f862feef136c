import type { LinkList } from "./adjacency.ts";
import type { GraphProblem } from "./graph-input.ts";
import type { Grouping } from "./grouping.ts";

/** Each link is a row of the store, and the scheduler reads them: above this a plan needs a task that gathers others. */
export const GROUP_LINKS_MAX = 2_000_000;

/**
 * Compiles groups into links between tasks: from the tasks of a group that wait for none of their own group to the tasks
 * of an earlier group that nothing in it waits for. The rest follows, because links within a group have no cycle.
 * Above the bound it adds a problem instead.
 */
export function groupLinks(links: LinkList, groupings: readonly Grouping[], problems: GraphProblem[]): LinkList {
  const compiled: LinkList = { from: [], to: [] };
  let count = 0;
  for (const grouping of groupings) {
    const { first, last } = edgesOfGroups(grouping, links);
    for (const [group, members] of first.entries()) {
      if (members.length === 0) continue;
      for (const earlier of nearestWithTasks(group, grouping.waitsFor, last)) {
        count += members.length * last[earlier]!.length;
        if (count <= GROUP_LINKS_MAX) linkAll(members, last[earlier]!, compiled);
      }
    }
  }
  if (count > GROUP_LINKS_MAX) problems.push({ code: "too_many_edges", path: [], message: tooMany(count) });
  return compiled;
}

/** For each group the tasks that it begins with and those that it ends with. */
function edgesOfGroups({ groupOf, waitsFor }: Grouping, links: LinkList): { first: number[][]; last: number[][] } {
  const waits = new Uint8Array(groupOf.length);
  const isWaitedFor = new Uint8Array(groupOf.length);
  for (let link = 0; link < links.from.length; link++) {
    const from = links.from[link]!;
    const to = links.to[link]!;
    if (groupOf[from] !== groupOf[to]) continue;
    waits[from] = 1;
    isWaitedFor[to] = 1;
  }
  const first: number[][] = waitsFor.map(() => []);
  const last: number[][] = waitsFor.map(() => []);
  for (const [task, group] of groupOf.entries()) {
    if (group === -1) continue;
    if (waits[task] === 0) first[group]!.push(task);
    if (isWaitedFor[task] === 0) last[group]!.push(task);
  }
  return { first, last };
}

/** The groups that `group` waits for; a group without tasks stands for those that it waits for itself. */
function nearestWithTasks(group: number, waitsFor: readonly number[][], last: readonly number[][]): number[] {
  const seen = new Set([group]);
  for (const at of seen) {
    if (at !== group && last[at]!.length > 0) continue;
    for (const earlier of waitsFor[at]!) seen.add(earlier);
  }
  return [...seen].filter((at) => at !== group && last[at]!.length > 0);
}

function linkAll(from: readonly number[], to: readonly number[], links: LinkList): void {
  for (const later of from) {
    for (const earlier of to) {
      links.from.push(later);
      links.to.push(earlier);
    }
  }
}

function tooMany(count: number): string {
  const wanted = count.toLocaleString("en-US");
  const limit = GROUP_LINKS_MAX.toLocaleString("en-US");
  return `barriers and scopes make ${wanted} links between tasks, above the limit of ${limit}: let one task wait for all of the earlier group and the later group wait for that task`;
}
