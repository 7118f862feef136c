import type { AgentEnd } from "../../ports/agent.ts";

/** An end of which nothing more is known than its outcome and a word on it. */
export function ended(outcome: AgentEnd["outcome"], error: string | null, summary: string | null = null): AgentEnd {
  return { outcome, error, summary, usage: null, cost_usd: null };
}

/** The end of an agent that its time limit cut, or its operator. `said` is its last word, for people. */
export function cutOff(isTimeout: boolean, timeoutMs: number, said = ""): AgentEnd {
  return isTimeout
    ? ended("timed_out", `no end within ${timeoutMs / 1_000} s${said}`)
    : ended("interrupted", "stopped by its operator");
}
