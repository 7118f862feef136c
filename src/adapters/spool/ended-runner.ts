import type { LiveRunner, RunnerEnd } from "../../ports/runner.ts";

/** The runner of an attempt that has ended before anything of it could begin, or be heard. */
export function endedRunner(end: RunnerEnd): LiveRunner {
  return {
    follow: async () => end,
    control: async () => {},
    kill: async () => {},
    isAlive: () => false,
    isForeign: () => false,
    greet: async () => {},
  };
}
