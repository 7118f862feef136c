import { type FSWatcher, watch } from "node:fs";
import type { Clock } from "../../ports/clock.ts";

export interface FileWatch {
  /** False where the system does not tell of changes: the time of each wait is all there is. */
  isHeard: boolean;
  /** Resolves when the file changed since the last wait, `wake` was called, or after `ms`. */
  wait(ms: number): Promise<void>;
  wake(): void;
  close(): void;
}

/** Hears of changes of one file: of its folder would be of every line that an agent prints. */
export function watchFile(file: string, clock: Clock): FileWatch {
  let changed = new AbortController();
  const wake = (): void => changed.abort();
  const watcher = watcherOf(file, wake);
  return {
    isHeard: watcher !== null,
    wait: async (ms) => {
      if (!changed.signal.aborted) await clock.sleep(ms, changed.signal);
      changed = new AbortController();
    },
    wake,
    close: () => watcher?.close(),
  };
}

function watcherOf(file: string, changed: () => void): FSWatcher | null {
  try {
    const watcher = watch(file, changed);
    // The file is gone: the waits go on by time.
    watcher.on("error", () => watcher.close());
    return watcher;
  } catch {
    // The system is out of watches, which are few where many programs watch whole trees.
    return null;
  }
}
