/** What is wrong with the programs of agents. */

import { type ExaminedAgent, examineAgents } from "../../compose/examine-agents.ts";
import type { ClauseResult } from "../../ports/agent-probe.ts";
import type { Call } from "../command.ts";
import { usageFailure } from "../failure.ts";
import { stopSignals } from "../stop-signals.ts";
import type { Examination } from "./examination.ts";
import { fine, wrong } from "./examination.ts";

export interface ExaminedAgents {
  agents: ExaminedAgent[];
  found: Examination[];
  /** 130 or 143 where it was broken off. */
  exitCode: number | null;
}

export async function examinePrograms({ args: names, cwd, env, terminal }: Call): Promise<ExaminedAgents> {
  const stop = stopSignals();
  try {
    const began = (name: string): void => {
      if (!terminal.json) terminal.note(`tries the program of ${name}`);
    };
    const agents = await examineAgents({ cwd, env, names, signal: stop.first, began });
    if ("unknown" in agents) throw unknown(agents.unknown);
    return { agents, found: agents.flatMap(examinationsOf), exitCode: stop.exitCode() };
  } finally {
    stop.close();
  }
}

function unknown([name]: readonly string[]): Error {
  return usageFailure(`agent ${name} is not configured`, "`lockstep agent list` has all of them.");
}

const RESULTS: Record<Exclude<ClauseResult, "broken">, string> = { kept: "kept", not_asked: "", not_seen: "not seen" };

function examinationsOf(agent: ExaminedAgent): Examination[] {
  const { name, adapter, program, version, log_in, clauses, ms, why_not } = agent;
  if (program === null) return [why_not === null ? noProgram(agent) : fine(name, `not looked at: ${why_not}`)];
  const who = `${adapter} ${version ?? "of an unknown version"}`;
  const seconds = ms === null ? "" : `, tried in ${(ms / 1_000).toFixed(1)} s`;
  return [
    fine(name, `${who}, ${program}${seconds}`),
    ...(log_in === null ? [] : [fine(`${name}, log-in`, `${log_in.state}: ${log_in.by}`)]),
    ...(why_not === null ? [] : [fine(`${name}, trial`, `not tried: ${why_not}`)]),
    ...(clauses ?? []).map(({ clause, result, seen }) => {
      if (result === "broken") return brokenClause(`${name} (${who})`, clause, seen, fixOf(agent));
      const word = RESULTS[result];
      return fine(`${name}, ${clause}`, word === "" ? seen : `${word}: ${seen}`);
    }),
  ];
}

function noProgram({ name, adapter }: ExaminedAgent): Examination {
  return wrong(
    name,
    "agent_program",
    `the program of ${name} (${adapter}) is not there`,
    "Install it, or say under `command` where it lies.",
  );
}

function brokenClause(who: string, clause: string, seen: string, fix: string): Examination {
  return wrong(who, "agent_contract", `${who}: ${clause}: ${seen}`, fix);
}

function fixOf({ adapter, version }: ExaminedAgent): string {
  return version === null
    ? `It does not answer --version as ${adapter} does: say under \`command\` where that lies.`
    : "Take the version that worked, or a newer lockstep; `lockstep agent release` lets it start all the same.";
}
