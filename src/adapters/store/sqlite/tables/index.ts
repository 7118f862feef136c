import type { Tables } from "../../tables.ts";
import type { Database } from "../database.ts";
import { attemptTables } from "./attempts.ts";
import { dependencyTables } from "./dependencies.ts";
import { gateTables } from "./gates.ts";
import { logTables } from "./log.ts";
import { planTables } from "./plans.ts";
import { projectTables } from "./project.ts";
import { taskTables } from "./tasks.ts";

/** The tables of one open store. */
export function sqliteTables(db: Database): Tables {
  return {
    ...planTables(db),
    ...taskTables(db),
    ...dependencyTables(db),
    ...attemptTables(db),
    ...projectTables(db),
    ...gateTables(db),
    ...logTables(db),
  };
}
