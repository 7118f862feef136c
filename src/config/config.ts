/** A checked configuration, with every default filled in. */

import type { Lane } from "../core/lane/lane.ts";
import type { LandMode, WorkspaceMode } from "../core/plan/definition.ts";
import type { Price } from "../core/policy/cost.ts";
import type { HookSettings } from "../core/policy/hooks.ts";
import type { ToolRules } from "../core/policy/tool-rules.ts";
import type { WrittenDefaults } from "../plan-file/plan-schema.ts";
import type { PlanSettings } from "../plan-file/plan-settings.ts";
import type { AdapterName, HOMES, HostName, NETWORKS, PUBLISHERS, SANDBOXES } from "./availability.ts";
import type { McpServerConfig } from "./mcp-servers.ts";

/** A configured identity that does the work of attempts. */
export interface AgentConfig {
  adapter: AdapterName;
  /** The argument list of a `command`, with its placeholders; what starts another program; empty for an adapter without. */
  command: string[];
  /** The file that a `scripted` agent plays, as written: from the directory of the configuration. */
  script: string | null;
  model: string | null;
  role: string | null;
  effort: string | null;
  /** Of an agent over ACP, by its own names: the mode in which it works, and how it logs in. */
  mode: string | null;
  auth: string | null;
  /** Said to it beside its own system prompt. */
  system: string | null;
  /** As many answers of its model, and US dollars, as one attempt may take; null: no bound but its own. */
  turns: number | null;
  budget_usd: number | null;
  /** What it may do with its tools; null: everything. */
  tools: ToolRules | null;
  /** It asks nobody before it uses them. */
  bypasses_permissions: boolean;
  skills: string[];
  timeout_ms: number | null;
  /** When it is given up before its time, milliseconds; null: never. */
  first_output_ms: number | null;
  silence_ms: number | null;
  /** The log-in that it works by; null: the usual one of its kind. */
  account: string | null;
  /** Attempts of this agent at once; null is no limit of its own. */
  jobs: number | null;
  /** It works in a pid namespace where the machine allows one. */
  pid_namespace: boolean;
  /** Its program is tried before its first attempt where it is new. */
  probe: boolean;
  /** Variables of its own, by name; their values may refer to lockstep's. */
  env: Record<string, string>;
  /** Names of variables that it gets as lockstep has them; `*` stands for any characters. */
  pass_env: string[];
  /** Servers of tools that it gets beside its runner's own. */
  mcp: McpServerConfig[];
  /** Whose home directory it works in. */
  home: (typeof HOMES)[number];
  /** What a home of its own has of the user's: words of `SHARED_WORDS`, and paths that begin with `~/`. */
  share: string[];
  sandbox: (typeof SANDBOXES)[number] | null;
  network: (typeof NETWORKS)[number];
  /** What it may read of the user's home in its sandbox: paths that begin with `~/`. */
  readable: string[];
}

/** Where work is offered to people outside. */
export interface PublishConfig {
  to: (typeof PUBLISHERS)[number];
  remote: string;
  draft: boolean;
  /** Name of the variable that has the token; null: the usual ones. */
  token_env: string | null;
  /** Of a GitHub that is neither github.com nor below ghe.com. */
  api_url: string | null;
  /** `OWNER/REPO`; null: as the remote's address says. */
  repository: string | null;
}

export interface ProjectConfig {
  /** Attempts at once. */
  jobs: number;
  agents: Record<string, AgentConfig>;
  host: HostName;
  /** As written: plans put their own before them. */
  defaults: WrittenDefaults;
  workspace: { mode: WorkspaceMode; setup: string[]; copy: string[] };
  /** `target` may hold `{plan}`. */
  land: {
    mode: LandMode;
    target: string;
    base: string | null;
    git_hooks: "run" | "skip";
    foresight: "on" | "off";
    message: string | null;
    author: { name: string; email: string } | null;
    sign: boolean;
  };
  publish: PublishConfig;
  /** Another database file than the user's own, as written. */
  store: string | null;
  /** The built-in ones and those of the file. */
  lanes: Record<string, Lane>;
  hooks: HookSettings;
  protect: string[];
  /** By the name that an agent gives its model; US dollars for a million tokens. */
  prices: Record<string, Price>;
  limits: { disk_floor_bytes: number | null; attempts_per_hour: number | null };
}

/** What plans are compiled with. `hash` is that of the file's bytes. */
export function planSettings(config: ProjectConfig, hash: string): PlanSettings {
  const { defaults, lanes, protect } = config;
  const { mode, target, base } = config.land;
  const land = { mode, target, base };
  return { agents: Object.keys(config.agents), defaults, lanes, protect, workspace: config.workspace.mode, land, hash };
}
