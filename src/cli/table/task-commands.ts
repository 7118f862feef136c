import type { ArgumentSpec, CommandSpec, OptionSpec } from "../command.ts";

const TASK: ArgumentSpec = { name: "TASK", required: true, summary: "[PLAN/]TASK, or the beginning of its id" };
const TOKEN: OptionSpec = { name: "token", value: "N", summary: "The token that `claim` printed" };
const REASON: OptionSpec = { name: "reason", value: "TEXT", summary: "Why, for the record" };

export const TASK_COMMANDS: readonly CommandSpec[] = [
  {
    name: "task show",
    summary: "Show a task with its attempts and checks",
    arguments: [{ ...TASK, summary: "[PLAN/]TASK[#ATTEMPT], or the beginning of its id" }],
    options: [],
    examples: [
      { command: "task show F-001", what: "the task and all its attempts" },
      { command: "task show 'F-001#2'", what: "its second attempt only" },
    ],
    effect: "reads",
    load: () => import("../commands/task-show.ts"),
  },
  {
    name: "task renew",
    summary: "Hold a claim for longer",
    arguments: [TASK],
    options: [TOKEN, { name: "ttl", value: "DURATION", summary: "How long from now (30m)" }],
    examples: [{ command: "task renew F-001 --token 7", what: "another half hour" }],
    effect: "writes",
    load: () => import("../commands/task-renew.ts"),
  },
  {
    name: "task done",
    summary: "Say that the work is done: its checks run now and decide",
    details:
      "Exit 0 when the task is verified, 1 when its checks were red or the token is stale, 3 when a person must decide. With --unverified an operator takes the task as verified without checks; it says so for ever.",
    arguments: [TASK],
    options: [
      TOKEN,
      { name: "summary", value: "TEXT", summary: "What was done, for the record" },
      { name: "unverified", summary: "Take it as verified without checks; needs --reason" },
      REASON,
    ],
    examples: [
      { command: "task done F-001 --token 7", what: "check, and land" },
      { command: "task done F-001 --unverified --reason 'checked by hand'", what: "an operator's word instead" },
    ],
    effect: "writes",
    load: () => import("../commands/task-done.ts"),
  },
  {
    name: "task fail",
    summary: "Say that the work failed",
    details: "The work is kept, and the task goes on as its tries allow.",
    arguments: [TASK],
    options: [TOKEN, { name: "error", value: "TEXT", summary: "What went wrong: the next worker reads it" }],
    examples: [{ command: "task fail F-001 --token 7 --error 'no such table'", what: "give up this attempt" }],
    effect: "writes",
    load: () => import("../commands/task-fail.ts"),
  },
  {
    name: "task retry",
    summary: "Let a failed, skipped or cancelled task start again",
    arguments: [TASK],
    options: [{ name: "fresh", summary: "Start without the work of earlier attempts; it stays saved" }],
    examples: [{ command: "task retry F-001", what: "tries start again" }],
    effect: "writes",
    load: () => import("../commands/task-retry.ts"),
  },
  {
    name: "revert",
    summary: "Undo the landing of a verified task, as a new task",
    details:
      "The new task is named after the old one, which stays verified: its work is on record, and undone. lockstep undoes the commit itself, runs the guards and what --verify says, and lands that; where later work changed the same places, or another task has the files, it waits for an agent, whose brief says what to undo. Refused while tasks that depend on it are verified or under way.",
    arguments: [{ ...TASK, summary: "A verified task" }],
    options: [
      {
        name: "verify",
        value: "COMMAND",
        many: true,
        summary: "Checks that the task is well undone, beside its guards",
      },
      { name: "unchecked", summary: "Nothing checks it, where there are no guards either" },
      { name: "despite-dependants", summary: "Also where verified or live tasks depend on it" },
    ],
    examples: [
      { command: "revert F-001", what: "undo it, checked by the plan's guards" },
      { command: "revert F-001 --verify 'npm test'", what: "with a check of its own" },
    ],
    effect: "writes",
    load: () => import("../commands/revert.ts"),
  },
  {
    name: "task skip",
    summary: "Pass a task over",
    arguments: [TASK],
    options: [
      { name: "satisfies", summary: "Its dependants may start as if it were verified" },
      { name: "without-work", summary: "Also when it has work that has not landed" },
      REASON,
    ],
    examples: [{ command: "task skip F-001 --satisfies --reason 'done elsewhere'", what: "let its dependants start" }],
    effect: "writes",
    load: () => import("../commands/task-skip.ts"),
  },
  {
    name: "task cancel",
    summary: "End a task that is not wanted any more",
    arguments: [TASK],
    options: [REASON],
    examples: [{ command: "task cancel F-001 --reason 'out of scope'", what: "end it" }],
    effect: "writes",
    load: () => import("../commands/task-cancel.ts"),
  },
];
