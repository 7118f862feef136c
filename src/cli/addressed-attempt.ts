/** The attempt that an address names, and what its agent did: shared by all who show it. */

import { StringDecoder } from "node:string_decoder";
import { type KeptOutput, keptOutput, LineSplitter, parseEvent } from "../compose/kept-output.ts";
import type { AttemptRow, TaskRow } from "../core/task/rows.ts";
import type { AttemptName } from "../ports/runner.ts";
import { followOutput } from "./attempt-output.ts";
import type { Call } from "./command.ts";
import { EXIT } from "./exit-codes.ts";
import { Failure } from "./failure.ts";
import { isGiven } from "./read-options.ts";
import { RunnerEventText } from "./runner-event-text.ts";

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

/**
 * Shows what its agent did, and all that comes for as long as it `isLive`; with `--raw` what its program printed. False
 * where nothing of it is kept here.
 */
export async function showOutput(
  call: Call,
  shown: AddressedAttempt,
  isLive: () => Promise<boolean>,
): Promise<boolean> {
  const { stateDir } = await call.session.project();
  const telling = { printed: printedTeller(call, shown), told: eventTeller(call, shown) };
  let kept: KeptOutput | null = null;
  const isKnown = await followOutput(await call.session.context(), {
    find: () => {
      kept = keptOutput(stateDir, nameOf(shown), { isRaw: isGiven(call, "raw") });
      return kept?.file ?? null;
    },
    isLive,
    tell: (bytes) => telling[kept!.is].take(Buffer.from(bytes)),
  });
  telling.printed.end();
  return isKnown;
}

interface Teller {
  take(bytes: Buffer): void;
  end(): void;
}

function printedTeller({ terminal }: Call, { task, attempt: { n } }: AddressedAttempt): Teller {
  const decoder = new StringDecoder("utf8");
  const tellPiece = (text: string): void => {
    if (text !== "") terminal.printJson({ task: task.id, attempt: n, text });
  };
  return {
    take: (bytes) => (terminal.json ? tellPiece(decoder.write(bytes)) : terminal.write(bytes)),
    end: () => tellPiece(decoder.end()),
  };
}

/** Of a line that is not whole yet, or cannot be read, nothing is told. */
function eventTeller({ terminal }: Call, { task, attempt }: AddressedAttempt): Teller {
  const words = new RunnerEventText(terminal);
  const lines = new LineSplitter((line, leftOut) => {
    const event = leftOut > 0 ? null : parseEvent(line);
    if (event === null || words.isKnown(event)) return;
    const { n: _, ...told } = event;
    if (terminal.json) return terminal.printJson({ task: task.id, attempt: attempt.n, ...told });
    const text = words.of(event);
    if (text !== null) terminal.print(text);
  });
  return { take: (bytes) => lines.take(bytes), end: () => {} };
}

/** How it stands by the store: the last line of all that is shown of it. */
export function standingOf({ task }: AddressedAttempt, { n, state, outcome, error }: AttemptRow): string {
  const which = `attempt ${n} of ${task.id}`;
  if (state !== "settled") return `${which} goes on`;
  return `${which} has ended: ${outcome}${error === null ? "" : `, ${error}`}`;
}

export function nameOf({ task: { plan, id, slug }, attempt: { n } }: AddressedAttempt): AttemptName {
  return { plan, task: id, slug, n };
}

export function noOutput({ task, attempt: { n, kind } }: AddressedAttempt): Failure {
  const message = `no output of attempt ${n} of ${task.id} is kept on this machine`;
  const hint =
    kind === "external"
      ? "A worker outside lockstep did it: its output is its own."
      : "Its agent printed nothing through lockstep, has not begun, or ran on another machine.";
  return new Failure("no_output", message, hint);
}
