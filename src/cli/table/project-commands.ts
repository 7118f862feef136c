import type { CommandSpec } from "../command.ts";

export const PROJECT_COMMANDS: readonly CommandSpec[] = [
  {
    name: "init",
    summary: "Make this directory a project",
    details: "Writes lockstep.yaml and, where there is no plan file yet, an example plan.yaml. Overwrites nothing.",
    arguments: [],
    options: [],
    examples: [{ command: "init", what: "write lockstep.yaml and plan.yaml" }],
    effect: "reads",
    load: () => import("../commands/init.ts"),
  },
  {
    name: "doctor",
    summary: "Find what is wrong with this machine, project and store",
    details:
      "Problems come first, each with its fix. Exit 1 when there is any. With --agents the programs of the configured agents are looked at instead, or those that are found where none is configured: version, log-in, and a trial of the program on a model of lockstep's own, on this machine, with a home of its own. Nothing of your log-in is used, and nothing is spent.",
    arguments: [{ name: "AGENT", required: false, many: true, summary: "With --agents: only these" }],
    options: [
      { name: "agents", summary: "Try the programs of agents" },
      {
        name: "store",
        value: "FILE",
        valueOptional: true,
        summary: "Compare every counter of the store with an exact query, too",
      },
    ],
    examples: [
      { command: "doctor", what: "look at everything that is quick" },
      { command: "doctor --store", what: "check the whole store, too" },
      { command: "doctor --agents coder", what: "try the program of one agent" },
    ],
    effect: "reads",
    load: () => import("../commands/doctor.ts"),
  },
  {
    name: "use",
    summary: "Choose the plan that commands mean when none is named",
    details: "The choice is yours alone, in this project. Without PLAN: says which plan is meant now.",
    arguments: [{ name: "PLAN", required: false, summary: "Name of a loaded plan" }],
    options: [],
    examples: [
      { command: "use checkout", what: "mean the plan checkout from now on" },
      { command: "use", what: "say which plan is meant" },
    ],
    effect: "writes",
    load: () => import("../commands/use.ts"),
  },
];
