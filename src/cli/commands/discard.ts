import { askToDiscard, keepDiscarded } from "../../engine/discard.ts";
import type { WorkspaceRefusal } from "../../ports/workspace.ts";
import type { CommandRun } from "../command.ts";
import { EXIT } from "../exit-codes.ts";
import { Failure, refused } from "../failure.ts";
import { textOption } from "../read-options.ts";
import { marksOf, stateText } from "../state-words.ts";
import type { Terminal } from "../terminal.ts";
import { endWithoutEngine } from "../without-engine.ts";

export const run: CommandRun = async (call) => {
  const { session, terminal } = call;
  const why = textOption(call, "reason") ?? "discarded by an operator";
  const { plan, record } = await session.task(call.args[0]!);
  const context = await session.context();
  const discarding = { plan, record, why };
  const asked = await askToDiscard(context, discarding);
  if ("rejection" in asked) throw refused(asked.rejection);
  // An agent that is to end, or a check of an engine that died.
  if (record.row.state === "in_progress" || record.row.state === "claimed_done")
    await endWithoutEngine(await session.project(), plan.id);
  const kept = await keepDiscarded(context, discarding);
  if (kept !== null && "code" in kept) throw notReset(record.row.id, kept);
  const { row } = (await context.store.task(plan.id, record.row.id))!;
  if (terminal.json)
    terminal.printJson({ task: row.id, state: row.state, stopping: kept === null, saved: kept?.saved ?? null });
  else print(terminal, `${row.id}  ${stateText(terminal, row.state)}${marksOf(row)}`, kept?.saved, row.slug);
  return EXIT.ok;
};

/** `undefined`: its attempt has not ended yet. */
function print(terminal: Terminal, task: string, saved: string | null | undefined, slug: string): void {
  if (saved === undefined) {
    terminal.print(`${task}, stopping: its work is then kept below refs/lockstep/saved, and the task pending`);
    return;
  }
  terminal.print(task);
  if (saved === null) terminal.print("there was no work to keep");
  else terminal.print(`its work is kept: ${saved}\nto have it back: git branch ${slug}-discarded ${saved}`);
}

/** The task begins again without it all the same. */
function notReset(id: string, { code, text }: WorkspaceRefusal): Failure {
  return new Failure(code, `${id} is pending, but its files are still there: ${text}`, "Put that right by hand.");
}
