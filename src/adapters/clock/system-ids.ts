import { randomFillSync } from "node:crypto";
import type { Ids } from "../../ports/ids.ts";

/** Random bytes are fetched from the kernel for so many ids at once. */
const POOLED_IDS = 128;
const RANDOM_BYTES = 10;

/** Ids of this process, uuid v7 (RFC 9562): ids made by one process sort strictly in the order of their making. */
export function systemIds(now: () => number = Date.now): Ids {
  const pool = Buffer.alloc(POOLED_IDS * RANDOM_BYTES);
  let used = pool.length;
  let stamp = 0n;
  return {
    next: () => {
      if (used === pool.length) {
        randomFillSync(pool);
        used = 0;
      }
      const random = pool.subarray(used, used + RANDOM_BYTES);
      used += RANDOM_BYTES;
      // 48 bits of milliseconds and 12 of a counter: a second id in one millisecond, or a clock set back, counts on.
      const time = BigInt(now()) << 12n;
      stamp = time > stamp ? time : stamp + 1n;
      return format(stamp, random);
    },
  };
}

function format(stamp: bigint, random: Buffer): string {
  const time = stamp.toString(16).padStart(15, "0");
  random[0] = (random[0]! & 0x3f) | 0x80;
  const tail = random.toString("hex", 0, 8);
  return `${time.slice(0, 8)}-${time.slice(8, 12)}-7${time.slice(12, 15)}-${tail.slice(0, 4)}-${tail.slice(4, 16)}`;
}
