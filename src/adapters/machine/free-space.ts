import { existsSync, statfsSync } from "node:fs";
import { dirname } from "node:path";
import type { Clock } from "../../ports/clock.ts";

/** A look costs little, but a run looks hundreds of times a second, and space goes more slowly. */
const LOOK_MS = 2_000;

/** No real path is deeper. */
const ANCESTORS_MAX = 256;

/**
 * Asks how much is free where least is, of the file systems that these directories lie on; null when none can be asked.
 * One that does not exist yet counts as the nearest above it. An answer is given again for two seconds.
 */
export function freeSpaceAt(
  dirs: readonly string[],
  { monotonic }: Pick<Clock, "monotonic">,
): () => { bytes: number; at: string } | null {
  let last: { bytes: number; at: string } | null = null;
  let askAgainAt = Number.NEGATIVE_INFINITY;
  return () => {
    const now = monotonic();
    if (now < askAgainAt) return last;
    const found = dirs.flatMap((dir) => freeAt(dir) ?? []);
    last = found.reduce<typeof last>(
      (least, each) => (least === null || each.bytes < least.bytes ? each : least),
      null,
    );
    askAgainAt = now + LOOK_MS;
    return last;
  };
}

/** Null where the system does not say: what then goes wrong says so itself. */
function freeAt(dir: string): { bytes: number; at: string } | null {
  let at = dir;
  for (let above = 0; above < ANCESTORS_MAX && !existsSync(at); above++) at = dirname(at);
  try {
    const { bavail, bsize } = statfsSync(at);
    return { bytes: bavail * bsize, at };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === undefined) throw error;
    return null;
  }
}
