/** What is wrong with a well-formed configuration. */

import { argvProblems } from "../core/attempt/expand-argv.ts";
import { BUILT_IN_LANES, type Lane, ROUNDS_DEFAULT } from "../core/lane/lane.ts";
import { type Finding, quoted, unknownName } from "../plan-file/finding.ts";
import { problemsOfLevel } from "../plan-file/task-problems.ts";
import { acpAgentOf } from "./acp-agents.ts";
import { homeProblems } from "./agent-home-problems.ts";
import { steeringProblems } from "./agent-steering-problems.ts";
import { ADAPTERS, GIT_HOOKS, LAND_MODES, laterProblem, WORKSPACE_MODES } from "./availability.ts";
import type { WrittenConfig } from "./config-schema.ts";
import { mcpProblems } from "./mcp-servers.ts";

/** Names that git takes for a branch, as far as one can tell without git; `{plan}` counts as a word. */
const BRANCH = /^(?![-/.])(?!.*(?:\.\.|\/\/|\/\.|@\{|\.lock(?:\/|$)))[^\s~^:?*[\\\p{Cc}]+(?<![/.])$/u;

const VARIABLE = /^[A-Za-z_][A-Za-z0-9_]*$/;
const VARIABLES = /^[A-Za-z_*][A-Za-z0-9_*]*$/;

/** Whoever bounds what may be spent counts on it. */
const NO_BUDGETS = "budgets come with a later version: budget_usd of an agent bounds what one attempt may take";

/** All problems at once. `lanes` are those that `lanesOf` made of the same configuration. */
export function configProblems(written: WrittenConfig, lanes: Record<string, Lane>): Finding[] {
  const { workspace, land, store } = written;
  const later = [
    { path: ["workspace", "mode"], message: laterProblem("workspace mode", workspace?.mode ?? "", WORKSPACE_MODES) },
    { path: ["land", "mode"], message: laterProblem("land mode", land?.mode ?? "", LAND_MODES) },
    {
      path: ["land", "git_hooks"],
      message: laterProblem("setting of git_hooks", land?.git_hooks ?? "", GIT_HOOKS),
    },
  ];
  const storeMessage = /^postgres(?:ql)?:/.test(store ?? "")
    ? "a PostgreSQL store comes with a later version: name a file"
    : null;
  return [
    ...agentProblems(written),
    ...defaultsProblems(written, lanes),
    ...withMessage(later),
    ...targetProblems(land?.target),
    ...withMessage([
      { path: ["land", "base"], message: land?.base?.startsWith("-") ? "must not begin with a dash" : null },
    ]),
    ...withMessage([{ path: ["store"], message: storeMessage }]),
    ...(written.budgets === undefined ? [] : [{ path: ["budgets"], atKey: true, message: NO_BUDGETS }]),
    ...laneProblems(written),
  ];
}

/** The lanes of a configuration, the built-in ones among them. */
export function lanesOf(written: WrittenConfig): Record<string, Lane> {
  const own = Object.entries(written.lanes ?? {}).map(([name, phases]): [string, Lane] => [
    name,
    { name, phases: phases.map((phase) => ({ ...phase, rounds: phase.rounds ?? ROUNDS_DEFAULT })) },
  ]);
  return { ...BUILT_IN_LANES, ...Object.fromEntries(own) };
}

function withMessage(candidates: { path: string[]; message: string | null }[]): Finding[] {
  return candidates.flatMap(({ path, message }) => (message === null ? [] : [{ path, message }]));
}

function agentProblems({ agents }: WrittenConfig): Finding[] {
  return Object.entries(agents ?? {}).flatMap(([name, agent]) => {
    const path = ["agents", name];
    const later = laterProblem("adapter", agent.adapter, ADAPTERS);
    if (later !== null) return [{ path: [...path, "adapter"], message: later }];
    const programs = [...programProblems(agent, path), ...scriptProblems(agent, path), ...acpProblems(agent, path)];
    const steering = [...steeringProblems(agent, path), ...homeProblems(agent, path)];
    return [...programs, ...steering, ...variableProblems(agent, path), ...mcpProblems(agent, path)];
  });
}

/** What only an agent over ACP has a word for. */
function acpProblems(agent: WrittenAgent, path: string[]): Finding[] {
  if (acpAgentOf(agent.adapter) !== null) return [];
  return (["mode", "auth"] as const)
    .filter((key) => agent[key] !== undefined)
    .map((key) => ({
      path: [...path, key],
      atKey: true,
      message: `only agents that are driven over ACP have the key ${key}, not ${agent.adapter}`,
    }));
}

const NEEDS_ACP_COMMAND = "needs a command: what starts an agent that speaks ACP, such as [my-agent, --acp]";

type WrittenAgent = NonNullable<WrittenConfig["agents"]>[string];

/** Adapters that know the name of their program. */
const OWN_PROGRAMS: readonly string[] = ["claude", "codex", "opencode"];

function programProblems({ adapter, command }: WrittenAgent, path: string[]): Finding[] {
  if (adapter === "command") return commandProblems(command, path);
  if (adapter === "acp" && command === undefined) return [{ path, message: NEEDS_ACP_COMMAND }];
  if (command === undefined) return [];
  if (OWN_PROGRAMS.includes(adapter) || acpAgentOf(adapter) !== null) return nameProblems(command, path);
  const message = `the adapter ${adapter} starts no program: it has no command`;
  return [{ path: [...path, "command"], atKey: true, message }];
}

function scriptProblems({ adapter, script }: WrittenAgent, path: string[]): Finding[] {
  if (adapter === "scripted") {
    return script === undefined ? [{ path, message: "needs a script: the JSON file that it plays" }] : [];
  }
  if (script === undefined) return [];
  const message = `only the adapter scripted has a script, not ${adapter}`;
  return [{ path: [...path, "script"], atKey: true, message }];
}

function variableProblems({ env = {}, pass_env = [] }: WrittenAgent, path: string[]): Finding[] {
  const own = Object.keys(env).map((name) => ({ name, path: [...path, "env", name], atKey: true }));
  const passed = pass_env.map((name, index) => ({ name, path: [...path, "pass_env", index], atKey: false }));
  return [...own, ...passed].flatMap(({ name, ...place }) => {
    const message = variableProblem(name, !place.atKey);
    return message === null ? [] : [{ ...place, message }];
  });
}

function variableProblem(name: string, isPattern: boolean): string | null {
  if (name.startsWith("LOCKSTEP_")) return `${name}: variables that begin with LOCKSTEP_ are lockstep's own`;
  return (isPattern ? VARIABLES : VARIABLE).test(name)
    ? null
    : `${quoted(name)} cannot be the name of a variable: letters, digits and _ only`;
}

function commandProblems(command: string[] | undefined, path: string[]): Finding[] {
  if (command === undefined) {
    return [
      { path, message: 'needs a command: a list of a program and its arguments, such as [bash, -c, "./work.sh"]' },
    ];
  }
  // What an argument means depends on those before it, never on those behind.
  const found = command.flatMap((_, index): Finding[] =>
    argvProblems(command.slice(0, index + 1))
      .slice(argvProblems(command.slice(0, index)).length)
      .map((message) => ({ path: [...path, "command", index], message })),
  );
  return [...found, ...nameProblems(command, path)];
}

function nameProblems(command: string[], path: string[]): Finding[] {
  return command[0]!.trim() === "" ? [{ path: [...path, "command", 0], message: "must name a program" }] : [];
}

function defaultsProblems({ agents, defaults }: WrittenConfig, lanes: Record<string, Lane>): Finding[] {
  if (defaults === undefined) return [];
  const known = { agents: Object.keys(agents ?? {}), lanes };
  const unchecked = defaults.unchecked ?? false;
  const found = problemsOfLevel(defaults, { path: ["defaults"], known, unchecked });
  if (defaults.agent !== undefined && known.agents.length === 0) {
    found.push({ path: ["defaults", "agent"], message: unknownName("agent", defaults.agent, []) });
  }
  return found;
}

function targetProblems(target: string | undefined): Finding[] {
  if (target === undefined) return [];
  const path = ["land", "target"];
  const foreign = [...target.matchAll(/\{([^{}]*)\}/g)].find((match) => match[1] !== "plan");
  if (foreign !== undefined) return [{ path, message: unknownName("placeholder", foreign[0], ["{plan}"]) }];
  if (BRANCH.test(target)) return [];
  return [{ path, message: `${quoted(target)} cannot be the name of a branch` }];
}

function laneProblems({ lanes }: WrittenConfig): Finding[] {
  return Object.entries(lanes ?? {}).flatMap(([name, phases]) => {
    const path = ["lanes", name];
    if (Object.hasOwn(BUILT_IN_LANES, name)) {
      return [{ path, atKey: true, message: `the lane ${quoted(name)} is built in: give this one another name` }];
    }
    const names = phases.map((phase) => phase.name);
    const found: Finding[] = names.flatMap((phase, index) =>
      names.indexOf(phase) === index
        ? []
        : [{ path: [...path, index, "name"], message: `this lane has a phase ${quoted(phase)} already` }],
    );
    if (!phases.some(({ kind }) => kind === "work")) found.push({ path, message: "needs a phase of the kind work" });
    return found;
  });
}
