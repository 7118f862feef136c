import type { CommandSpec } from "../command.ts";

const FILE = { name: "FILE", required: true, summary: "A plan in YAML or JSON, or a DAG.json of omega-os" };

export const PLAN_COMMANDS: readonly CommandSpec[] = [
  {
    name: "plan check",
    summary: "Check a plan file without loading it",
    details: "Tells every problem at once, as file:line:column. Exit 2 when there is any.",
    arguments: [FILE],
    options: [],
    examples: [{ command: "plan check plan.yaml", what: "check before loading" }],
    effect: "reads",
    load: () => import("../commands/plan-check.ts"),
  },
  {
    name: "plan load",
    summary: "Load a plan file, or its next revision",
    details:
      "All of it or nothing, and as often as you like: states and attempts stay, changed tasks are updated, tasks that left the file are retired, and brought back when they return.",
    arguments: [FILE],
    options: [],
    examples: [
      { command: "plan load plan.yaml", what: "load, or load again after a change" },
      { command: "plan load DAG.json --plan shop", what: "load a plan of omega-os under a name of yours" },
    ],
    effect: "writes",
    load: () => import("../commands/plan-load.ts"),
  },
  {
    name: "plan show",
    summary: "List the tasks of a plan",
    arguments: [{ name: "PLAN", required: false, summary: "Name of a loaded plan" }],
    options: [
      { name: "state", value: "STATE", summary: "Only tasks in this state" },
      { name: "offset", value: "N", summary: "Skip the first N tasks; a page has 200" },
    ],
    examples: [
      { command: "plan show", what: "the first 200 tasks" },
      { command: "plan show --state failed", what: "the failed ones" },
    ],
    effect: "reads",
    load: () => import("../commands/plan-show.ts"),
  },
  {
    name: "plan graph",
    summary: "Draw the graph of a plan",
    arguments: [{ name: "PLAN", required: false, summary: "Name of a loaded plan" }],
    options: [{ name: "format", value: "FORMAT", choices: ["mermaid", "dot"], summary: "How to write it (mermaid)" }],
    examples: [{ command: "plan graph --format dot | dot -Tsvg > plan.svg", what: "a picture, by Graphviz" }],
    effect: "reads",
    load: () => import("../commands/plan-graph.ts"),
  },
];
