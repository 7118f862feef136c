import type { Agent } from "../../ports/agent.ts";

/** Does nothing: for plans whose tasks only check. */
export function noneAgent(): Agent {
  return {
    run: async () => ({ outcome: "succeeded", error: null, summary: null, usage: null, cost_usd: null }),
  };
}
