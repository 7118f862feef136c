/** What a configured agent draws on, and shares with others: its account, its model, whoever runs that. */

import type { AdapterName } from "../config/availability.ts";
import type { AgentConfig } from "../config/config.ts";
import type { Draws } from "../core/schedule/holds.ts";

/** Programs of anybody: nothing says that two of them have one log-in. */
const OF_ITS_OWN: ReadonlySet<AdapterName> = new Set(["command", "scripted", "none", "acp"]);

/** Who runs the models of a command line that can use no others. */
const PROVIDERS: Readonly<Record<string, string>> = { claude: "anthropic", codex: "openai", gemini: "google" };

/** Without a word of the configuration all agents of one command line have its one log-in. */
export function agentDraws(name: string, { adapter, account, model }: AgentConfig): Draws {
  // Over ACP it is the same program, with the same log-in.
  const kind = adapter.replace(/-acp$/, "");
  const usual = OF_ITS_OWN.has(adapter) ? name : kind;
  return { account: account ?? usual, provider: PROVIDERS[kind] ?? null, model };
}
