import type { CommandSpec, OptionSpec } from "../command.ts";

const RAW: OptionSpec = { name: "raw", summary: "What its program printed, as it is" };

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
    name: "logs",
    summary: "Show what the agent of a task did and said",
    details:
      "Its words, its tools with the first line of what they gave back, and what was ruled on its calls; of an agent that is a command what it printed. Of its last attempt, unless one is named. With --json each of these is a line.",
    arguments: [{ name: "TASK", required: true, summary: "[PLAN/]TASK[#ATTEMPT], or the beginning of its id" }],
    options: [{ name: "follow", short: "f", summary: "Stay until the attempt has ended, and show what comes" }, RAW],
    examples: [
      { command: "logs F-001 -f", what: "watch the agent work" },
      { command: "logs 'F-001#1' --raw", what: "what the program of its first attempt printed, as it is" },
    ],
    effect: "reads",
    load: () => import("../commands/logs.ts"),
  },
  {
    name: "attach",
    summary: "Watch the agent of a task at work",
    details:
      "In its session of tmux, where it has one (`run --host tmux`) and this is a terminal: C-b d leaves it, and nothing that is typed there reaches the agent. Otherwise what it has done and does, as `logs -f` shows it. Of the last attempt, unless one is named.",
    arguments: [{ name: "TASK", required: true, summary: "[PLAN/]TASK[#ATTEMPT], or the beginning of its id" }],
    options: [RAW],
    examples: [
      { command: "attach F-001", what: "watch it until it has ended" },
      { command: "attach F-001 --json", what: "each thing that it does as a line" },
    ],
    effect: "reads",
    load: () => import("../commands/attach.ts"),
  },
  {
    name: "diff",
    summary: "Show what a task has changed",
    details: "What it landed; before that, what is committed or saved of its work.",
    arguments: [{ name: "TASK", required: true, summary: "[PLAN/]TASK, or the beginning of its id" }],
    options: [],
    examples: [{ command: "diff F-001", what: "as `git diff` prints it" }],
    effect: "reads",
    load: () => import("../commands/diff.ts"),
  },
  {
    name: "prove",
    summary: "Prove from git and the store that what is verified is landed, checked and whole",
    details:
      "Trusts no log: of each verified task the landed commit, its tree, the attempt's ref, every check on that tree and its output are looked at anew. With --rerun each check also runs once more, on the landed tree in a checkout that is made for it and set up as a landing's. Exit 1 when anything is wrong.",
    arguments: [{ name: "TASK", required: false, summary: "Only this task" }],
    options: [{ name: "rerun", acts: true, summary: "Run every check anew, with its own limits" }],
    examples: [
      { command: "prove", what: "every verified task" },
      { command: "prove --rerun", what: "and their checks once more" },
      { command: "prove F-001 --json", what: "one of them, for scripts" },
    ],
    effect: "reads",
    load: () => import("../commands/prove.ts"),
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
