import type { Agent, AgentEnd, Brief } from "../../ports/agent.ts";

/** A function of the library's user that does the work of one attempt; what it throws is why the attempt failed. */
export type Dispatch = (brief: Brief, signal: AbortSignal) => Promise<{ summary?: string } | undefined>;

/** Runs `dispatch` in this process. Its returned value is the terminal event: there is no exit code to misread. */
export function inlineAgent(dispatch: Dispatch): Agent {
  return {
    run: ({ brief, signal }) => {
      const limit = AbortSignal.timeout(Math.min(brief.timeout_ms, TIMER_MAX_MS));
      const stop = AbortSignal.any([signal, limit]);
      const end = new Promise<AgentEnd>((resolve) => {
        const cut = (): void => resolve(cutOff(limit.aborted, brief.timeout_ms));
        if (stop.aborted) return cut();
        stop.addEventListener("abort", cut, { once: true });
        dispatch(brief, stop).then(
          (value) => resolve(ended("succeeded", null, value?.summary ?? null)),
          (error: unknown) => resolve(ended("failed", error instanceof Error ? error.message : String(error))),
        );
      });
      return end;
    },
  };
}

/** The longest time that a timer of the platform can hold. */
const TIMER_MAX_MS = 2_147_000_000;

function cutOff(isTimeout: boolean, timeoutMs: number): AgentEnd {
  return isTimeout
    ? ended("timed_out", `no end within ${timeoutMs / 1_000} s`)
    : ended("interrupted", "stopped by its operator");
}

function ended(outcome: AgentEnd["outcome"], error: string | null, summary: string | null = null): AgentEnd {
  return { outcome, error, summary, usage: null, cost_usd: null };
}
