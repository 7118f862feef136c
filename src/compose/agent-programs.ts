/** The programs of the configured agents: which version each is, and whether it was tried. */

import { findProgram } from "../adapters/processes/find-program.ts";
import { ACP_AGENTS } from "../config/acp-agents.ts";
import type { AgentConfig } from "../config/config.ts";
import type { AgentPrograms, ProbeReport, ProgramStanding } from "../ports/agent-probe.ts";
import type { Processes } from "../ports/processes.ts";
import type { KitName } from "../probe/kits.ts";
import { agentEnvOf } from "./agent-env.ts";
import { agentSpecOf } from "./agent-spec.ts";
import {
  CONTRACT,
  fileMark,
  type ProgramProbe,
  type ProgramRecord,
  readRecord,
  writeRecord,
} from "./program-records.ts";
import { Slots } from "./slots.ts";

export interface ProgramsOptions {
  agents: Readonly<Record<string, AgentConfig>>;
  /** Absolute path of the directory in which the configuration stands. */
  root: string;
  stateDir: string;
  processes: Processes;
  env: NodeJS.ProcessEnv;
}

/** Programs that are tried at once: each works the machine as an attempt does. */
const PROBES_AT_ONCE = 2;

/** A file that did not change may still start another program, so it is asked again after a day. */
const VERSION_MS_MAX = 24 * 3_600_000;

const slots = new Slots(PROBES_AT_ONCE);

export function agentPrograms(options: ProgramsOptions): AgentPrograms {
  const configOf = (name: string): AgentConfig | null =>
    Object.hasOwn(options.agents, name) ? options.agents[name]! : null;
  let swept: Promise<void> | null = null;
  return {
    isTried: (name) => {
      const config = configOf(name);
      return config?.probe === true && kitOf(config) !== null;
    },
    standing: async (name) => {
      // Once a run: what an engine before this one left of its trials.
      swept ??= endLeft(options.processes);
      await swept;
      return standingAfter(name, () => knownProgram(options, configOf(name), true));
    },
    probe: (name, signal) => standingAfter(name, () => tryProgram(options, configOf(name), signal)),
  };
}

async function endLeft(processes: Processes): Promise<void> {
  const { endLeftTrials } = await import("../probe/left-trials.ts");
  await endLeftTrials(processes);
}

/** A machine that does not let the program be looked at (a full disk, a folder that cannot be written) is a reason to hold it. */
async function standingAfter(name: string, look: () => Promise<ProgramRecord | null>): Promise<ProgramStanding> {
  try {
    const known = await look();
    return known === null ? { state: "fit" } : standingOf(name, known);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === undefined) throw error;
    return { state: "unfit", why: `its program cannot be looked at: ${message}` };
  }
}

/** What starts a program that can be tried, without more: with arguments of its own it may be something else. */
const USUAL: Record<KitName, readonly string[]> = {
  claude: [],
  codex: [],
  gemini: ACP_AGENTS.gemini.command.slice(1),
  opencode: [],
};

/** How the program of an agent is tried; null: it is not. */
export function kitOf({ adapter, command }: AgentConfig): KitName | null {
  if (!Object.hasOwn(USUAL, adapter)) return null;
  const usual = USUAL[adapter as KitName];
  const own = command.slice(1);
  return own.every((word, at) => word === usual[at]) ? (adapter as KitName) : null;
}

/** Where the program of an agent lies; null: nowhere. */
export function programOf(
  { root, env }: Pick<ProgramsOptions, "root" | "env">,
  config: AgentConfig,
): { path: string; searched: string } | null {
  const searched = agentEnvOf(config, env)["PATH"] ?? "";
  const path = config.command[0] === undefined ? null : findProgram(config.command[0], root, searched);
  return path === null ? null : { path, searched };
}

/**
 * What is known of an agent's program. `asks`: it is asked for its version where that is not known of the file as it is.
 * Null where the agent is of a kind that is not tried, its program is not there, or nothing is known.
 */
