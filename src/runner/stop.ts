import type { AgentEnd } from "../ports/agent.ts";

/** The one way in which a runner ends its agent before the agent ends by itself. */
export interface Stop {
  /** Aborts when the agent has to end. */
  signal: AbortSignal;
  /** Aborts when it has to end without a grace. */
  kill: AbortSignal;
  /** What was asked for first; null as long as nothing was. */
  readonly asked: { outcome: AgentEnd["outcome"]; why: string } | null;
  now(outcome: AgentEnd["outcome"], why: string): void;
  /** The same without a grace, also when it is ending already. */
  atOnce(outcome: AgentEnd["outcome"], why: string): void;
}

/** `ended`: somebody told this process to end. */
export function stopOf(ended: AbortSignal): Stop {
  const [stop, kill] = [new AbortController(), new AbortController()];
  let asked: Stop["asked"] = null;
  const now: Stop["now"] = (outcome, why) => {
    asked ??= { outcome, why };
    stop.abort();
  };
  ended.addEventListener("abort", () => now("interrupted", "its runner was told to end"), { once: true });
  return {
    signal: stop.signal,
    kill: kill.signal,
    get asked() {
      return asked;
    },
    now,
    atOnce: (outcome, why) => {
      now(outcome, why);
      kill.abort();
    },
  };
}
