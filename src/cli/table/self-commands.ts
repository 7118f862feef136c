import type { CommandSpec } from "../command.ts";

/** What an agent says of its own attempt, to its runner alone. */
export const SELF_COMMANDS: readonly CommandSpec[] = [
  {
    name: "self done",
    summary: "For agents: say what was done",
    details: "A word for the record. The agent's own end and the engine's checks decide what it is worth.",
    arguments: [{ name: "SUMMARY", required: true, summary: "What was done, and what was not" }],
    options: [],
    examples: [{ command: "self done 'Totals are rounded; the tax is still missing'", what: "before the agent ends" }],
    effect: "reports",
    load: () => import("../commands/self-done.ts"),
  },
  {
    name: "self progress",
    summary: "For agents: say how far the work is",
    arguments: [{ name: "TEXT", required: true, summary: "A few words; people see the last ones" }],
    options: [],
    examples: [{ command: "self progress 'two of five pages done'", what: "shown by `status` and the live view" }],
    effect: "reports",
    load: () => import("../commands/self-progress.ts"),
  },
  {
    name: "self ask",
    summary: "For agents: ask a person, and print the answer",
    details:
      "Waits for the answer. When none comes in ten minutes the attempt ends, and the answer goes into the next one's brief. With --can-continue it does not wait.",
    arguments: [
      { name: "QUESTION", required: true, summary: "What a person must decide" },
      { name: "CHOICE", required: false, many: true, summary: "The possible answers; none: any text" },
    ],
    options: [
      { name: "default", value: "CHOICE", summary: "The answer when nobody gives one within eight hours" },
      { name: "can-continue", summary: "Go on without the answer" },
    ],
    examples: [{ command: "self ask 'Which currency?' EUR USD --default EUR", what: "prints EUR or USD" }],
    effect: "reports",
    load: () => import("../commands/self-ask.ts"),
  },
];
