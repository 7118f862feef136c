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
  if (call.terminal.json) call.terminal.printJson({ problems, agents });
  else if (agents.length === 0) call.terminal.note("no agent is configured, and no program of one is found");
  else
    print(
      call.terminal,
      problems,
      found.filter(({ problem }) => problem === null),
    );
  return exitCode ?? (problems.length > 0 ? EXIT.refused : EXIT.ok);
}

function print(terminal: Terminal, problems: readonly Finding[], fine: readonly Examination[]): void {
  for (const { code, message, fix } of problems) {
    terminal.print(`${terminal.style("red", "✗ problem")}  ${code}: ${message}`);
    terminal.print(`  fix: ${fix}`);
  }
  for (const { what, found } of fine) terminal.print(`${terminal.style("green", "✓")} ${what}: ${found}`);
  terminal.print(
    problems.length === 0 ? "nothing is wrong" : `${problems.length} ${problems.length === 1 ? "problem" : "problems"}`,
  );
}
