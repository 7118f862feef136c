import type { AgentEnd } from "../../ports/agent.ts";

/** An end of which nothing more is known than its outcome and a word on it. */
export function ended(outcome: AgentEnd["outcome"], error: string | null, summary: string | null = null): AgentEnd {
  return { outcome, error, summary, usage: null, cost_usd: null };
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
