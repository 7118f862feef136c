import type { GraphInput } from "./graph-input.ts";

/** A way to part the tasks into groups that wait for each other as a whole. Groups are numbered from 0. */
export interface Grouping {
  /** The group of each task; -1: none. */
  groupOf: Int32Array;
  /** For each group the groups that all its tasks wait for; never a cycle. */
  waitsFor: number[][];
  /** Says why tasks of the first group on a way through `waitsFor` wait for tasks of its last. */
  because: (way: readonly number[]) => string;
}

/**
 * Parts the tasks at the barriers: below the first one, the barrier wave itself, between it and the next, and so on.
 * Each part waits for the one before it. A barrier wave without tasks still parts the waves below it from those above.
 */
export function waveGrouping({ tasks, barriers }: Pick<GraphInput, "tasks" | "barriers">): Grouping {
  const sorted = [...new Set(barriers)].sort((a, b) => a - b);
  if (sorted.length === 0) return { groupOf: new Int32Array(tasks.length).fill(-1), waitsFor: [], because: () => "" };
  const partOf = partsByWave(new Set(tasks.map((task) => task.wave)), sorted);
  const parts = [...new Set(partOf.values())].sort((a, b) => a - b);
  const groupOfPart = new Map(parts.map((part, group) => [part, group]));
  return {
    groupOf: Int32Array.from(tasks, (task) => groupOfPart.get(partOf.get(task.wave)!)!),
    waitsFor: parts.map((_, group) => (group === 0 ? [] : [group - 1])),
    because: (way) => `wave ${sorted[Math.floor((parts[way[0]!]! - 1) / 2)]} is a barrier`,
  };
}

/** Waves that are the n-th barrier are part 2n + 1; waves between two barriers have the even number between theirs. */
function partsByWave(waves: ReadonlySet<number>, barriers: readonly number[]): Map<number, number> {
  const parts = new Map<number, number>();
  let below = 0;
  for (const wave of [...waves].sort((a, b) => a - b)) {
    while (below < barriers.length && barriers[below]! < wave) below += 1;
    parts.set(wave, 2 * below + (barriers[below] === wave ? 1 : 0));
  }
  return parts;
}
