import type { Call, CommandRun } from "../command.ts";
import type { Examination, Finding } from "../doctor/examination.ts";
import { examineMachine } from "../doctor/machine.ts";
import { examineProject } from "../doctor/project.ts";
import { EXIT } from "../exit-codes.ts";
import { usageFailure } from "../failure.ts";
import { isGiven } from "../read-options.ts";
import type { Terminal } from "../terminal.ts";

export const run: CommandRun = async (call) => {
  if (isGiven(call, "agents")) return ofAgents(call);
  if (call.args.length > 0)
    throw usageFailure("agents are named without --agents", "Write `lockstep doctor --agents NAME`.");
  const found = [...(await examineMachine(call.env)), ...(await examineProject(call, isGiven(call, "store")))];
  const problems = found.flatMap(({ problem }) => (problem ? [problem] : []));
  const fine = found.flatMap((each) => (each.problem ? [] : [each]));
  if (call.terminal.json) call.terminal.printJson({ problems, fine: fine.map(({ what, found }) => ({ what, found })) });
  else print(call.terminal, problems, fine);
  return problems.length > 0 ? EXIT.refused : EXIT.ok;
};

async function ofAgents(call: Call): Promise<number> {
  const { examinePrograms } = await import("../doctor/agents.ts");
  const { agents, found, exitCode } = await examinePrograms(call);
  const problems = found.flatMap(({ problem }) => (problem ? [problem] : []));
  if (call.terminal.json) call.terminal.printJson({ problems, agents, broken_off: exitCode !== null });
  else if (agents.length === 0) call.terminal.note("no agent is configured, and no program of one is found");
  else
    print(
      call.terminal,
      problems,
      found.filter(({ problem }) => problem === null),
      exitCode === null ? null : "broken off: not every program was tried",
    );
  return exitCode ?? (problems.length > 0 ? EXIT.refused : EXIT.ok);
}

/** `otherwise`: the last line, where it is not told whether anything is wrong. */
function print(
  terminal: Terminal,
  problems: readonly Finding[],
  fine: readonly Examination[],
  otherwise: string | null = null,
): void {
  for (const { code, message, fix } of problems) {
    terminal.print(`${terminal.style("red", "✗ problem")}  ${code}: ${message}`);
    terminal.print(`  fix: ${fix}`);
  }
  for (const { what, found } of fine) terminal.print(`${terminal.style("green", "✓")} ${what}: ${found}`);
  const count = problems.length === 1 ? "1 problem" : `${problems.length} problems`;
  terminal.print(otherwise ?? (problems.length === 0 ? "nothing is wrong" : count));
}
