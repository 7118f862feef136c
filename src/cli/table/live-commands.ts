import type { ArgumentSpec, CommandSpec, OptionSpec } from "../command.ts";

const TASK: ArgumentSpec = { name: "TASK", required: true, summary: "[PLAN/]TASK, or the beginning of its id" };
const REASON: OptionSpec = { name: "reason", value: "TEXT", summary: "Why, for the record" };

/** What an operator does to what is alive, from any terminal. */
export const LIVE_COMMANDS: readonly CommandSpec[] = [
  {
    name: "interrupt",
    summary: "End the agent's turn, and let it go on with a message",
    details:
      "The attempt lives on. An agent that knows its conversation goes on in it; any other is started again with its task and the message.",
    arguments: [TASK],
    options: [{ name: "message", short: "m", value: "TEXT", summary: "What it goes on with" }],
    examples: [{ command: "interrupt F-001 -m 'use the old API'", what: "put an agent right without losing its work" }],
    effect: "writes",
    load: () => import("../commands/interrupt.ts"),
  },
  {
    name: "extend",
    summary: "Give a live attempt more time",
    arguments: [TASK],
    options: [{ name: "by", value: "DURATION", summary: "How much more" }],
    examples: [{ command: "extend F-001 --by 30m", what: "half an hour more for this attempt" }],
    effect: "writes",
    load: () => import("../commands/extend.ts"),
  },
  {
    name: "requeue",
    summary: "End a live attempt, and queue its task again",
    details:
      "The agent is asked to end and its work is kept; no try is spent. A task that waits for its checks, or for a person, goes back to its work too.",
    arguments: [TASK],
    options: [REASON],
    examples: [{ command: "requeue F-001", what: "begin a new attempt with the work as it is" }],
    effect: "writes",
    load: () => import("../commands/requeue.ts"),
  },
  {
    name: "discard",
    summary: "Throw the work of a task away, and queue it again",
    details:
      "A live agent is asked to end; no try is spent. The work is kept at a ref, whose name is printed with how to have it back; the next attempt starts from the target, one phase back. Refused where the work cannot be told from other files: in a plain directory, or a checkout where another task is at work.",
    arguments: [TASK],
    options: [REASON],
    examples: [{ command: "discard F-001", what: "begin again without what was done" }],
    effect: "writes",
    load: () => import("../commands/discard.ts"),
  },
  {
    name: "kill",
    summary: "End a live attempt for good; it counts as a try",
    details:
      "The agent is asked to end, and killed when it does not within ten seconds. What it had finished before counts; otherwise the attempt is cancelled.",
    arguments: [TASK],
    options: [{ name: "at-once", summary: "Kill it without asking, also when it is ending already" }, REASON],
    examples: [
      { command: "kill F-001", what: "give up on this attempt" },
      { command: "kill F-001 --at-once", what: "now" },
    ],
    effect: "writes",
    load: () => import("../commands/kill.ts"),
  },
  {
    name: "panic",
    summary: "Kill everything of every run now",
    details:
      "Of every project in the store: nothing starts any more, then agents and checks are killed without being asked. Runs stay paused until `resume`; tasks are pending, no try is spent, and what agents left is kept.",
    arguments: [],
    options: [REASON],
    examples: [{ command: "panic", what: "stop everything, think later" }],
    effect: "writes",
    load: () => import("../commands/panic.ts"),
  },
];
