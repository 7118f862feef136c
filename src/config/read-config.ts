/** `lockstep.yaml` -> a checked configuration, or all that is wrong with it. Pulls in zod: import it on demand. */

import { invariant } from "../core/assert.ts";
import type { PlanProblem } from "../core/plan/definition.ts";
import type { HookSettings } from "../core/policy/hooks.ts";
import type { ToolRules } from "../core/policy/tool-rules.ts";
import { parseDuration } from "../plan-file/duration.ts";
import { locatedProblems, parseSource, syntaxProblems } from "../plan-file/parse-source.ts";
import { BUILT_IN_SETTINGS } from "../plan-file/plan-settings.ts";
import { checkAgainst } from "../plan-file/schema-findings.ts";
import { readSourceText } from "../plan-file/source-text.ts";
import { acpAgentOf } from "./acp-agents.ts";
import { homeOf, SHARED_DEFAULT } from "./agent-homes.ts";
import { type AdapterName, type ProjectKind, WORKSPACE_MODE_DEFAULTS } from "./availability.ts";
import { parseByteSize } from "./byte-size.ts";
import { AUTHOR, commitProblems } from "./commit-problems.ts";
import type { AgentConfig, ProjectConfig, PublishConfig } from "./config.ts";
import { configProblems, lanesOf } from "./config-problems.ts";
import { configSchema, type WrittenConfig } from "./config-schema.ts";
import { mcpServersOf } from "./mcp-servers.ts";
import { publishProblems } from "./publish-problems.ts";

export type ConfigResult =
  | {
      ok: true;
      config: ProjectConfig;
      /** SHA-256 of the file's bytes, hexadecimal. */
      hash: string;
    }
  | { ok: false; problems: PlanProblem[] };

/** Attempts at once where the configuration does not say. */
const JOBS_DEFAULT = 4;

/** A hook sends a message; whatever takes longer waits for something that never comes. */
const HOOK_TIMEOUT_MS = 60_000;

/** Reads and checks a configuration. `path` stands in the problems as it is given. */
export async function readConfig(path: string, kind: ProjectKind): Promise<ConfigResult> {
  const read = await readSourceText(path);
  if (!read.ok) {
    const message =
      read.reason === "missing" ? "there is no such file: `lockstep init` writes one for this project" : read.message;
    return { ok: false, problems: [{ file: path, path: "", message }] };
  }
  const parsed = await parseSource(read.source);
  if (!parsed.ok) return { ok: false, problems: syntaxProblems(path, parsed.problems) };
  const checked = checkAgainst(configSchema, parsed.document.value);
  if (!checked.ok) return { ok: false, problems: locatedProblems(path, parsed.document, checked.findings) };
  const lanes = lanesOf(checked.value);
  const findings = [...configProblems(checked.value, lanes), ...publishProblems(checked.value, kind)];
  findings.push(...commitProblems(checked.value));
  if (findings.length > 0) return { ok: false, problems: locatedProblems(path, parsed.document, findings) };
  return { ok: true, config: { ...filledIn(checked.value, kind), lanes }, hash: read.source.hash };
}

function authorOf(land: WrittenConfig["land"]): ProjectConfig["land"]["author"] {
  const [, name, email] = AUTHOR.exec(land?.author ?? "") ?? [];
  return name === undefined || email === undefined ? null : { name, email };
}

const PUBLISH_DEFAULTS = {
  to: "github",
  remote: "origin",
  draft: true,
  token_env: null,
  api_url: null,
  repository: null,
} as const satisfies PublishConfig;

