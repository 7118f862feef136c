/** The embedded store: one SQLite file for many projects, plans and processes. */

import type { Clock } from "../../../ports/clock.ts";
import type { Store } from "../../../ports/store.ts";
import { HOUR_MS, recordOf } from "../load-rows.ts";
import { cacheConfig, cachedConfig, engines, setEngine } from "./node-rows.ts";
import { openDatabase } from "./open.ts";
import { graph } from "./reads/graph.ts";
import { events, openItems } from "./reads/log.ts";
import { lastRun, liveRuns, plans, summary } from "./reads/plans.ts";
import { cascading, landings, nextDue, ready, runOut } from "./reads/ready.ts";
import { spending } from "./reads/spending.ts";
import {
  active,
  attempts,
  checks,
  dependencies,
  guardOutcome,
  isFlaky,
  landingQueue,
  taskIds,
  tasks,
  unlanded,
} from "./reads/tasks.ts";
import { unreadable } from "./reads/unreadable.ts";
import { sqliteTables } from "./tables/index.ts";
import { Watch } from "./watch.ts";

/**
 * Opens the store in `file`, made and migrated where it must be. Any number of processes may do so at once. Throws
 * `StoreUnavailable`, as every method does.
 */
export async function openSqliteStore(file: string, { clock }: { clock: Clock }): Promise<Store> {
  const db = await openDatabase(file);
  const tables = sqliteTables(db);
  const watch = new Watch(db);

  /** Time is read once inside the transaction: events stand in the log in the order of their times. */
  const transact = <T>(work: (now: number) => { answer: T; changed: boolean }): T => {
    const { answer, changed } = db.write(() => work(clock.now()));
    if (changed) watch.committed(clock.now());
    return answer;
  };

  /** Loaded at the first change: most commands only look, and start without it. */
  let changing: Promise<typeof import("../change.ts")> | undefined;
  const change = (): Promise<typeof import("../change.ts")> => {
    changing ??= import("../change.ts");
    return changing;
  };

  return {
    submit: async (command, envelope) => {
      const { submitIn } = await change();
      return transact((now) => submitIn(tables, command, envelope, now));
    },
    submitAll: async (commands, envelope) => {
      const { submitAllIn } = await change();
      return transact((now) => submitAllIn(tables, commands, envelope, now));
    },
    load: async (command, envelope) => {
      const { loadIn } = await change();
      return transact((now) => loadIn(tables, command, envelope, now));
    },

    plans: async (project) => db.read(() => plans(db, project)),
    plan: async (id) => db.read(() => tables.plan(id)),
    planNamed: async (project, name) => db.read(() => tables.planNamed(project, name)),
    summary: async (plan) => db.read(() => summary(db, tables, plan)),
    lastRun: async (plan) => db.read(() => lastRun(db, plan)),
    liveRuns: async () => db.read(() => liveRuns(db)),
    task: async (plan, id) => db.read(() => recordOf(tables, plan, id)),
    taskIds: async (plan, prefix, limit) => db.read(() => taskIds(db, plan, prefix, limit)),
    tasks: async (plan, query) => db.read(() => tasks(db, plan, query)),
    graph: (plan) => graph(db, plan),
    dependencies: async (plan, task) => db.read(() => dependencies(db, plan, task)),
    attempts: async (plan, task) => db.read(() => attempts(db, plan, task)),
    checks: async (plan, task) => db.read(() => checks(db, plan, task)),
    spending: async (plan, by) => db.read(() => spending(db, plan, by)),
    isFlaky: async (plan, command) => db.read(() => isFlaky(db, plan, command)),
    guardOutcome: async (plan, tree, command) => db.read(() => guardOutcome(db, plan, tree, command)),
    active: async (plan, limit) => db.read(() => active(db, tables, plan, limit)),

    ready: async (plan, limit) => db.read(() => ready(db, tables, plan, clock.now(), limit)),
    gateRows: async (project, plan) =>
      db.read(() => ({
        run: tables.liveRun(plan),
        holds: tables.holds(project),
        underway: tables.underway(project),
        started_last_hour: tables.startedSince(project, clock.now() - HOUR_MS),
      })),
    unlanded: async (plan, limit) => db.read(() => unlanded(db, tables, plan, limit, clock.now())),
    landingQueue: async (project, target, limit) =>
      db.read(() => landingQueue(db, project, target, limit, clock.now())),
    landings: async (project) => db.read(() => landings(db, project)),
    landing: async (project, target) => db.read(() => tables.landing(project, target)),
    runOut: async (plan, limit) => db.read(() => runOut(db, plan, clock.now(), limit)),
    cascading: async (plan, limit) => db.read(() => cascading(db, plan, limit)),
    nextDue: async (plan) => db.read(() => nextDue(db, plan, clock.now())),
    holds: async (project) => db.read(() => tables.holds(project)),
    openItems: async (project, plan, limit) => db.read(() => openItems(db, project, plan, limit)),
    events: async (query) => db.read(() => events(db, query)),

    cachedConfig: async (project, hash) => db.read(() => cachedConfig(db, project, hash)),
    cacheConfig: async (project, hash, config) => cacheConfig(db, project, hash, config),
    setEngine: async (project, holder, running) => setEngine(db, project, holder, running),
    engines: async (project) => db.read(() => engines(db, project)),

    watch: (wake) => watch.add(wake),
    verify: async () => {
      const { verify } = await import("./verify.ts");
      return db.read(() => verify(db));
    },
    unreadable: async (plan) => (db.leftOut.size === 0 ? [] : db.read(() => unreadable(db, tables, plan))),
    close: async () => {
      watch.close();
      db.close();
    },
  };
}
