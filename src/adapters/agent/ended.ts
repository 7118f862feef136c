import type { FailureKind } from "../../core/attempt/failure.ts";
import type { HeldThing } from "../../core/schedule/holds.ts";
import type { AgentEnd } from "../../ports/agent.ts";

/** An end of which nothing more is known than its outcome and a word on it. */
export function ended(outcome: AgentEnd["outcome"], error: string | null, summary: string | null = null): AgentEnd {
  return { outcome, error, summary, usage: null, cost_usd: null };
}

/** A failure of a known kind. */
export function failed(failure: FailureKind, error: string): AgentEnd {
  return { ...ended("failed", error), failure };
}

/** The end of an agent that a limit turned away, or a service with too much to do; `until`: null where it does not say. */
export function turnedAway(
  failure: "limit" | "overload",
  error: string,
  until: number | null,
  of?: HeldThing,
): AgentEnd {
  const holds = of ?? (failure === "overload" ? "provider" : "account");
  return {
    ...ended("rate_limited", error),
    failure,
    limit: { holds, until, known_from: until === null ? "backoff" : "signal" },
  };
}

/** The end of an agent that was ended from outside: whoever did it knows why. `said` are its last words. */
export function cutOff(said: string, isForced: boolean): AgentEnd {
  const words = said.trim();
  return { ...ended("interrupted", words === "" ? null : words), killed: isForced };
}

/** Why an agent was ended that printed without end. */
export function flooded(bytesMax: number): string {
  return `more than ${bytesMax} bytes of output`;
}
