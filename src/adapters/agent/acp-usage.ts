import type { Usage } from "../../core/task/rows.ts";
import { type Fields, number, object } from "./wire-fields.ts";

/** Agents, by the name that they give, which count only the last request of a turn: that is no figure for the turn. */
const LAST_STEP_ONLY: readonly string[] = ["OpenCode"];

/**
 * What a turn used, from the answer to its prompt; null where the agent `name` does not tell. What came from the cache is
 * not in the input, except with Gemini CLI, which tells nothing of its cache.
 */
export function acpUsage(result: Fields, name: string | null): Usage | null {
  if (name !== null && LAST_STEP_ONLY.includes(name)) return null;
  const usage = object(result["usage"]);
  if (number(usage["inputTokens"]) !== null) {
    const [input, output] = [count(usage["inputTokens"]), count(usage["outputTokens"])];
    const [cache_read, cache_write] = [count(usage["cachedReadTokens"]), count(usage["cachedWriteTokens"])];
    const thought = count(usage["thoughtTokens"]);
    // Some count thoughts as output, some beside it: their own sum says which.
    const isBeside = input + output + thought + cache_read + cache_write === number(usage["totalTokens"]);
    return { input, output: isBeside ? output + thought : output, cache_read, cache_write };
  }
  const counted = object(object(object(result["_meta"])["quota"])["token_count"]);
  if (number(counted["input_tokens"]) === null) return null;
  return {
    input: count(counted["input_tokens"]),
    output: count(counted["output_tokens"]),
    cache_read: null,
    cache_write: null,
  };
}

function count(value: unknown): number {
  return Math.max(0, Math.trunc(number(value) ?? 0));
}
