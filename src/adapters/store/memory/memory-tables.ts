/** The tables of a memory store: plain scans, since it is for tests and for trying things out. */

import { invariant } from "../../../core/assert.ts";
import { EVERY_PROJECT } from "../../../core/schedule/holds.ts";
import { isDead, isUnderway } from "../../../core/task/counters.ts";
import type { UnderwayTask } from "../../../core/task/rows.ts";
import { byCodePoint } from "../order.ts";
import type {
  AttemptTables,
  DependencyTables,
  GateTables,
  LogTables,
  PlanTables,
  ProjectTables,
  Tables,
  TaskTables,
} from "../tables.ts";
import { noTallies } from "../tallies.ts";
import type { Journal } from "./journal.ts";
import type { MemoryState, PlanState } from "./state.ts";
import { contentOf, emptyPlan, keyOf } from "./state.ts";

export function memoryTables(state: MemoryState, journal: Journal): Tables {
  return {
    ...planTables(state, journal),
    ...taskTables(state, journal),
    ...dependencyTables(state, journal),
    ...attemptTables(state, journal),
    ...projectTables(state, journal),
    ...gateTables(state),
    ...logTables(state, journal),
  };
}

function planTables(state: MemoryState, journal: Journal): PlanTables {
  return {
    plan: (id) => state.plans.get(id) ?? null,
    planNamed: (project, name) =>
      [...state.plans.values()].find((plan) => plan.project === project && plan.name === name) ?? null,
    insertPlan: (row) => {
      journal.put(state.plans, row.id, row);
      journal.put(state.contents, row.id, emptyPlan());
    },
    updatePlan: (before, after) => replace(journal, state.plans, before.id, before, after),
    tallies: (plan) => ({ ...noTallies(), ...Object.fromEntries(contentOf(state, plan).tallies) }),
    addTallies: (plan, by) => {
      const { tallies } = contentOf(state, plan);
      for (const [tally, n] of Object.entries(by) as [keyof typeof by, number][])
        journal.put(tallies, tally, (tallies.get(tally) ?? 0) + n);
    },
    lastToken: () => state.tokens.get("last") ?? 0,
    setLastToken: (token) => journal.put(state.tokens, "last", token),
  };
}

function taskTables(state: MemoryState, journal: Journal): TaskTables {
  return {
    task: (plan, id) => contentOf(state, plan).tasks.get(id) ?? null,
    definition: (plan, id) => contentOf(state, plan).definitions.get(id) ?? null,
    insertTasks: (tasks) => {
      for (const { row, definition, edges } of tasks) {
        const content = contentOf(state, row.plan);
        journal.put(content.tasks, row.id, row);
        journal.put(content.definitions, row.id, definition);
        journal.put(content.edges, row.id, edges);
      }
    },
    updateTask: (before, after) => replace(journal, contentOf(state, after.plan).tasks, after.id, before, after),
    updateDefinition: (plan, id, _before, after) => journal.put(contentOf(state, plan).definitions, id, after),
    tasksOfFile: (plan) =>
      [...contentOf(state, plan).tasks.values()]
        .filter((task) => task.origin === "file" && !task.retired)
        .sort((a, b) => byCodePoint(a.natural_key, b.natural_key))
        .map((task) => task.id),
    slugOwner: (plan, slug) => {
      const wanted = slug.toLowerCase();
      const owner = [...contentOf(state, plan).tasks.values()].find((task) => task.slug.toLowerCase() === wanted);
      return owner?.id ?? null;
    },
  };
}

function dependencyTables(state: MemoryState, journal: Journal): DependencyTables {
  return {
    edges: (plan, task) => [...(contentOf(state, plan).edges.get(task) ?? [])],
    rewire: (plan, task, edges) => journal.put(contentOf(state, plan).edges, task, edges),
    dependency: (plan, id) => {
      const task = contentOf(state, plan).tasks.get(id);
      return task ? { id, state: task.state, satisfied: task.satisfied } : null;
    },
    relied: (plan, id, limit) =>
      dependantsOf(contentOf(state, plan), id)
        .filter((task) => isUnderway(task) || task.state === "verified")
        .sort((a, b) => byCodePoint(a.natural_key, b.natural_key))
        .slice(0, limit)
        .map((task) => task.id),
    moveDependants: (plan, id, { unmet, dead }) => {
      const content = contentOf(state, plan);
      for (const task of dependantsOf(content, id))
        journal.put(content.tasks, task.id, { ...task, unmet: task.unmet + unmet, dead: task.dead + dead });
    },
    recount: (plan, revision) => {
      const content = contentOf(state, plan);
      for (const task of content.tasks.values())
        if (task.revision === revision)
          journal.put(content.tasks, task.id, { ...task, ...exactCounters(content, task.id) });
    },
  };
}

/** What `unmet` and `dead` of a task must be. */
export function exactCounters({ tasks, edges }: PlanState, id: string): { unmet: number; dead: number } {
  const dependencies = (edges.get(id) ?? []).flatMap((edge) => tasks.get(edge) ?? []);
  return { unmet: dependencies.filter((d) => !d.satisfied).length, dead: dependencies.filter(isDead).length };
}

function dependantsOf({ tasks, edges }: PlanState, id: string) {
  return [...tasks.values()].filter((task) => edges.get(task.id)?.includes(id));
}

