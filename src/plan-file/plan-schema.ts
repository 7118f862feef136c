/** The truth of what a plan file may say. Its JSON Schema is generated from here. */

import { z } from "zod";
import { defaultsSchema, globs, sharedTaskFields, strict, text, texts } from "./schema-parts.ts";

/** One task of a plan file. */
export const taskSchema = strict({
  id: z.string().describe("Any text of 1 to 300 characters without control characters; unique in the plan"),
  title: text.describe("Defaults to the id").exactOptional(),
  prompt: text.describe("What the agent is told; defaults to the title").exactOptional(),
  depends_on: z.array(z.string()).describe("Ids of tasks that must be verified first").exactOptional(),
  files_owned: globs.describe("Globs that bound what may run beside this task").exactOptional(),
  scope: text.exactOptional(),
  ...sharedTaskFields,
});

/** A policy label. Only `depends_on`, `paths` and `deny` have an effect yet; the rest is kept for the versions that enforce it. */
const scopeSchema = strict({
  depends_on: texts.describe("Scopes whose tasks must all be verified first").exactOptional(),
  paths: globs.min(1, "must name a glob at least").describe("Globs of all that its tasks may change").exactOptional(),
  deny: globs.describe("Globs of what its tasks may not change, whatever paths says").exactOptional(),
  tools: z.unknown().exactOptional(),
  env: z.unknown().exactOptional(),
  environment: z.unknown().exactOptional(),
  model: z.unknown().exactOptional(),
  budget: z.unknown().exactOptional(),
  criteria: z.unknown().exactOptional(),
});

const frame = {
  $schema: z.string().describe("For editors").exactOptional(),
  plan: z.string().describe("The plan's name: unique in its project, safe in branch names"),
  defaults: defaultsSchema.extend({ scope: text.exactOptional() }).exactOptional(),
  barriers: z.array(z.int().min(0)).describe("Waves that all lower waves must end before").exactOptional(),
  scopes: z.record(text, scopeSchema).exactOptional(),
};

const A_TASK_AT_LEAST = "must have at least one task";

/** A plan whose tasks are still to be looked at: each is checked for itself, so that a large plan is never held twice. */
export const planFrameSchema = strict({ ...frame, tasks: z.array(z.unknown()).min(1, A_TASK_AT_LEAST) });

/** A whole plan file. */
export const planSchema = strict({ ...frame, tasks: z.array(taskSchema).min(1, A_TASK_AT_LEAST) });

export type WrittenTask = z.infer<typeof taskSchema>;
export type WrittenPlanFrame = z.infer<typeof planFrameSchema>;
export type WrittenPlanDefaults = NonNullable<WrittenPlanFrame["defaults"]>;
export type WrittenDefaults = z.infer<typeof defaultsSchema>;
export type WrittenScope = z.infer<typeof scopeSchema>;
