import { taskDiff } from "../../engine/task-diff.ts";
import type { CommandRun } from "../command.ts";
import { EXIT } from "../exit-codes.ts";
import { Failure } from "../failure.ts";

export const run: CommandRun = async ({ args, session, terminal }) => {
  const { plan, record } = await session.task(args[0]!);
  const { row } = record;
  const diff = await taskDiff(await session.context(), plan, row);
  if (diff === null) {
    const hint = row.target.startsWith("refs/")
      ? "It has neither landed nor left work behind: `lockstep why TASK` says how it stands."
      : "Nothing is landed in a plain directory: its files are all there is.";
    throw new Failure("no_work", `no work of ${row.id} is kept as commits`, hint);
  }
  if ("code" in diff) throw new Failure(diff.code, diff.text, "`lockstep doctor` looks at the repository.");
  const { from, to, patch } = diff;
  const landed = row.landed_sha !== null;
  if (terminal.json) terminal.printJson({ task: row.id, from, to, landed, diff: Buffer.from(patch).toString("utf8") });
  else terminal.write(patch);
  if (row.state === "in_progress") terminal.note(`${row.id} is under way: what it has not committed yet is not here`);
  else if (patch.length === 0) terminal.note(`${row.id} changed nothing`);
  return EXIT.ok;
};
