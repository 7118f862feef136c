import type { AgentEnd } from "../ports/agent.ts";

/** The one way in which a runner ends its agent before the agent ends by itself. */
export interface Stop {
  signal: AbortSignal;
  /** What was asked for first; null as long as nothing was. */
  readonly asked: { outcome: AgentEnd["outcome"]; why: string } | null;
  now(outcome: AgentEnd["outcome"], why: string): void;
}

/** `ended`: somebody told this process to end. */
export function stopOf(ended: AbortSignal): Stop {
  const controller = new AbortController();
  let asked: Stop["asked"] = null;
  const now: Stop["now"] = (outcome, why) => {
    asked ??= { outcome, why };
    controller.abort();
  };
  ended.addEventListener("abort", () => now("interrupted", "its runner was told to end"), { once: true });
  return {
    signal: controller.signal,
    get asked() {
      return asked;
    },
    now,
  };
}