function attemptTables(state: MemoryState, journal: Journal): AttemptTables {
  return {
    attempt: (plan, task, n) => contentOf(state, plan).attempts.get(task)?.[n - 1] ?? null,
    insertAttempt: (held) => {
      const { plan, task, n } = held.attempt;
      const { attempts } = contentOf(state, plan);
      const earlier = attempts.get(task) ?? [];
      invariant(earlier.length === n - 1, `attempt ${n} of ${task} is not the next one`);
      journal.put(attempts, task, [...earlier, held]);
    },
    updateAttempt: (before, after) => {
      const { plan, task, n } = after.attempt;
      const { attempts } = contentOf(state, plan);
      const all = attempts.get(task) ?? [];
      invariant(all[n - 1]?.attempt.version === before.attempt.version, "an attempt is not the one that was read");
      journal.put(attempts, task, all.with(n - 1, after));
    },
    insertCheck: ({ plan, task, attempt }, at, result) => {
      const { checks } = contentOf(state, plan);
      journal.put(checks, task, [...(checks.get(task) ?? []), { ...result, attempt, at }]);
    },
    // Verdicts are read from the log; the port has no list of them.
    insertVerdict: () => {},
  };
}

function projectTables(state: MemoryState, journal: Journal): ProjectTables {
  return {
    landing: (project, target) => state.landings.get(keyOf(project, target)) ?? null,
    insertLanding: (row) => journal.put(state.landings, keyOf(row.project, row.target), row),
    updateLanding: (before, after) =>
      replace(journal, state.landings, keyOf(after.project, after.target), before, after),
    deleteLanding: ({ project, target }) => journal.drop(state.landings, keyOf(project, target)),
    liveRun: (plan) => [...contentOf(state, plan).runs.values()].find((run) => run.state !== "ended") ?? null,
    insertRun: (row) => journal.put(contentOf(state, row.plan).runs, row.id, row),
    updateRun: (before, after) => replace(journal, contentOf(state, after.plan).runs, after.id, before, after),
    item: (plan, id) => contentOf(state, plan).items.get(id) ?? null,
    openItemsOf: (plan, task) =>
      [...contentOf(state, plan).items.values()].filter((item) => item.task === task && item.state === "open"),
    insertItem: (row) => journal.put(contentOf(state, row.plan).items, row.id, row),
    updateItem: (before, after) => replace(journal, contentOf(state, after.plan).items, after.id, before, after),
    holds: (project) =>
      [...state.holds.values()]
        .filter((hold) => hold.project === project || hold.project === EVERY_PROJECT)
        .sort((a, b) => byCodePoint(a.key, b.key)),
    putHold: (row) => journal.put(state.holds, keyOf(row.project, row.key), row),
    deleteHold: ({ project, key }) => journal.drop(state.holds, keyOf(project, key)),
  };
}

function gateTables(state: MemoryState): GateTables {
  const plansOf = (project: string) => [...state.plans.values()].filter((plan) => plan.project === project);
  return {
    underway: (project) => plansOf(project).flatMap((plan) => underwayOf(contentOf(state, plan.id))),
    startedSince: (project, since) => {
      const starts = plansOf(project)
        .flatMap((plan) => [...contentOf(state, plan.id).attempts.values()].flat())
        .filter(({ attempt }) => attempt.kind === "run" && attempt.started_at > since)
        .map(({ attempt }) => attempt.started_at);
      return { count: starts.length, first_at: starts.length === 0 ? null : Math.min(...starts) };
    },
  };
}

function underwayOf({ tasks, attempts, definitions }: PlanState): UnderwayTask[] {
  return [...tasks.values()].filter(isUnderway).flatMap((task) => {
    const { plan, id, state, mode, target, owns } = task;
    const attempt = attempts.get(id)?.at(-1)?.attempt;
    if (!owns && mode !== "in_place" && !(attempt?.kind === "run" && attempt.state !== "settled")) return [];
    const files_owned = owns ? (definitions.get(id)?.body.files_owned ?? []) : [];
    return [{ plan, id, state, mode, target, kind: attempt?.kind ?? null, agent: attempt?.agent ?? null, files_owned }];
  });
}

function logTables(state: MemoryState, journal: Journal): LogTables {
  const append: LogTables["append"] = (facts, { at, project, actor }) =>
    facts.map((fact) => {
      const event = { seq: state.events.length + 1, at, v: 1 as const, project, actor, ...fact };
      journal.push(state.events, event);
      return event;
    });
  return {
    append,
    appendAdded: (plan, revision, stamp) => {
      const data = { origin: "file", revision, added: null };
      const added = [...contentOf(state, plan).tasks.values()].filter(
        (task) => task.revision === revision && task.version === 0 && task.origin === "file",
      );
      append(
        added.map(({ id }) => ({ type: "task.added" as const, plan, task: id, attempt: null, data })),
        stamp,
      );
    },
    answer: (command) => state.answers.get(command) ?? null,
    putAnswer: (command, answer) => journal.put(state.answers, command, answer),
  };
}

function replace<T extends { version: number }>(
  journal: Journal,
  map: Map<string, T>,
  key: string,
  before: T,
  after: T,
): void {
  invariant(map.get(key)?.version === before.version, `${key} is not the row that was read`);
  journal.put(map, key, after);
}
