/** The attempt that an address names, and what its agent printed: shared by all who show it. */

import { StringDecoder } from "node:string_decoder";
import { transcriptName } from "../core/attempt/spool-name.ts";
import type { AttemptRow, TaskRow } from "../core/task/rows.ts";
import { followOutput } from "./attempt-output.ts";
import type { Call } from "./command.ts";
import { EXIT } from "./exit-codes.ts";
import { Failure } from "./failure.ts";

export interface AddressedAttempt {
  task: TaskRow;
  attempt: AttemptRow;
  /** Reads it anew. */
  now(): Promise<AttemptRow>;
}

/** The attempt behind `#`, or the last one. */
export async function addressedAttempt({ args, session }: Call): Promise<AddressedAttempt> {
  const { plan, record, attempt } = await session.task(args[0]!);
  const task = record.row;
  const store = await session.store();
  const n = attempt ?? task.attempts;
  const find = async (): Promise<AttemptRow | undefined> =>
    (await store.attempts(plan.id, task.id)).find((each) => each.n === n);
  const found = await find();
  if (found) return { task, attempt: found, now: async () => (await find()) ?? found };
  const hint = task.attempts === 0 ? "It has had no attempt yet." : `Its attempts are 1 to ${task.attempts}.`;
  throw new Failure("unknown_attempt", `${task.id} has no attempt ${n}`, hint, { exit: EXIT.usage });
}

/** Shows what it printed, and all that comes for as long as it `isLive`. False where nothing of it is kept here. */
export async function showOutput(
  { session, terminal }: Call,
  { task, attempt: { n } }: AddressedAttempt,
  isLive: () => Promise<boolean>,
): Promise<boolean> {
  const decoder = new StringDecoder("utf8");
  const tellLine = (text: string): void => {
    if (text !== "") terminal.printJson({ task: task.id, attempt: n, text });
  };
  const isKnown = await followOutput(await session.context(), {
    log: transcriptName(task, n),
    isLive,
    tell: (bytes) => (terminal.json ? tellLine(decoder.write(Buffer.from(bytes))) : terminal.write(bytes)),
  });
  tellLine(decoder.end());
  return isKnown;
}

export function noOutput({ task, attempt: { n, kind } }: AddressedAttempt): Failure {
  const message = `no output of attempt ${n} of ${task.id} is kept on this machine`;
  const hint =
    kind === "external"
      ? "A worker outside lockstep did it: its output is its own."
      : "Its agent printed nothing through lockstep, has not begun, or ran on another machine.";
  return new Failure("no_output", message, hint);
}
