import type { TaskDefinition } from "../plan/definition.ts";
import type { TaskRow } from "./rows.ts";

/** The columns that follow a definition when it takes the place of `before`. Another lane begins at its first phase. */
export function adoptedColumns(before: TaskDefinition, adopted: TaskDefinition): Partial<TaskRow> {
  const { title, priority, wave, files_owned, lane } = adopted;
  const anew = before.lane === lane ? {} : { phase: 0, approved: false };
  return { title, priority, wave, owns: files_owned.length > 0, ...anew };
}
