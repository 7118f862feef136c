import type { Proof, ProveWish, TaskProof } from "../../engine/prove.ts";
import { provePlan } from "../../engine/prove.ts";
import type { Call, CommandRun } from "../command.ts";
import { firstLine } from "../event-text.ts";
import { EXIT } from "../exit-codes.ts";
import { stopSignals } from "../stop-signals.ts";
import type { Terminal } from "../terminal.ts";

export const run: CommandRun = async (call) => {
  if (call.options["rerun"] === undefined) return prove(call, {});
  const stop = stopSignals();
  try {
    const exit = await prove(call, { rerun: stop.first });
    return stop.exitCode() ?? exit;
  } finally {
    stop.close();
  }
};

async function prove(call: Call, wish: ProveWish): Promise<number> {
  const { terminal, session } = call;
  const { plan, row: task } = await wanted(call);
  const proof = await provePlan(await session.context(), plan, { ...wish, task });
  if (terminal.json) terminal.printJson(proof);
  else print(terminal, plan.name, proof);
  return proof.ok ? EXIT.ok : EXIT.refused;
}

async function wanted({ args, session }: Call) {
  if (args[0] === undefined) return { plan: await session.plan(), row: null };
  const { plan, record } = await session.task(args[0]);
  return { plan, row: record.row };
}

/** Digits of a commit that people are shown. */
const COMMIT_DIGITS = 10;

function print(terminal: Terminal, plan: string, { tasks, problems, notes }: Proof): void {
  for (const task of tasks) {
    terminal.print(`${mark(terminal, task)}  ${task.id}  ${standing(task)}`);
    for (const problem of task.problems) terminal.print(`  ${firstLine(problem)}`);
  }
  for (const problem of problems) terminal.print(`${terminal.style("red", "✗ wrong")}  ${firstLine(problem)}`);
  for (const note of notes) terminal.print(`${terminal.style("yellow", "! note")}  ${firstLine(note)}`);
  const proved = tasks.filter(({ ok, unverified }) => ok && !unverified).length;
  terminal.print(`${plan}: ${proved} of ${tasks.length} verified ${tasks.length === 1 ? "task" : "tasks"} proved`);
}

function mark(terminal: Terminal, { ok, unverified }: TaskProof): string {
  if (!ok) return terminal.style("red", "✗ wrong");
  return unverified ? terminal.style("yellow", "? unverified") : terminal.style("green", "✓ proved");
}

function standing({ landed, unverified, checks }: TaskProof): string {
  if (unverified) return "an operator's word, no checks";
  const where = landed === null ? "nothing is landed here" : `landed ${landed.slice(0, COMMIT_DIGITS)}`;
  const anew = checks.filter(({ rerun }) => rerun === "green").length;
  const ran = checks.some(({ rerun }) => rerun !== undefined) ? `, ${anew} green when run anew` : "";
  return `${where}, ${checks.length} ${checks.length === 1 ? "check" : "checks"}${ran}`;
}
