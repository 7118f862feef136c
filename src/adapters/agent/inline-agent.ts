import { noEndWithin } from "../../core/attempt/no-end-within.ts";
import type { AgentEnd, Brief } from "../../ports/agent.ts";
import { cutOff, ended } from "./ended.ts";
import type { InlineWork } from "./inline-host.ts";
import { timeLimit } from "./time-limit.ts";

/** A function of the library's user that does the work of one attempt; what it throws is why the attempt failed. */
export type Dispatch = (brief: Brief, signal: AbortSignal) => Promise<{ summary?: string } | undefined>;

/** Runs `dispatch` in this process. Its returned value is the terminal event: there is no exit code to misread. */
export function inlineAgent(dispatch: Dispatch): InlineWork {
  return (brief, signal) => {
    const limit = timeLimit(brief.timeout_ms);
    const stop = AbortSignal.any([signal, limit]);
    return new Promise<AgentEnd>((resolve) => {
      const cut = (): void =>
        resolve(limit.aborted ? ended("timed_out", noEndWithin(brief.timeout_ms)) : cutOff("", false));
      if (stop.aborted) return cut();
      stop.addEventListener("abort", cut, { once: true });
      dispatch(brief, stop).then(
        (value) => resolve(ended("succeeded", null, value?.summary ?? null)),
        (error: unknown) => resolve(ended("failed", error instanceof Error ? error.message : String(error))),
      );
    });
  };
}
