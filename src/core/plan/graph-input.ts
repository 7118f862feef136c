/** What the graph needs to know of a task: a `TaskDefinition` with its id will do. */
export interface GraphTask {
  id: string;
  depends_on: readonly string[];
  wave: number;
  scope: string | null;
}

/** The part of a plan that decides what waits for what. */
export interface GraphInput {
  tasks: readonly GraphTask[];
  /** Waves that are barriers: they wait for every lower wave, and every higher wave waits for them. */
  barriers: readonly number[];
  /** Scopes by name; every task of a scope waits for every task of the scopes that it depends on. */
  scopes: Readonly<Record<string, { depends_on: readonly string[] }>>;
}

export type GraphProblemCode =
  | "duplicate_id"
  | "unknown_dependency"
  | "self_dependency"
  | "cycle"
  | "unknown_scope"
  | "unknown_scope_dependency"
  | "scope_cycle"
  | "group_cycle"
  | "too_many_edges";

/** Something that keeps a plan from being a graph that can be run to its end. */
export interface GraphProblem {
  code: GraphProblemCode;
  /** Where in the input, for example `["tasks", 3, "depends_on", 0]` or `["scopes", "web"]`; empty: the plan as a whole. */
  path: readonly (string | number)[];
  message: string;
  /** The ids of the tasks (or the names of the scopes) that wait for each other, each for the next and the last for the first. */
  cycle?: readonly string[];
}

/** Ids and names stand in messages as JSON writes them, so that spaces and quotes can be seen. */
export function quoted(name: string): string {
  return JSON.stringify(name);
}
