import type { ArgumentSpec, CommandSpec } from "../command.ts";

const PLAN: ArgumentSpec = { name: "PLAN", required: false, summary: "Name of a loaded plan" };

export const RUN_COMMANDS: readonly CommandSpec[] = [
  {
    name: "pause",
    summary: "Interrupt what is under way, and start nothing more",
    details:
      "From any terminal. Agents are ended, their work is kept and their tries are handed back; a check under way finishes, and nothing more lands. `resume` lets the run go on.",
    arguments: [PLAN],
    options: [],
    examples: [{ command: "pause", what: "pause the live run" }],
    effect: "writes",
    load: () => import("../commands/pause.ts"),
  },
  {
    name: "resume",
    summary: "Let a paused run go on",
    arguments: [PLAN],
    options: [],
    examples: [{ command: "resume", what: "go on where `pause` stopped" }],
    effect: "writes",
    load: () => import("../commands/resume.ts"),
  },
  {
    name: "stop",
    summary: "Interrupt what is under way, and end the run",
    details:
      "From any terminal. Agents and checks are ended, work is kept and tries are handed back. A run whose engine is gone ends too: what is alive of it is ended first. The next `run` begins where this one stopped.",
    arguments: [PLAN],
    options: [{ name: "reason", value: "TEXT", summary: "Why, for the record" }],
    examples: [{ command: "stop --reason 'the plan has changed'", what: "end the live run" }],
    effect: "writes",
    load: () => import("../commands/stop.ts"),
  },
  {
    name: "wait",
    summary: "Wait until the run has ended",
    details:
      "The exit code is the run's: 0 done or stopped, 3 needs a person, 5 some tasks failed, 75 parked. Without a live run it is the last one's. When no engine carries the run any more, that is said once, and it waits on. 124 when --timeout is over first.",
    arguments: [PLAN],
    options: [{ name: "timeout", value: "DURATION", summary: "Wait no longer than that" }],
    examples: [{ command: "wait --timeout 2h", what: "for scripts" }],
    effect: "reads",
    load: () => import("../commands/wait.ts"),
  },
  {
    name: "finish",
    summary: "Land a finished plan's branch on the branch that it started from",
    details:
      "Refused unless every task is verified, or skipped as satisfied. Where the other branch has moved on, both are merged and every check of the plan runs on the result first. A branch that is checked out here moves only when --into names it, and only when nothing is uncommitted; its files move with it. With --pr nothing moves here: the branch is pushed, and offered as a pull request.",
    arguments: [PLAN],
    options: [
      { name: "into", value: "BRANCH", summary: "Another branch, or the one that is checked out here" },
      { name: "pr", summary: "Publish the branch instead, as `publish:` in lockstep.yaml says" },
    ],
    examples: [
      { command: "finish --into main", what: "bring the plan's work to main" },
      { command: "finish --pr", what: "offer the plan's work as a pull request" },
    ],
    effect: "writes",
    load: () => import("../commands/finish.ts"),
  },
  {
    name: "gc",
    summary: "Free the disk of what has landed, is saved, or is of no more use",
    details:
      "Worktrees that no attempt has, branches of work that is proved to have landed, what settled attempts printed and were given, and files that a killed process left half written. What holds work that is kept nowhere else stays, and is said; so does all that `prove` looks at. Safe at any moment, beside a live run too.",
    arguments: [],
    options: [
      { name: "older-than", value: "AGE", summary: "Free the output of attempts that ended before that (30d)" },
      { name: "dry-run", summary: "Only say what would be freed" },
    ],
    examples: [
      { command: "gc --dry-run", what: "see what could be freed" },
      { command: "gc --older-than 7d", what: "keep the output of a week" },
    ],
    effect: "writes",
    load: () => import("../commands/gc.ts"),
  },
];
