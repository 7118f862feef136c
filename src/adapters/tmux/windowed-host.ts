/** A host whose attempts people can watch in a terminal. What holds the agent is the same; no session is ever needed. */

import type { Clock } from "../../ports/clock.ts";
import type { AttemptName, LiveRunner, RunnerHost } from "../../ports/runner.ts";
import { type Windows, windowOf } from "../../ports/windows.ts";

/** The number of the host's own word: no line of a runner has it, nor any other word about one. */
const NO_WINDOW = -2;

export function windowedHost(host: RunnerHost, windows: Windows, clock: Clock): RunnerHost {
  return {
    start: async (order) => {
      const runner = await host.start(order);
      if (!runner.isAlive()) return runner;
      const opening = windows.open(order.attempt);
      return withoutWindow(runner, order.attempt, windows, async (tell) => {
        const problem = await opening;
        if (problem === null) return;
        const text = `no session of tmux shows it: ${problem}`;
        await tell({ n: NO_WINDOW, at: clock.now(), type: "progress", text });
      });
    },
  };
}

type Tell = Parameters<LiveRunner["follow"]>[0];

/** The runner, whose session goes when its attempt has ended: before that is known to anybody, so that none is left behind. */
export function withoutWindow(
  runner: LiveRunner,
  attempt: AttemptName,
  windows: Windows,
  first: (tell: Tell) => Promise<void> = async () => {},
): LiveRunner {
  return {
    ...runner,
    follow: async (tell, leave) => {
      await first(tell);
      const end = await runner.follow(tell, leave);
      if (end !== null) await windows.close(windowOf(attempt));
      return end;
    },
  };
}
