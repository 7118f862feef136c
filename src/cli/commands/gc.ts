import { windowsOf } from "../../compose/windows.ts";
import { diskUse, totalBytes } from "../../engine/disk-use.ts";
import type { GcReport } from "../../engine/gc.ts";
import { collectGarbage } from "../../engine/gc.ts";
import type { WorkspaceRefusal } from "../../ports/workspace.ts";
import type { Call, CommandRun } from "../command.ts";
import { diskText, sizeText } from "../disk-text.ts";
import { EXIT } from "../exit-codes.ts";
import { Failure } from "../failure.ts";
import { durationOption, isGiven, textOption } from "../read-options.ts";
import type { Terminal } from "../terminal.ts";

export const run: CommandRun = async (call) => {
  const { stateDir } = await call.session.project();
  const windows = windowsOf(stateDir, call.env);
  const request = { older_than_ms: olderThan(call), dry_run: isGiven(call, "dry-run"), windows };
  const context = await call.session.context();
  const report = usable(await collectGarbage(context, request));
  const in_use = usable(await diskUse(context));
  if (call.terminal.json) call.terminal.printJson({ ...report, in_use, in_use_bytes: totalBytes(in_use) });
  else {
    print(call.terminal, report);
    call.terminal.print(`on disk: ${diskText(in_use)}`);
  }
  return EXIT.ok;
};

function usable<T extends object>(answer: T | WorkspaceRefusal): T {
  if ("code" in answer) throw new Failure(answer.code, answer.text, "Put that right, then run this again.");
  return answer;
}

const DAY_MS = 24 * 3_600_000;

/** Days in their plain form: no other option has times so long. */
const DAYS = /^(\d{1,5})d$/;

function olderThan(call: Call): number {
  const days = DAYS.exec(textOption(call, "older-than") ?? "30d")?.[1];
  return days === undefined ? durationOption(call, "older-than", 0) : Number(days) * DAY_MS;
}

function print(terminal: Terminal, { dry_run, freed, kept, bytes }: GcReport): void {
  const verb = dry_run ? "would free" : "freed";
  for (const { kind, name, count, bytes: size } of freed) {
    const what = kind === "attempts" ? `${count} of ${name}` : name;
    terminal.print(`${terminal.style("green", verb)}  ${kind}  ${what}  ${sizeText(size)}`);
  }
  for (const { kind, name, why } of kept)
    terminal.print(`${terminal.style("yellow", "kept")}  ${kind}  ${name}: ${why}`);
  const total = freed.reduce((sum, { count }) => sum + count, 0);
  terminal.print(total === 0 ? "nothing to free" : `${verb} ${total} in all, ${sizeText(bytes)}`);
}
