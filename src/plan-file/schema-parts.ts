/** The pieces that the schemas of plans and of the configuration are made of. */

import { z } from "zod";
import { globProblem } from "../core/plan/glob.ts";
import { DURATION_PATTERN, parseDuration } from "./duration.ts";
import { quoted, unknownName } from "./finding.ts";

const DURATION_MESSAGE = "must be a duration such as 90s, 10m, 1h or 1h30m, at most 24 days";

/** An object without unknown keys: each is named together with the nearest one that is known, one to a line. */
export function strict<Shape extends z.ZodRawShape>(shape: Shape): z.ZodObject<Shape, z.core.$strict> {
  const known = Object.keys(shape);
  return z.strictObject(quick(shape), {
    error: (issue) =>
      issue.code === "unrecognized_keys" ? issue.keys.map((key) => unknownKey(key, known)).join("\n") : undefined,
  });
}

/**
 * The same fields, faster: for an absent field an exact optional runs the whole inner schema and drops what that says,
 * which doubles the time of a large plan. Parsed documents never hold undefined, so both kinds accept the same.
 */
function quick<Shape extends z.ZodRawShape>(shape: Shape): Shape {
  const fields = Object.entries(shape).map(([key, field]) => [
    key,
    field instanceof z.ZodExactOptional ? z.optional(field.unwrap()) : field,
  ]);
  return Object.fromEntries(fields) as Shape;
}

function unknownKey(key: string, known: readonly string[]): string {
  if (key === "<<") return 'merge keys ("<<") are not read: write the keys out';
  return unknownName("key", key, known);
}

/** A text that says something. */
export const text: z.ZodString = z.string().min(1);

export const texts = z.array(text);

/** Globs that are understood: one that is not would match everything, and nothing could run beside its task. */
export const globs = z.array(
  text.refine((glob) => globProblem(glob) === null, { error: ({ input }) => globMessage(String(input)) }),
);

function globMessage(glob: string): string {
  return `the glob ${quoted(glob)} is not understood: ${globProblem(glob)}`;
}

/** Milliseconds in the program, `10m` in the file. */
const duration = z
  .string({ error: DURATION_MESSAGE })
  .regex(DURATION_PATTERN, DURATION_MESSAGE)
  .refine((written) => !DURATION_PATTERN.test(written) || parseDuration(written) !== null, DURATION_MESSAGE);

/** A time limit: a duration that is not nothing. */
export const timeLimit = duration.refine(
  (written) => parseDuration(written) !== 0,
  "must be longer than nothing: a limit of 0 would stop everything at once",
);

const command = z.string();
const check = strict({ run: command, timeout: timeLimit.exactOptional() });
const CHECKS_MESSAGE = "must be a command, {run, timeout}, or a list of these";

/** Checks as they may be written; `checksOf` makes one form of them. */
const checks = z.union(
  [command, check, z.array(z.union([command, check], { error: "must be a command or {run, timeout}" }))],
  { error: CHECKS_MESSAGE },
);

/** Of tasks, and of the defaults of plans and projects: what one says, the other may leave out. */
export const sharedTaskFields = {
  verify: checks.describe("Commands that show that the task is done; the engine runs them").exactOptional(),
  guards: checks.describe("Commands that must stay green; compared with the base").exactOptional(),
  wave: z.int().min(0).describe("A hint of order; a barrier only where the plan says so").exactOptional(),
  priority: z.int().min(1).max(1000).describe("1 is first, 3 the default").exactOptional(),
  agent: text.exactOptional(),
  tries: z.int().min(1).max(100).describe("Attempts in one round").exactOptional(),
  timeout: timeLimit.describe("Longest time of one attempt").exactOptional(),
  verify_timeout: timeLimit.describe("Longest time of one check").exactOptional(),
  retry_delay: duration.describe("Delay before the second try; doubles each time").exactOptional(),
  unchecked: z.boolean().describe("No check can tell; shown wherever the task is shown").exactOptional(),
  red_first: z.boolean().describe("The checks must be red before the work").exactOptional(),
  clean: z.boolean().describe("The checks run in a clean tree").exactOptional(),
  protect: globs.describe("Globs of files that no attempt may change").exactOptional(),
  outside: z.enum(["warn", "refuse"]).describe("What a change outside files_owned means").exactOptional(),
  weakened_checks: z
    .enum(["ask", "allow"])
    .describe("What a change that weakens tests, limits or check scripts means")
    .exactOptional(),
  lane: text.exactOptional(),
  role: text.exactOptional(),
  skill: text.exactOptional(),
  labels: texts.exactOptional(),
  estimated_minutes: z.number().min(0).max(1_000_000).exactOptional(),
  changes: z.enum(["optional", "required"]).describe("required: an empty diff is a failed attempt").exactOptional(),
  on_dependency_failed: z.enum(["wait", "cascade"]).exactOptional(),
};

/** `defaults` of a configuration; a plan's may also name a scope. */
export const defaultsSchema = strict(sharedTaskFields);
