import { StringDecoder } from "node:string_decoder";
import { transcriptName } from "../../core/attempt/spool-name.ts";
import { followOutput } from "../attempt-output.ts";
import type { CommandRun } from "../command.ts";
import { EXIT } from "../exit-codes.ts";
import { Failure } from "../failure.ts";
import { isGiven } from "../read-options.ts";

export const run: CommandRun = async (call) => {
  const { args, session, terminal } = call;
  const { plan, record, attempt } = await session.task(args[0]!);
  const { row } = record;
  const context = await session.context();
  const { store } = context;
  const n = attempt ?? row.attempts;
  const found = (await store.attempts(plan.id, row.id)).find((each) => each.n === n);
  if (!found) {
    const hint = row.attempts === 0 ? "It has had no attempt yet." : `Its attempts are 1 to ${row.attempts}.`;
    throw new Failure("unknown_attempt", `${row.id} has no attempt ${n}`, hint, { exit: EXIT.usage });
  }
  const decoder = new StringDecoder("utf8");
  const tellLine = (text: string): void => {
    if (text !== "") terminal.printJson({ task: row.id, attempt: n, text });
  };
  const isKnown = await followOutput(context, {
    log: transcriptName(row, n),
    isLive: async () => {
      if (!isGiven(call, "follow")) return false;
      const now = (await store.attempts(plan.id, row.id)).find((each) => each.n === n);
      return now?.state !== "settled";
    },
    tell: (bytes) => (terminal.json ? tellLine(decoder.write(Buffer.from(bytes))) : terminal.write(bytes)),
  });
  tellLine(decoder.end());
  if (!isKnown) throw noOutput(row.id, n, found.kind);
  return EXIT.ok;
};

function noOutput(task: string, n: number, kind: "external" | "run"): Failure {
  const message = `no output of attempt ${n} of ${task} is kept on this machine`;
  const hint =
    kind === "external"
      ? "A worker outside lockstep did it: its output is its own."
      : "Its agent printed nothing through lockstep, has not begun, or ran on another machine.";
  return new Failure("no_output", message, hint);
}
