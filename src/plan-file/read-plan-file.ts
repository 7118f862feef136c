/** A plan file -> a checked plan, or all that is wrong with it. Pulls in zod: hot commands import this only on demand. */

import { createHash } from "node:crypto";
import type { CompiledPlan, PlanPolicy, PlanProblem } from "../core/plan/definition.ts";
import { planNameProblem } from "../core/plan/names.ts";
import { compileTasks } from "./compile-plan.ts";
import { type Finding, quoted } from "./finding.ts";
import { isOmegaPlan, omegaPlanName, readOmegaPlan } from "./omega-plan.ts";
import { locatedProblems, parseSource, syntaxProblems } from "./parse-source.ts";
import type { WrittenScope } from "./plan-schema.ts";
import type { PlanSettings } from "./plan-settings.ts";
import type { SourceDocument } from "./source-document.ts";
import { readSourceText, type SourceText, sourceOfBytes } from "./source-text.ts";
import { readWrittenPlan, type WrittenPlan } from "./written-plan.ts";

export interface ReadPlanOptions {
  /** What the project's configuration says; see `BUILT_IN_SETTINGS`. */
  settings: PlanSettings;
  /** Names a `DAG.json`, whatever its slug; for another file it must be the name which stands there. */
  planName?: string;
}

export type PlanFileResult =
  | {
      ok: true;
      plan: CompiledPlan;
      /** Scopes by name, as written. Their dependencies are compiled into the tasks; nothing enforces the rest yet. */
      scopes: Record<string, WrittenScope>;
    }
  | { ok: false; problems: PlanProblem[] };

/** Part of every source hash: raised when the same bytes compile to another plan, so that they are loaded again. */
const COMPILER_VERSION = 1;

/** Reads and checks a plan file (YAML, JSON or Omega's `DAG.json`). `path` stands in the problems as it is given. */
export async function readPlanFile(path: string, options: ReadPlanOptions): Promise<PlanFileResult> {
  const read = await readSourceText(path);
  if (!read.ok) return { ok: false, problems: [{ file: path, path: "", message: read.message }] };
  return compileSource(read.source, path, options);
}

/** The same for bytes that are already here; `path` tells the format, and names a `DAG.json` without a slug. */
export async function readPlanBytes(bytes: Buffer, path: string, options: ReadPlanOptions): Promise<PlanFileResult> {
  const read = sourceOfBytes(bytes, path);
  if (!read.ok) return { ok: false, problems: [{ file: path, path: "", message: read.message }] };
  return compileSource(read.source, path, options);
}

async function compileSource(source: SourceText, path: string, options: ReadPlanOptions): Promise<PlanFileResult> {
  const parsed = await parseSource(source);
  if (!parsed.ok) return { ok: false, problems: syntaxProblems(path, parsed.problems) };
  const { document } = parsed;
  const refused = (findings: readonly Finding[]): PlanFileResult => ({
    ok: false,
    problems: locatedProblems(path, document, findings),
  });
  const read = isOmegaPlan(document.value) ? readOmegaPlan(document.value) : readWrittenPlan(document.value);
  if (!read.ok) return refused(read.findings);
  const written = read.value;
  const named = nameOf(written, path, options.planName);
  const compiled = compileTasks(written, options.settings);
  if (!compiled.ok || named.finding !== null) {
    return refused([...(named.finding === null ? [] : [named.finding]), ...(compiled.ok ? [] : compiled.findings)]);
  }
  const plan: CompiledPlan = {
    name: named.name,
    source_hash: sourceHash(source, options.settings),
    policy: policyOf(options.settings, named.name),
    tasks: compiled.tasks,
    warnings: warningsOf(path, document, written),
  };
  return { ok: true, plan, scopes: written.frame.scopes ?? {} };
}

function nameOf(
  written: WrittenPlan,
  path: string,
  asked: string | undefined,
): { name: string; finding: Finding | null } {
  const isOmega = written.entries.key === "features";
  const name = isOmega ? (asked ?? written.name ?? omegaPlanName(path)) : (written.name ?? "");
  const at = { path: written.namePath };
  if (!isOmega && asked !== undefined && asked !== name) {
    return { name, finding: { ...at, message: `the plan of this file is ${quoted(name)}, not ${quoted(asked)}` } };
  }
  const problem = planNameProblem(name);
  if (problem === null) return { name, finding: null };
  const hint = isOmega && asked === undefined ? " (name the plan with --plan)" : "";
  return { name, finding: { ...at, message: `${problem}${hint}` } };
}

function warningsOf(path: string, document: SourceDocument, { warnings }: WrittenPlan): PlanProblem[] {
  return warnings.length === 0 ? [] : locatedProblems(path, document, warnings);
}

function sourceHash(source: SourceText, settings: PlanSettings): string {
  return createHash("sha256").update(`${COMPILER_VERSION}\n${source.hash}\n${settings.hash}\n`).digest("hex");
}

function policyOf({ lanes, workspace, land }: PlanSettings, planName: string): PlanPolicy {
  return { lanes, workspace, land: { ...land, target: land.target.replaceAll("{plan}", planName) } };
}
