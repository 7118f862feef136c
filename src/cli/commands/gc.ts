import { windowsOf } from "../../compose/windows.ts";
import type { GcReport } from "../../engine/gc.ts";
import { collectGarbage } from "../../engine/gc.ts";
import type { Call, CommandRun } from "../command.ts";
import { EXIT } from "../exit-codes.ts";
import { Failure } from "../failure.ts";
import { durationOption, isGiven, textOption } from "../read-options.ts";
import type { Terminal } from "../terminal.ts";

export const run: CommandRun = async (call) => {
  const { stateDir } = await call.session.project();
  const windows = windowsOf(stateDir, call.env);
  const request = { older_than_ms: olderThan(call), dry_run: isGiven(call, "dry-run"), windows };
  const report = await collectGarbage(await call.session.context(), request);
  if ("code" in report) throw new Failure(report.code, report.text, "Put that right, then run this again.");
  if (call.terminal.json) call.terminal.printJson(report);
  else print(call.terminal, report);
  return EXIT.ok;
};

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

const UNITS = ["bytes", "KB", "MB", "GB", "TB"] as const;

/** In powers of 1024, as the configuration reads them. */
function sizeText(bytes: number): string {
  const power = bytes === 0 ? 0 : Math.min(Math.floor(Math.log2(bytes) / 10), UNITS.length - 1);
  const size = bytes / 1024 ** power;
  return `${power === 0 ? size : size.toFixed(1)} ${UNITS[power]}`;
}
