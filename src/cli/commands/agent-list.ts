import { dirname } from "node:path";
import { type AgentCapabilities, capabilitiesOf } from "../../adapters/agent/capabilities.ts";
import { agentDraws } from "../../compose/agent-draws.ts";
import { checkConfiguration, findProject, ProjectUnusable } from "../../compose.ts";
import type { ProjectConfig } from "../../config/config.ts";
import { agentKey, drawsOn, heldName, isGuess, longest } from "../../core/schedule/holds.ts";
import type { HoldRow } from "../../core/task/rows.ts";
import { PAGE, type Store } from "../../ports/store.ts";
import type { Call, CommandRun } from "../command.ts";
import { EXIT } from "../exit-codes.ts";
import { type WireHold, wireHold } from "../hold-text.ts";
import { heldNow } from "../plan-facts.ts";
import { isGiven } from "../read-options.ts";
import type { Terminal } from "../terminal.ts";

export const run: CommandRun = async (call) => {
  const { terminal } = call;
  const agents = await listed(call);
  if (terminal.json) terminal.printJson({ agents });
  else if (agents.length === 0) terminal.note("no agent is configured: add one under agents: in lockstep.yaml");
  else if (isGiven(call, "capabilities")) printCapabilities(terminal, agents);
  else printTable(terminal, agents);
  return EXIT.ok;
};

interface ListedAgent {
  name: string;
  adapter: string;
  model: string | null;
  account: string;
  /** Attempts at once, at most; null: no limit of its own. */
  jobs: number | null;
  /** Attempts under way in this project. */
  live: number;
  /** Of its program, where that is known; and how the trial of this very version ended. */
  version: string | null;
  probe: "passed" | "failed" | null;
  /** What holds it longest; null: nothing does. */
  held: WireHold | null;
  /** What lockstep can do with it. */
  capabilities: AgentCapabilities;
}

async function listed(call: Call): Promise<ListedAgent[]> {
  const { config, live, holds } = await standing(call);
  const known = await programsKnown(call, config);
  return Object.entries(config.agents).map(([name, agent]) => {
    const { adapter, model, jobs } = agent;
    const draws = agentDraws(name, agent);
    const keys = [agentKey(name), ...drawsOn(draws)];
    const hold = longest(holds.filter(({ key }) => keys.includes(key)));
    const held = hold === null ? null : wireHold(hold);
    const capabilities = capabilitiesOf(adapter);
    const program = known.get(name) ?? { version: null, probe: null };
    const at_work = { jobs, live: live.get(name) ?? 0 };
    return { name, adapter, model, account: draws.account, ...at_work, ...program, held, capabilities };
  });
}

type Known = Pick<ListedAgent, "version" | "probe">;

/** What was found out about the programs as they are: nothing is started for it. */
async function programsKnown({ cwd, env }: Call, { agents }: ProjectConfig): Promise<Map<string, Known>> {
  const { programKnown } = await import("../../compose/program-known.ts");
  const options = { agents, root: dirname(findProject(cwd).config_file), env };
  const known = new Map<string, Known>();
  for (const name of Object.keys(agents)) {
    const found = await programKnown(options, name);
    if (found !== null) known.set(name, found);
  }
  return known;
}

interface Standing {
  config: ProjectConfig;
  live: ReadonlyMap<string, number>;
  holds: HoldRow[];
}

/** A project without a plan has agents already, and nothing of them is under way. */
async function standing({ session, cwd }: Call): Promise<Standing> {
  try {
    const { store, id, configuration } = await session.project();
    const { config } = await configuration();
    return { config, live: await liveAttempts(store, id), holds: await heldNow(store, id) };
  } catch (error) {
    if (!(error instanceof ProjectUnusable && error.code === "no_plan")) throw error;
    const { config } = await checkConfiguration(findProject(cwd));
    return { config, live: new Map(), holds: [] };
  }
}

async function liveAttempts(store: Store, project: string): Promise<Map<string, number>> {
  const live = new Map<string, number>();
  for (const plan of await store.plans(project)) {
    for (const { row, attempt } of await store.active(plan.id, PAGE)) {
      if (row.state !== "in_progress" || attempt?.kind !== "run" || attempt.agent === null) continue;
      live.set(attempt.agent, (live.get(attempt.agent) ?? 0) + 1);
    }
  }
  return live;
}

function printTable(terminal: Terminal, agents: readonly ListedAgent[]): void {
  const cells = agents.map(({ name, adapter, model, live, jobs }) => [
    name,
    adapter,
    model ?? "-",
    `${live} ${jobs === null ? "at work" : `of ${jobs} at work`}`,
  ]);
  const widths = [0, 1, 2].map((column) => Math.max(...cells.map((row) => row[column]!.length)));
  for (const [index, row] of cells.entries()) {
    const text = row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join("  ");
    const { version, probe, held } = agents[index]!;
    const program = version === null ? "" : `  ${version}${probe === null ? "" : `, trial ${probe}`}`;
    terminal.print(`${text}${program}${heldCell(terminal, held)}`);
  }
}

/** A line for each of them, a column for each agent. */
function printCapabilities(terminal: Terminal, agents: readonly ListedAgent[]): void {
  const names = Object.keys(agents[0]!.capabilities) as (keyof AgentCapabilities)[];
  const rows = [
    ["", ...agents.map(({ name }) => name)],
    ...names.map((name) => [name, ...agents.map(({ capabilities }) => capabilityCell(capabilities[name]))]),
  ];
  const widths = rows[0]!.map((_, column) => Math.max(...rows.map((row) => row[column]!.length)));
  for (const row of rows) {
    terminal.print(
      row
        .map((cell, column) => cell.padEnd(widths[column]!))
        .join("  ")
        .trimEnd(),
    );
  }
}

function capabilityCell(value: AgentCapabilities[keyof AgentCapabilities]): string {
  if (typeof value === "string") return value === "none" ? "-" : value;
  return value ? "yes" : "-";
}

function heldCell(terminal: Terminal, held: WireHold | null): string {
  if (held === null) return "";
  const until = held.until === null ? "" : ` until ${terminal.time(held.until)}`;
  const guess = isGuess(held) ? ", a guess" : "";
  return `  ${terminal.style("yellow", "held")}${until}${guess}: ${heldName(held)}: ${held.why}`;
}
