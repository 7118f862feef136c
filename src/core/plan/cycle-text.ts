/** A cycle of more tasks than this is shown by its two ends: nobody reads on, and a message has to fit a screen. */
const SHOWN_MAX = 100;

/** Writes a cycle as `a > b > c > a`: each waits for the next. */
export function cycleText(cycle: readonly string[]): string {
  const shown =
    cycle.length <= SHOWN_MAX
      ? cycle
      : [
          ...cycle.slice(0, SHOWN_MAX / 2),
          `... (${cycle.length - SHOWN_MAX} more) ...`,
          ...cycle.slice(cycle.length - SHOWN_MAX / 2),
        ];
  return [...shown, cycle[0]].join(" > ");
}

/** Turns a cycle so that it begins with its lowest number, which is what stands first in the file. */
export function fromLowest(cycle: readonly number[]): number[] {
  const lowest = cycle.reduce((best, node, index) => (node < cycle[best]! ? index : best), 0);
  return [...cycle.slice(lowest), ...cycle.slice(0, lowest)];
}