export async function knownProgram(
  options: ProgramsOptions,
  config: AgentConfig | null,
  asks: boolean,
): Promise<ProgramRecord | null> {
  const kit = config === null ? null : kitOf(config);
  const program = config === null || kit === null ? null : programOf(options, config);
  if (kit === null || program === null) return null;
  const { path, searched } = program;
  const { stateDir, processes } = options;
  const [record, file] = [await readRecord(stateDir, kit, path), await fileMark(path)];
  const now = Date.now();
  if (record?.file === file && (now - record.asked_at < VERSION_MS_MAX || !asks)) return record;
  if (!asks) return null;
  const { askVersion } = await import("../probe/version.ts");
  const version = await askVersion(kit, path, searched, processes);
  const asked = { adapter: kit, path, file, version, asked_at: now, probe: record?.probe ?? null };
  await writeRecord(stateDir, asked);
  return asked;
}

/** Tries the program of an agent, whatever was known of it, and remembers what came of it. */
export async function tryProgram(
  options: ProgramsOptions,
  config: AgentConfig | null,
  signal: AbortSignal,
): Promise<ProgramRecord | null> {
  const known = await knownProgram(options, config, true);
  if (config === null || known === null || known.version === null) return known;
  const report = await trialOf(options, config, signal);
  if (report === null) return known;
  const { version } = known;
  const probe = { version, contract: CONTRACT, ...report, at: Date.now(), released: false };
  const tried = { ...known, probe };
  await writeRecord(options.stateDir, tried);
  return tried;
}

/** One trial, of which nothing is remembered. Null: it was broken off, or the agent is of a kind that is not tried. */
export async function trialOf(
  options: ProgramsOptions,
  config: AgentConfig,
  signal: AbortSignal,
): Promise<ProbeReport | null> {
  const kit = kitOf(config);
  if (kit === null) return null;
  const { probeAgent } = await import("../probe/probe-agent.ts");
  const { KITS } = await import("../probe/kits.ts");
  const { countBearers } = await import("../adapters/processes/bearers.ts");
  const { processes, root, env } = options;
  const spec = agentSpecOf({ ...config, ...PLAIN, mode: modeOf(kit), model: KITS[kit].model }, root);
  if (spec === null) return null;
  // What its user gives it for its work is not what it is tried with.
  const { bypass: _bypass, system: _system, turns_max: _turns, budget_usd: _budget, ...plain } = spec;
  const path = agentEnvOf(config, env)["PATH"] ?? "";
  const wish = { kit, spec: plain as typeof spec, path, processes, countBearers, signal };
  return slots.take(signal, () => probeAgent(wish));
}

const PLAIN = { effort: null, auth: null } as const;

function modeOf(kit: KitName): string | null {
  return kit === "gemini" ? ACP_AGENTS.gemini.mode : null;
}

/** Lets the program of an agent start though it broke something, until it changes. */
export async function releaseProgram(options: ProgramsOptions, config: AgentConfig): Promise<void> {
  const known = await knownProgram(options, config, false);
  if (known?.probe == null || known.probe.released) return;
  await writeRecord(options.stateDir, { ...known, probe: { ...known.probe, released: true } });
}

/** The trial of the very version that is there now; null: there was none. */
export function probeOf({ version, probe }: ProgramRecord): ProgramProbe | null {
  return probe !== null && probe.version === version && probe.contract === CONTRACT ? probe : null;
}

function standingOf(name: string, known: ProgramRecord): ProgramStanding {
  const { adapter, version } = known;
  // Something else of that name: what it does is between it and its user.
  if (version === null) return { state: "fit" };
  const what = `${adapter} ${version}`;
  const probe = probeOf(known);
  if (probe === null) return { state: "untried", what };
  const broken = probe.clauses.filter(({ result }) => result === "broken");
  if (broken.length === 0 || probe.released) return { state: "fit" };
  const all = broken.map(({ clause, seen }) => `${clause}: ${seen}`).join("; ");
  return {
    state: "unfit",
    why: `${what} does not do what lockstep needs: ${all}; see \`lockstep doctor --agents ${name}\``,
  };
}
