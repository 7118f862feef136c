/** What is wrong with a well-formed configuration. */

import { argvProblems } from "../core/attempt/expand-argv.ts";
import { BUILT_IN_LANES, type Lane, ROUNDS_DEFAULT } from "../core/lane/lane.ts";
import { type Finding, quoted, unknownName } from "../plan-file/finding.ts";
import { problemsOfLevel } from "../plan-file/task-problems.ts";
import { ADAPTERS, LAND_MODES, laterProblem, WORKSPACE_MODES } from "./availability.ts";
import type { WrittenConfig } from "./config-schema.ts";

/** Names that git takes for a branch, as far as one can tell without git; `{plan}` counts as a word. */
const BRANCH = /^(?![-/.])(?!.*(?:\.\.|\/\/|\/\.|@\{|\.lock(?:\/|$)))[^\s~^:?*[\\\p{Cc}]+(?<![/.])$/u;

/** All problems at once. `lanes` are those that `lanesOf` made of the same configuration. */
export function configProblems(written: WrittenConfig, lanes: Record<string, Lane>): Finding[] {
  const { workspace, land, store } = written;
  const later = [
    { path: ["workspace", "mode"], message: laterProblem("workspace mode", workspace?.mode ?? "", WORKSPACE_MODES) },
    { path: ["land", "mode"], message: laterProblem("land mode", land?.mode ?? "", LAND_MODES) },
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
    if (agent.adapter === "command") return commandProblems(agent.command, path);
    if (agent.command === undefined) return [];
    return [
      {
        path: [...path, "command"],
        atKey: true,
        message: `only the adapter command has a command, not ${agent.adapter}`,
      },
    ];
  });
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
  if (command[0]!.trim() === "") found.push({ path: [...path, "command", 0], message: "must name a program" });
  return found;
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