function filledIn(written: WrittenConfig, kind: ProjectKind): Omit<ProjectConfig, "lanes"> {
  const { workspace, land, limits } = written;
  return {
    jobs: written.jobs ?? JOBS_DEFAULT,
    agents: Object.fromEntries(Object.entries(written.agents ?? {}).map(([name, agent]) => [name, agentOf(agent)])),
    host: written.host ?? "process",
    defaults: written.defaults ?? {},
    workspace: {
      mode: workspace?.mode ?? WORKSPACE_MODE_DEFAULTS[kind],
      setup: workspace?.setup ?? [],
      copy: workspace?.copy ?? [],
    },
    land: {
      ...{ ...BUILT_IN_SETTINGS.land, git_hooks: "skip", foresight: "on", message: null, sign: false },
      ...land,
      author: authorOf(land),
    },
    publish: { ...PUBLISH_DEFAULTS, ...written.publish },
    store: written.store ?? null,
    hooks: hooksOf(written.hooks),
    protect: written.protect ?? [],
    prices: Object.fromEntries(
      Object.entries(written.prices ?? {}).map(([model, price]) => [model, { ...UNPRICED, ...price }]),
    ),
    limits: {
      disk_floor_bytes: limits?.disk_floor === undefined ? null : parseByteSize(limits.disk_floor),
      attempts_per_hour: limits?.attempts_per_hour ?? null,
    },
  };
}

/** A bucket without a price of its own is not known to cost the same as another. */
const UNPRICED = { cache_read: null, cache_write: null };

/** What starts an agent whose program has a name of its own. */
const PROGRAMS: Partial<Record<AdapterName, string[]>> = {
  claude: ["claude"],
  codex: ["codex"],
  opencode: ["opencode"],
};

function hooksOf(written: WrittenConfig["hooks"]): HookSettings {
  const { task_settled = null, run_ended = null, timeout } = written ?? {};
  return { task_settled, run_ended, timeout_ms: timeout === undefined ? HOOK_TIMEOUT_MS : milliseconds(timeout) };
}

/** An agent of which nothing more is said than its adapter. */
export function usualAgent(adapter: AdapterName): AgentConfig {
  return agentOf({ adapter });
}
/** Its place is the attempt's own: what no rule is of is allowed there. */
const NO_RULES: ToolRules = { deny: [], ask: [], allow: [], otherwise: "allow" };

function agentOf(agent: NonNullable<WrittenConfig["agents"]>[string]): AgentConfig {
  return {
    adapter: agent.adapter,
    command: agent.command ?? PROGRAMS[agent.adapter] ?? acpAgentOf(agent.adapter)?.command ?? [],
    script: agent.script ?? null,
    model: agent.model ?? null,
    role: agent.role ?? null,
    effort: agent.effort ?? null,
    mode: agent.mode ?? acpAgentOf(agent.adapter)?.mode ?? null,
    auth: agent.auth ?? null,
    system: agent.system ?? null,
    turns: agent.turns ?? null,
    budget_usd: agent.budget_usd ?? null,
    tools: agent.tools === undefined ? null : { ...NO_RULES, ...agent.tools },
    bypasses_permissions: agent.dangerously_bypass_permissions ?? false,
    skills: agent.skills ?? [],
    timeout_ms: agent.timeout === undefined ? null : milliseconds(agent.timeout),
    first_output_ms: agent.first_output === undefined ? null : milliseconds(agent.first_output),
    silence_ms: agent.silence === undefined ? null : milliseconds(agent.silence),
    account: agent.account ?? null,
    jobs: agent.jobs ?? null,
    pid_namespace: agent.pid_namespace ?? true,
    probe: agent.probe ?? true,
    env: agent.env ?? {},
    pass_env: agent.pass_env ?? [],
    mcp: mcpServersOf(agent),
    home: agent.home ?? homeOf(agent.adapter),
    share: agent.share ?? SHARED_DEFAULT,
    sandbox: agent.sandbox ?? null,
    network: agent.network ?? "on",
    readable: agent.readable ?? [],
  };
}

function milliseconds(written: string): number {
  const ms = parseDuration(written);
  invariant(ms !== null, `the schema let through the duration ${written}`);
  return ms;
}
