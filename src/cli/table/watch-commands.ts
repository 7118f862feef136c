import type { CommandSpec } from "../command.ts";

export const WATCH_COMMANDS: readonly CommandSpec[] = [
  {
    name: "status",
    summary: "Say how the plan stands",
    arguments: [],
    options: [],
    examples: [{ command: "status --json", what: "counts, what is under way, what needs you" }],
    effect: "reads",
    load: () => import("../commands/status.ts"),
  },
  {
    name: "why",
    summary: "Say why a task stands where it stands",
    details: "The same conditions that the scheduler asks, all of them; the first is the reason.",
    arguments: [{ name: "TASK", required: true, summary: "The task" }],
    options: [],
    examples: [{ command: "why F-002", what: "what it waits for" }],
    effect: "reads",
    load: () => import("../commands/why.ts"),
  },
  {
    name: "events",
    summary: "Show what happened, oldest first",
    arguments: [],
    options: [
      { name: "follow", short: "f", summary: "Stay, and show what happens" },
      { name: "after", value: "N", summary: "Only events after number N" },
      { name: "task", value: "TASK", summary: "Only events of this task" },
    ],
    examples: [
      { command: "events --task F-001", what: "the story of one task" },
      { command: "events -f --json", what: "a stream of JSON lines" },
    ],
    effect: "reads",
    load: () => import("../commands/events.ts"),
  },
  {
    name: "inbox",
    summary: "List what waits for a person",
    arguments: [],
    options: [],
    examples: [{ command: "inbox", what: "each item with its options" }],
    effect: "reads",
    load: () => import("../commands/inbox.ts"),
  },
  {
    name: "answer",
    summary: "Answer an item of the inbox",
    arguments: [
      { name: "ITEM", required: true, summary: "The item, as `inbox` names it" },
      { name: "OPTION", required: true, summary: "One of its options" },
    ],
    options: [{ name: "message", short: "m", value: "TEXT", summary: "A word for the record" }],
    examples: [{ command: "answer i3 retry -m 'the server is up again'", what: "let the task go on" }],
    effect: "writes",
    load: () => import("../commands/answer.ts"),
  },
];
