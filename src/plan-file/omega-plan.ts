/** Omega's `DAG.json`, taken as it is: keys that are not known are left alone, and nothing that is missing is an error. */

import { basename, dirname, resolve } from "node:path";
import { z } from "zod";
import { type DocumentPath, type Finding, quoted } from "./finding.ts";
import type { WrittenTask } from "./plan-schema.ts";
import { type Checked, checkAgainst } from "./schema-findings.ts";
import { isTrivialCheck } from "./trivial-check.ts";
import { entriesOf, type WrittenEntries, type WrittenPlan, withoutEntries } from "./written-plan.ts";

const featureSchema = z.looseObject({
  id: z.string(),
  title: z.string().nullish(),
  depends_on: z.array(z.string()).nullish(),
  wave: z.int().min(0).nullish(),
  estimated_minutes: z.number().min(0).nullish(),
  files_owned: z.array(z.string()).nullish(),
  files_to_touch: z.array(z.string()).nullish(),
  verify_cmd: z.string().nullish(),
  skill: z.string().nullish(),
  worker_role: z.string().nullish(),
});

const frameSchema = z.looseObject({
  slug: z.string().nullish(),
  features: z.array(z.unknown()).min(1, "must have at least one feature"),
});

/** Omega's own default (its plans may be timed by it). */
const ESTIMATED_MINUTES_DEFAULT = 30;

/** True for a document in Omega's format. */
export function isOmegaPlan(value: unknown): boolean {
  return typeof value === "object" && value !== null && "features" in value && !("tasks" in value);
}

/** Reads a `DAG.json`. A feature that nothing checks becomes an unchecked task, with a warning. */
export function readOmegaPlan(value: unknown): Checked<WrittenPlan> {
  const frame = checkAgainst(frameSchema, withoutEntries(value, "features"));
  if (!frame.ok) return frame;
  const warnings: Finding[] = [];
  const entries: WrittenEntries = {
    key: "features",
    list: entriesOf(value, "features"),
    read: (entry, path) => readFeature(entry, path, warnings),
  };
  return { ok: true, value: { name: frame.value.slug || null, namePath: ["slug"], frame: {}, entries, warnings } };
}

/** The name of a plan whose file says none: that of its directory; of the project's in `<project>/plan/DAG.json`. */
export function omegaPlanName(path: string): string {
  const directory = dirname(resolve(path));
  return basename(basename(directory) === "plan" ? dirname(directory) : directory);
}

function readFeature(entry: unknown, path: DocumentPath, warnings: Finding[]): Checked<WrittenTask> {
  const checked = checkAgainst(featureSchema, entry, path);
  if (!checked.ok) return checked;
  const feature = checked.value;
  const verify = feature.verify_cmd?.trim() ? feature.verify_cmd : null;
  const unchecked = verify === null || isTrivialCheck(verify);
  if (unchecked) warnings.push({ path: [...path, "verify_cmd"], message: uncheckedMessage(feature.id, verify) });
  const filesOwned = feature.files_owned ?? feature.files_to_touch;
  const task: WrittenTask = {
    id: feature.id,
    ...(feature.title ? { title: feature.title } : {}),
    depends_on: feature.depends_on ?? [],
    files_owned: (filesOwned ?? []).filter((glob) => glob !== ""),
    ...(verify === null ? {} : { verify }),
    unchecked,
    wave: feature.wave ?? 1,
    estimated_minutes: feature.estimated_minutes ?? ESTIMATED_MINUTES_DEFAULT,
    ...(feature.skill ? { skill: feature.skill } : {}),
    ...(feature.worker_role ? { role: feature.worker_role } : {}),
  };
  return { ok: true, value: task };
}

function uncheckedMessage(id: string, verify: string | null): string {
  const why = verify === null ? "has no verify_cmd" : `has a verify_cmd that proves nothing (${quoted(verify)})`;
  return `${quoted(id)} ${why}: it is loaded as unchecked`;
}
