import type { AgentEnd, Brief } from "../../ports/agent.ts";
import type { LiveRunner, RunnerHost } from "../../ports/runner.ts";
import { ended } from "./ended.ts";

/** Does the work of one attempt inside the engine's own process, and ends early when `signal` aborts. Never rejects. */
export type InlineWork = (brief: Brief, signal: AbortSignal) => Promise<AgentEnd>;

/** For work that needs no process of its own. It dies with its engine: there is never anything to adopt. */
export function inlineHost(work: InlineWork): RunnerHost {
  return { start: async ({ brief }) => begin(work, brief) };
}

function begin(work: InlineWork, brief: Brief): LiveRunner {
  const stop = new AbortController();
  let why: string | null = null;
  const end = work(brief, stop.signal);
  return {
    follow: async () => {
      const { outcome, ...rest } = await end;
      return outcome === "interrupted" && why !== null ? ended("interrupted", why) : { outcome, ...rest };
    },
    control: async (wish) => {
      if (wish.type !== "stop") return;
      why ??= wish.why;
      stop.abort();
    },
    // There is no process to end: a function that hears of its stop and goes on has its engine's life in its hands.
    kill: async () => {},
    isAlive: () => true,
    isForeign: () => false,
    greet: async () => {},
  };
}
