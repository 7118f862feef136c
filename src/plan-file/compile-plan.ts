/** A written plan and the settings of its project -> tasks that can be loaded, or all that is wrong with them. */

import { createHash } from "node:crypto";
import { invariant } from "../core/assert.ts";
import { type CompiledTask, hasOwnBranch, type TaskDefinition } from "../core/plan/definition.ts";
import { compileGraph, type LinkedTask } from "../core/plan/graph.ts";
import type { GraphTask } from "../core/plan/graph-input.ts";
import { taskIdProblem } from "../core/plan/names.ts";
import { naturalKey } from "../core/plan/natural-key.ts";
import { slugsOf } from "../core/plan/slug.ts";
import { type DocumentPath, type Finding, unknownName } from "./finding.ts";
import type { WrittenPlanDefaults, WrittenTask } from "./plan-schema.ts";
import type { PlanSettings } from "./plan-settings.ts";
import { defineTask, type ResolvedDefaults, resolveDefaults } from "./task-definition.ts";
import { NO_CLEAN, NO_VERIFY, problemsOfLevel } from "./task-problems.ts";
import type { WrittenEntries, WrittenPlan } from "./written-plan.ts";

export type Compilation = { ok: true; tasks: CompiledTask[] } | { ok: false; findings: Finding[] };

/** Compiles all entries, and empties the document's list of them on the way. */
export function compileTasks(written: WrittenPlan, settings: PlanSettings): Compilation {
  const findings: Finding[] = [];
  const defaults = resolveDefaults(checkedDefaults(written, settings, findings), settings, written.frame.scopes);
  const { graphTasks, definitions } = readTasks(written.entries, { settings, defaults, findings });
  const scopes = Object.entries(written.frame.scopes ?? {});
  const graph = compileGraph({
    tasks: graphTasks,
    barriers: written.frame.barriers ?? [],
    scopes: Object.fromEntries(scopes.map(([name, { depends_on }]) => [name, { depends_on: depends_on ?? [] }])),
  });
  if (!graph.ok) for (const problem of graph.problems) findings.push(graphFinding(written.entries, problem));
  if (graph.ok && settings.land.mode === "off") findings.push(...unlandedDependencies(written.entries, graph.tasks));
  if (findings.length > 0 || !graph.ok) return { ok: false, findings };
  return { ok: true, tasks: compiledTasks(graph.tasks, definitions) };
}

/** Where nothing lands, no task ever sees the work of another. */
function unlandedDependencies({ key }: WrittenEntries, tasks: readonly LinkedTask[]): Finding[] {
  return tasks.flatMap(({ id, depends_on }, index) => {
    const [first] = depends_on;
    if (first === undefined) return [];
    const why = `with land.mode off nothing lands, so ${id} would never see the work of ${first}, which it depends on`;
    return [{ path: [key, index], message: `${why}: choose the mode merge, squash or pr` }];
  });
}

/** The plan's defaults; a scope that does not exist is told here once, not at each task that gets it. */
function checkedDefaults({ frame }: WrittenPlan, settings: PlanSettings, findings: Finding[]): WrittenPlanDefaults {
  const { scope, ...defaults } = frame.defaults ?? {};
  const unchecked = defaults.unchecked ?? settings.defaults.unchecked ?? false;
  findings.push(...problemsOfLevel(defaults, { path: ["defaults"], known: settings, unchecked }));
  if (scope === undefined) return defaults;
  const scopes = frame.scopes ?? {};
  if (Object.hasOwn(scopes, scope)) return { ...defaults, scope };
  findings.push({ path: ["defaults", "scope"], message: unknownName("scope", scope, Object.keys(scopes)) });
  return defaults;
}

interface Reading {
  settings: PlanSettings;
  defaults: ResolvedDefaults;
  findings: Finding[];
}

interface ReadTasks {
  graphTasks: GraphTask[];
  /** Null where an entry is not well-formed. */
  definitions: (TaskDefinition | null)[];
}

function readTasks({ key, list, read }: WrittenEntries, reading: Reading): ReadTasks {
  const { findings } = reading;
  const graphTasks: GraphTask[] = [];
  const definitions: (TaskDefinition | null)[] = [];
  for (const [index, entry] of list.entries()) {
    const path = [key, index];
    const checked = read(entry, path);
    const id = (entry as { id?: unknown } | null)?.id;
    // What is read is let go: a plan of 100,000 tasks would stand three times in memory.
    list[index] = null;
    if (!checked.ok) for (const finding of checked.findings) findings.push(finding);
    const definition = checked.ok ? defineTask(checked.value, reading.defaults) : null;
    if (checked.ok) addTaskProblems(checked.value, path, reading);
    graphTasks.push(graphTask(index, isUsableId(id, path, findings) ? id : null, definition));
    definitions.push(definition);
  }
  return { graphTasks, definitions };
}

function addTaskProblems(task: WrittenTask, path: DocumentPath, { settings, defaults, findings }: Reading): void {
  const unchecked = task.unchecked ?? defaults.unchecked;
  for (const finding of problemsOfLevel(task, { path, known: settings, unchecked })) findings.push(finding);
  const verify = task.verify ?? defaults.verify;
  if (!unchecked && Array.isArray(verify) && verify.length === 0) findings.push({ path, message: NO_VERIFY });
  if ((task.clean ?? defaults.clean) && !hasOwnBranch(settings.workspace)) findings.push({ path, message: NO_CLEAN });
}

function isUsableId(id: unknown, path: DocumentPath, findings: Finding[]): id is string {
  if (typeof id !== "string") return false;
  const message = taskIdProblem(id);
  if (message !== null) findings.push({ path: [...path, "id"], message });
  return message === null;
}

/** Longer than any id, so that it is neither taken for one nor proposed as one. */
const NO_ID = "\0".repeat(400);

/** Of an entry that is not well-formed only the id counts, so that nobody is told that it does not exist. */
function graphTask(index: number, id: string | null, definition: TaskDefinition | null): GraphTask {
  return {
    id: id ?? `${NO_ID}${index}`,
    depends_on: definition?.depends_on ?? [],
    wave: definition?.wave ?? 1,
    scope: definition?.scope ?? null,
  };
}

function graphFinding({ key }: WrittenEntries, { path, message }: Finding): Finding {
  const [first, ...rest] = path;
  return { path: first === "tasks" ? [key, ...rest] : path, message };
}

function compiledTasks(linked: readonly LinkedTask[], definitions: readonly (TaskDefinition | null)[]): CompiledTask[] {
  const slugs = slugsOf(
    linked.map(({ id }) => id),
    sha256,
  );
  return linked.map(({ id, depends_on, path }, index) => {
    const definition = definitions[index];
    invariant(definition, `task ${index} was compiled without a definition`);
    return { id, slug: slugs[index]!, natural_key: naturalKey(id), depends_on, path, definition };
  });
}

const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex");
