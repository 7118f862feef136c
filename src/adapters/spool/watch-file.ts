import { watch } from "node:fs";
import type { Clock } from "../../ports/clock.ts";

export interface FileWatch {
  /** Resolves when the file changed since the last wait, `wake` was called, or after `ms`. */
  wait(ms: number): Promise<void>;
  wake(): void;
  close(): void;
}

/**
 * Hears of changes of one file: of its folder would be of every line that an agent prints. Where the system does not
 * tell, the time of each wait is the net.
 */
export function watchFile(file: string, clock: Clock): FileWatch {
  let changed = new AbortController();
  const wake = (): void => changed.abort();
  const watcher = watch(file, wake);
  // A file that is gone, or a system that is out of watches: the waits go on by time.
  watcher.on("error", () => watcher.close());
  return {
    wait: async (ms) => {
      if (!changed.signal.aborted) await clock.sleep(ms, changed.signal);
      changed = new AbortController();
    },
    wake,
    close: () => watcher.close(),
  };
}
