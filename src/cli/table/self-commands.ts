import { VERDICT_WORDS } from "../../core/lane/verdict.ts";
import type { CommandSpec } from "../command.ts";

/** What an agent says of its own attempt, to its runner alone. */
export const SELF_COMMANDS: readonly CommandSpec[] = [
  {
    name: "self done",
    summary: "For agents: say what was done",
    details:
      "For the record; the last report counts. The agent's own end and the engine's checks decide what it is worth. A review must give a verdict, and nothing else may.",
    arguments: [
      { name: "SUMMARY", required: true, summary: "What was done; of a review: why, and what has to change" },
    ],
    options: [
      { name: "file", value: "FILE", many: true, summary: "A file that was made or changed" },
      { name: "not-done", value: "TEXT", many: true, summary: "A part of the task that is not done" },
      {
        name: "verdict",
        value: "WORD",
        choices: VERDICT_WORDS,
        summary: "A review's answer about the work",
      },
      { name: "handoff", value: "AGENT", summary: "Who should go on with the task" },
    ],
    examples: [
      { command: "self done 'Totals are rounded' --not-done 'the tax'", what: "before the agent ends" },
      { command: "self done 'The tax is missing' --verdict rejected", what: "at the end of a review" },
    ],
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
  {
    name: "self mcp",
    summary: "For agents: the same as tools, over MCP",
    details:
      "The Model Context Protocol on standard input and output, for clients that cannot reach their runner's own server by HTTP.",
    arguments: [],
    options: [],
    examples: [{ command: "self mcp", what: "started by the agent, never by hand" }],
    effect: "reports",
    load: () => import("../commands/self-mcp.ts"),
  },
];
