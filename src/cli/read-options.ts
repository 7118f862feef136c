/** Options as values; a wrong one ends the command before anything is done. */

import { parseDuration } from "../plan-file/duration.ts";
import type { Call } from "./command.ts";
import { usageFailure } from "./failure.ts";

export function isGiven({ options }: Call, name: string): boolean {
  return Object.hasOwn(options, name);
}

export function textOption({ options }: Call, name: string): string | null {
  return options[name] ?? null;
}

/** All values of an option that may be given several times; empty where it was not. */
export function listOption({ lists }: Call, name: string): readonly string[] {
  return lists[name] ?? [];
}

export function requiredText(call: Call, name: string, why: string): string {
  const value = textOption(call, name);
  if (value === null)
    throw usageFailure(`--${name} is missing: ${why}`, `\`lockstep help ${call.spec.name}\` has examples.`);
  return value;
}

/** Milliseconds; `otherwise` where the option was not given. */
export function durationOption(call: Call, name: string, otherwise: number): number {
  const written = textOption(call, name);
  if (written === null) return otherwise;
  const ms = parseDuration(written);
  if (ms !== null && ms > 0) return ms;
  throw usageFailure(`--${name} cannot be ${JSON.stringify(written)}`, "Write a time such as 90s, 10m, 1h or 1h30m.");
}

/** The largest whole number that is read: event numbers and tokens stay far below. */
const COUNT_PATTERN = /^\d{1,15}$/;

/** A whole number of at least `least`; null where the option was not given. */
export function countOption(call: Call, name: string, least: number): number | null {
  const written = textOption(call, name);
  if (written === null) return null;
  if (COUNT_PATTERN.test(written) && Number(written) >= least) return Number(written);
  throw usageFailure(`--${name} cannot be ${JSON.stringify(written)}`, `Write a whole number of at least ${least}.`);
}

export function requiredToken(call: Call): number {
  requiredText(call, "token", "it is what `claim` printed, and shows that the task is yours");
  return countOption(call, "token", 1)!;
}
