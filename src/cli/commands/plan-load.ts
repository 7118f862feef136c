import type { CommandRun } from "../command.ts";
import { EXIT } from "../exit-codes.ts";
import { loadFile, loadText } from "../load-file.ts";

export const run: CommandRun = async (call) => {
  const { terminal } = call;
  const counts = await loadFile(call, call.args[0]!);
  const { plan, revision, inserted, updated, retired, total, policy_changed } = counts;
  const changed = policy_changed === undefined ? {} : { policy_changed };
  if (terminal.json) terminal.printJson({ plan, revision, inserted, updated, retired, total, ...changed });
  else {
    terminal.print(loadText(counts));
    terminal.note("next: `lockstep run --dry-run` shows what would start, `lockstep run` carries it to its end");
  }
  return EXIT.ok;
};
