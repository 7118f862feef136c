import { needsPerson } from "../core/attempt/failure.ts";
import { heldKey } from "../core/schedule/holds.ts";
import type { Limit } from "../core/task/rows.ts";
import type { AgentLimit } from "../ports/agent.ts";
import type { RunnerEnd } from "../ports/runner.ts";
import type { EngineContext } from "./context.ts";

/** Of an agent that says no more than that there is one. */
const UNKNOWN: AgentLimit = { holds: "account", until: null, known_from: "backoff" };

/** What an end by a limit holds; null where it ended otherwise, or of an agent of which nothing is known. */
export function limitOf(
  { settings }: EngineContext,
  agent: string | null,
  { outcome, failure, limit }: RunnerEnd,
): Limit | null {
  const draws = agent === null ? undefined : settings.draws.get(agent);
  if (agent === null || draws === undefined) return null;
  if (needsPerson(failure)) return { key: heldKey("account", agent, draws), until: null, known_from: "person" };
  if (outcome !== "rate_limited") return null;
  const { holds, ...end } = limit ?? UNKNOWN;
  return { key: heldKey(holds, agent, draws), ...end };
}
