/** What Claude Code remembers of a conversation's cost: it counts on from there when the conversation is taken up again. */

import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { NO_USAGE } from "../../core/policy/cost.ts";
import { type ClaudeSpent, spentOf } from "./claude-stream.ts";
import { fieldsOfLine, number } from "./wire-fields.ts";

/** As much as is read of a conversation that is written down; the longest have some 10 MB. */
const CONVERSATION_BYTES_MAX = 128 * 1024 * 1024;

export const NOTHING_SPENT: ClaudeSpent = { usage: NO_USAGE, cost_usd: 0 };

/**
 * From its own file of the conversation, in which it writes this down when it ends by itself. Nothing for a new
 * conversation, and for one of a program that does not count on; null where it cannot be known.
 */
export function spentBefore(env: Record<string, string>, session: string | null): ClaudeSpent | null {
  if (session === null || !/^[\w-]+$/.test(session)) return NOTHING_SPENT;
  try {
    const file = fileOf(env, session);
    if (file === null) return NOTHING_SPENT;
    if (statSync(file).size > CONVERSATION_BYTES_MAX) return null;
    return lastState(readFileSync(file, "utf8"), session);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).syscall === undefined) throw error;
    return null;
  }
}

/** Each place that it works in has a directory of its own for its conversations. */
function fileOf(env: Record<string, string>, session: string): string | null {
  const places = join(env["CLAUDE_CONFIG_DIR"] || join(env["HOME"] ?? "", ".claude"), "projects");
  if (!existsSync(places)) return null;
  const files = readdirSync(places).map((place) => join(places, place, `${session}.jsonl`));
  return files.find((file) => existsSync(file)) ?? null;
}

function lastState(written: string, session: string): ClaudeSpent | null {
  for (let at = written.length; at > 0; ) {
    at = written.lastIndexOf('"cost-state"', at - 1);
    if (at < 0) break;
    const begin = written.lastIndexOf("\n", at) + 1;
    const end = written.indexOf("\n", at);
    const fields = fieldsOfLine(written.slice(begin, end < 0 ? undefined : end));
    // Words of the conversation may look like it.
    if (fields?.["type"] !== "cost-state" || fields["sessionId"] !== session) continue;
    return spentOf(fields["modelUsage"], number(fields["totalCostUSD"]));
  }
  return NOTHING_SPENT;
}
